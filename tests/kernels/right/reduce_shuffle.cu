// launch: sum[4, 128](randn(3000), zeros(1), 3000)
// equals: y ~ x.sum().view(1)

__inline__ __device__ float warp_sum(float v) {
#pragma unroll
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    v += __shfl_down_sync(0xffffffff, v, offset);
  }
  return v;
}

extern "C" __global__ void __launch_bounds__(128)
    sum(const float* __restrict__ x, float* __restrict__ y, long n) {
  float v = 0;
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n;
       i += (long)gridDim.x * blockDim.x) {
    v += __ldg(x + i);
  }
  v = warp_sum(v);
  static __shared__ float part[32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0)
    part[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < blockDim.x / 32 ? part[lane] : 0.0f;
    v = warp_sum(v);
    if (lane == 0)
      atomicAdd(y, v);
  }
}
