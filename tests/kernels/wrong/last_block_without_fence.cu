// launch: total[3, 32](randn(96), zeros(3), zeros(1, dtype=torch.int32),
// zeros(1)) expect: race: part[

__global__ void total(const float* x, float* part, int* ticket, float* y) {
  float v = x[blockIdx.x * 32 + threadIdx.x];
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_down_sync(~0u, v, d);
  if (threadIdx.x == 0) {
    part[blockIdx.x] = v;
    if (atomicAdd(ticket, 1) == 2)
      *y = part[0] + part[1] + part[2];
  }
}
