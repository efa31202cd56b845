// launch: relu[4, 256](randn(1000), zeros(1000), 1000)
// equals: y == x.relu()

__global__ void relu(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = x[i] < 0.0f ? 0.0f : x[i];
  }
}
