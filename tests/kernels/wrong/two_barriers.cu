// launch: either[1, 64](randn(64), zeros(64))
// expect: barrier: different barriers

__global__ void either(const float* x, float* y) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  if (threadIdx.x < 32) {
    __syncthreads();
  } else {
    s[threadIdx.x] *= 2;
    __syncthreads();
  }
  y[threadIdx.x] = s[63 - threadIdx.x];
}
