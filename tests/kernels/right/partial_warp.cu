// launch: sum[1, 48](randn(48), zeros(1), 48)
// equals: y ~ x.sum().view(1)

// 48 threads: the second warp has 16 lanes, and says so in its mask.
__global__ void sum(const float* x, float* y, int n) {
  unsigned mask = __ballot_sync(__activemask(), threadIdx.x < n);
  float v = x[threadIdx.x];
  int lanes = __popc(mask), lane = threadIdx.x % 32;
  for (int d = 16; d > 0; d /= 2) {
    float other = __shfl_down_sync(mask, v, d);
    if (lane + d < lanes)
      v += other;
  }
  if (lane == 0)
    atomicAdd(y, v);
}
