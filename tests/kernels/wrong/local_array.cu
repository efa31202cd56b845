// launch: poly[1, 8](randn(8), zeros(8), 6)
// expect: bounds: uses index 4

__global__ void poly(const float* x, float* y, int n) {
  float power[4];
  power[0] = 1;
  for (int k = 1; k < n; k++)
    power[k] = power[k - 1] * x[threadIdx.x];
  y[threadIdx.x] = power[n - 3];
}
