// launch: counts[2, 64](randn(128), zeros(6, dtype=torch.int32))
// equals: y == torch.stack([torch.stack([(b > 0).sum().int(), (b >
// -9).all().int(), (b > 9).any().int()]) for b in x.view(2, 64)]).view(-1)

__global__ void counts(const float* x, int* y) {
  float v = x[blockIdx.x * blockDim.x + threadIdx.x];
  int n = __syncthreads_count(v > 0);
  int all = __syncthreads_and(v > -9);
  int any = __syncthreads_or(v > 9);
  if (threadIdx.x == 0) {
    y[3 * blockIdx.x] = n;
    y[3 * blockIdx.x + 1] = all != 0;
    y[3 * blockIdx.x + 2] = any != 0;
  }
}
