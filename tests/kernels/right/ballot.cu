// launch: count[2, 96](randn(192), zeros(6, dtype=torch.int32))
// equals: y == (x > 0).view(6, 32).sum(1).int()

__global__ void count(const float* x, int* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned bits = __ballot_sync(0xffffffff, x[i] > 0);
  if (threadIdx.x % 32 == 0)
    y[i / 32] = __popc(bits);
}
