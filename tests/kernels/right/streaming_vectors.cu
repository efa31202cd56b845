// launch: stream[2, 64](randn(512), zeros(512), 128)
// equals: y == x.relu()

__global__ void stream(
    const float4* __restrict__ x,
    float4* __restrict__ y,
    int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 v = __ldcs(x + i);
  v.x = fmaxf(v.x, 0.f), v.y = fmaxf(v.y, 0.f);
  v.z = fmaxf(v.z, 0.f), v.w = fmaxf(v.w, 0.f);
  __stcs(y + i, v);
}
