// launch: reverse[3, 64, 512](randn(192), randn(192), zeros(192), zeros(192))
// equals: y == x.view(3, 64).flip(1).view(-1); w == v.view(3,
// 64).flip(1).view(-1)

// Two arrays share the one dynamic block of shared memory.
__global__ void reverse(const float* x, const float* v, float* y, float* w) {
  extern __shared__ __align__(16) float both[];
  float* a = both;
  float* b = both + blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[threadIdx.x] = x[i];
  b[threadIdx.x] = v[i];
  __syncthreads();
  y[i] = a[blockDim.x - 1 - threadIdx.x];
  w[i] = b[blockDim.x - 1 - threadIdx.x];
}
