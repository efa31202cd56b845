// launch: map[2, 64](randn(100), zeros(100), 100)
// equals: y == x.abs() + 1

struct Shift {
  float by;
  __device__ float operator()(float v) const {
    return v + by;
  }
};

template <class F>
__device__ void apply(const float* x, float* y, int i, F f) {
  y[i] = f(x[i]);
}

__global__ void map(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    Shift shift{1.0f};
    apply(x, y, i, [=](float v) { return shift(fabsf(v)); });
  }
}
