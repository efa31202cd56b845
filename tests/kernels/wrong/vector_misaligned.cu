// launch: copy[1, 16](randn(65), zeros(64))
// expect: misaligned: reads 16 bytes at once at x[1..4]

__global__ void copy(const float* x, float* y) {
  const float4* from = reinterpret_cast<const float4*>(x + 1);
  reinterpret_cast<float4*>(y)[threadIdx.x] = from[threadIdx.x];
}
