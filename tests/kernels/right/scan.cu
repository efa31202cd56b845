// launch: scan[1, 64](randn(64), zeros(64))
// equals: y ~ x.cumsum(0)

// Hillis and Steele: two buffers take turns, one barrier a step.
__global__ void scan(const float* x, float* y) {
  __shared__ float buffer[2][64];
  int t = threadIdx.x, from = 0;
  buffer[0][t] = x[t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    float v = buffer[from][t];
    if (t >= d)
      v += buffer[from][t - d];
    buffer[1 - from][t] = v;
    from = 1 - from;
    __syncthreads();
  }
  y[t] = buffer[from][t];
}
