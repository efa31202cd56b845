// launch: relu[4, 256](randn(1000), zeros(1000))
// expect: bounds: thread 232 of block 3 writes y[1000]

__global__ void relu(const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] < 0 ? 0 : x[i];
}
