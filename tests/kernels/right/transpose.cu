// launch: transpose[(3, 2), (32, 8)](randn(50, 70), zeros(70, 50), 50, 70)
// equals: y == x.t()

// A tile goes through shared memory, so that both sides are read in rows.
#define TILE 32
__global__ void transpose(const float* x, float* y, int rows, int cols) {
  __shared__ float tile[TILE][TILE + 1];
  int c = blockIdx.x * TILE + threadIdx.x;
  int r = blockIdx.y * TILE + threadIdx.y;
  for (int k = 0; k < TILE; k += blockDim.y) {
    if (c < cols && r + k < rows) {
      tile[threadIdx.y + k][threadIdx.x] = x[(r + k) * cols + c];
    }
  }
  __syncthreads();
  c = blockIdx.y * TILE + threadIdx.x;
  r = blockIdx.x * TILE + threadIdx.y;
  for (int k = 0; k < TILE; k += blockDim.y) {
    if (c < rows && r + k < cols) {
      y[(r + k) * rows + c] = tile[threadIdx.x][threadIdx.y + k];
    }
  }
}
