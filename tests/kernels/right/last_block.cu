// launch: total[6, 64](randn(500), zeros(6), zeros(1, dtype=torch.uint32),
// zeros(1), 500) equals: y ~ x.sum().view(1)

// The last block to come adds up what the others have left.
__global__ void total(
    const float* x,
    float* part,
    unsigned* ticket,
    float* y,
    int n) {
  __shared__ float s[64];
  __shared__ bool last;
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = 0.0f;
  for (; i < n; i += gridDim.x * blockDim.x)
    s[t] += x[i];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half)
      s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) {
    part[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(ticket, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    float sum = 0.0f;
    for (int b = 0; b < gridDim.x; b++)
      sum += part[b];
    *y = sum;
    *ticket = 0;
  }
}
