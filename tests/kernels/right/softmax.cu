// launch: softmax[5, 64](randn(5, 100), zeros(5, 100), 100)
// equals: y ~ x.softmax(1)

#include <cfloat>
template <typename Op>
__device__ float block_reduce(float v, Op op, float none) {
  __shared__ float part[32];
  for (int m = 16; m > 0; m >>= 1) {
    v = op(v, __shfl_xor_sync(0xffffffffu, v, m));
  }
  if (threadIdx.x % 32 == 0) {
    part[threadIdx.x / 32] = v;
  }
  __syncthreads();
  v = none;
  for (int k = 0; k < blockDim.x / 32; ++k) {
    v = op(v, part[k]);
  }
  __syncthreads();
  return v;
}

// One block per row.
__global__ void softmax(const float* x, float* y, int cols) {
  const float* row = x + blockIdx.x * cols;
  float most = -FLT_MAX;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    most = fmaxf(most, row[c]);
  }
  most = block_reduce(
      most, [](float a, float b) { return fmaxf(a, b); }, -FLT_MAX);
  float total = 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    total += __expf(row[c] - most);
  }
  total = block_reduce(
      total, [](float a, float b) { return a + b; }, 0.0f);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    y[blockIdx.x * cols + c] = __expf(row[c] - most) / total;
  }
}
