// launch: shift[4, 64](randn(256))
// expect: race: nothing orders two blocks

__global__ void shift(float* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i > 0 ? x[i - 1] : 0;
  __syncthreads();
  x[i] = v;
}
