// launch: relu[4, 256](randn(1000), zeros(1000), 1000)
// expect: bounds: thread 232 of block 3 reads x[1000]

__global__ void relu(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  v = v < 0 ? 0 : v;
  if (i < n)
    y[i] = v;
}
