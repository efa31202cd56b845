// launch: copy[(2, 1), (32, 8)](randn(8, 40), zeros(8, 40), 8, 40)
// expect: bounds: reads x[

// x: (8, 40). The row comes from x and the column from y.
__global__ void copy(const float* x, float* y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  int c = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < cols)
    y[r * cols + c] = x[r * cols + c];
}
