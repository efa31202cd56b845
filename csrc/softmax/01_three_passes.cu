// Step 1: row softmax by a block per row, reading the row three times.
//
// x, y: (N, C) float32, contiguous. Block of 256 threads: the maximum (so that
// no exponential overflows), the sum, the quotient, each a pass over the row.
// What is slow: three reads where one would do.
__device__ float block_all(float v, bool max_not_sum, float* part) {
  const int t = threadIdx.x;
  part[t] = v;
  __syncthreads(); // every value is in place
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) {
      const float other = part[t + half];
      part[t] = max_not_sum ? fmaxf(part[t], other) : part[t] + other;
    }
    __syncthreads(); // this level is complete
  }
  const float all = part[0];
  __syncthreads(); // everyone has read it before part is used again
  return all;
}

extern "C" __global__ void softmax_three_passes(
    const float* x,
    float* y,
    int cols) {
  __shared__ float part[256];
  const float* in = x + static_cast<long long>(blockIdx.x) * cols;
  float* out = y + static_cast<long long>(blockIdx.x) * cols;
  float most = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    most = fmaxf(most, in[c]);
  }
  most = block_all(most, true, part);
  float total = 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    total += expf(in[c] - most);
  }
  total = block_all(total, false, part);
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    out[c] = expf(in[c] - most) / total;
  }
}
