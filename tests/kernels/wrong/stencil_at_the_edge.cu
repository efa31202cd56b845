// launch: stencil[4, 64](randn(256), zeros(256), 256)
// expect: bounds: thread 0 of block 0 reads x[-1]

__global__ void stencil(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1)
    y[i] = x[i - 1] + x[i + 1] - 2 * x[i];
}
