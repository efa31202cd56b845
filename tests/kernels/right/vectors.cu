// launch: copy[4, 32](randn(508), zeros(508), 127)
// equals: y == x * 2

__global__ void copy(const float* x, float* y, int n4) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n4) {
    float4 v = reinterpret_cast<const float4*>(x)[i];
    v = make_float4(v.x * 2, v.y * 2, v.z * 2, v.w * 2);
    reinterpret_cast<float4*>(y)[i] = v;
  }
}
