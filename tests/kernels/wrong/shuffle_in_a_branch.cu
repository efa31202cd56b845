// launch: sum[1, 64](randn(64), zeros(1))
// expect: warp: they never meet

__global__ void sum(const float* x, float* y) {
  float v = x[threadIdx.x];
  if (threadIdx.x < 16) {
    v += __shfl_down_sync(0xffffffff, v, 8);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    *y = v;
}
