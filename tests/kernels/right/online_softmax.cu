// launch: softmax[4, 32](randn(4, 77), zeros(4, 77), 77)
// equals: y ~ x.softmax(1)

// One warp per row; maximum and sum in one pass.
__global__ void softmax(const float* x, float* y, int cols) {
  const float* row = x + blockIdx.x * cols;
  float m = -INFINITY, d = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 32) {
    float bigger = fmaxf(m, row[c]);
    d = d * expf(m - bigger) + expf(row[c] - bigger);
    m = bigger;
  }
  for (int k = 16; k > 0; k /= 2) {
    float other_m = __shfl_xor_sync(0xFFFFFFFF, m, k);
    float other_d = __shfl_xor_sync(0xFFFFFFFF, d, k);
    float bigger = max(m, other_m);
    d = d * expf(m - bigger) + other_d * expf(other_m - bigger);
    m = bigger;
  }
  for (int c = threadIdx.x; c < cols; c += 32) {
    y[blockIdx.x * cols + c] = expf(row[c] - m) / d;
  }
}
