// launch: reverse[1, 64](randn(64), zeros(64))
// expect: race: shared s[

__global__ void reverse(const float* x, float* y) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = s[63 - threadIdx.x];
}
