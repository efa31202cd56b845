// launch: shift[1, 64](randn(64), zeros(64))
// expect: bounds: thread 63 of block 0 writes s[64]

__global__ void shift(const float* x, float* y) {
  __shared__ float s[64];
  int t = threadIdx.x;
  if (t == 0)
    s[0] = 0;
  s[t + 1] = x[t];
  __syncthreads();
  y[t] = s[t];
}
