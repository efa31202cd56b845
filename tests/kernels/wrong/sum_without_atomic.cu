// launch: sum[1, 64](randn(64), zeros(1))
// expect: race: y[0]

__global__ void sum(const float* x, float* y) {
  y[0] += x[threadIdx.x];
}
