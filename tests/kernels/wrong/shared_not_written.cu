// launch: sum[1, 48](randn(48), zeros(1))
// expect: uninitialized: reads shared s[48]

// Nobody fills the end of s.
__global__ void sum(const float* x, float* y) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int k = 0; k < 64; k++)
      sum += s[k];
    *y = sum;
  }
}
