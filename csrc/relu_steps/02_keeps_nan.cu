// Step 2: right for every float and every size; as slow as step 1.
//
// The idea: compare instead of fmaxf, since NaN compares false and so goes
// through; count in 64 bits.
extern "C" __global__ void relu_keeps_nan(
    const float* x,
    float* y,
    long long n) {
  const long long i =
      static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = x[i] < 0.0f ? 0.0f : x[i];
  }
}
