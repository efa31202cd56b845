// launch: copy[1, 64, 128](randn(64), zeros(64))
// expect: bounds: thread 32 of block 0 writes s[32]

__global__ void copy(const float* x, float* y) {
  extern __shared__ float s[];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[63 - threadIdx.x];
}
