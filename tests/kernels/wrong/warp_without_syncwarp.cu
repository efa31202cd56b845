// launch: sum[1, 32](randn(32), zeros(1))
// expect: race: shared s[

// Since Volta the threads of a warp do not run in step.
__global__ void sum(const float* x, float* y) {
  __shared__ volatile float s[32];
  int t = threadIdx.x;
  s[t] = x[t];
  if (t < 16) {
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
  }
  if (t == 0)
    *y = s[0];
}
