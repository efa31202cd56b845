// launch: copy[1, 64](randn(64), zeros(64))
// expect: bounds: thread 32 of block 0 writes s[32]

__global__ void copy(const float* x, float* y) {
  __shared__ float s[32];
  __shared__ float other[32];
  float* p = s;
  p[threadIdx.x] = x[threadIdx.x];
  other[threadIdx.x % 32] = 0;
  __syncthreads();
  y[threadIdx.x] = p[threadIdx.x];
}
