// launch: sum[1, 48](randn(48), zeros(1))
// expect: warp: gets the value of lane 16

// The second warp has 16 lanes; its tree begins with lanes 16 to 31.
__global__ void sum(const float* x, float* y) {
  float v = x[threadIdx.x];
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_down_sync(0xffffffff, v, d);
  if (threadIdx.x % 32 == 0)
    atomicAdd(y, v);
}
