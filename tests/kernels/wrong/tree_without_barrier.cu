// launch: sum[1, 64](randn(64), zeros(1))
// expect: race: shared s[

__global__ void sum(const float* x, float* y) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half)
      s[t] += s[t + half];
  }
  if (t == 0)
    *y = s[0];
}
