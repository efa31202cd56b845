// launch: tile[1, (8, 4)](randn(4, 8), zeros(4, 8))
// expect: bounds: uses index 8

// x: (4, 8). Reads one column too far, which is the next row's first.
__global__ void tile(const float* x, float* y) {
  __shared__ float s[4][8];
  s[threadIdx.y][threadIdx.x] = x[threadIdx.y * 8 + threadIdx.x];
  __syncthreads();
  y[threadIdx.y * 8 + threadIdx.x] =
      threadIdx.y < 3 ? s[threadIdx.y][threadIdx.x + 1] : 0;
}
