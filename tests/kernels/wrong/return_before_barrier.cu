// launch: block_sum[2, 64](randn(100), zeros(2), 100)
// expect: barrier: never reaches

__global__ void block_sum(const float* x, float* y, int n) {
  __shared__ float s[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = 0;
  if (i >= n)
    return;
  s[threadIdx.x] = x[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int k = 0; k < 64 && k < n - blockIdx.x * 64; k++)
      sum += s[k];
    y[blockIdx.x] = sum;
  }
}
