// launch: scale[3, 64](randn(5000), zeros(5000), 2.5, 5000)
// equals: y == x * 2.5

__global__ void scale(const float* x, float* y, float a, int64_t n) {
  int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i < n; i += step) {
    y[i] = a * x[i];
  }
}
