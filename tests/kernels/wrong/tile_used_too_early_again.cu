// launch: rows[1, 32](randn(4, 32), zeros(4, 32))
// expect: race: shared s[

// The barrier before the next row's load is missing.
__global__ void rows(const float* x, float* y) {
  __shared__ float s[32];
  for (int r = 0; r < 4; r++) {
    s[threadIdx.x] = x[r * 32 + threadIdx.x];
    __syncthreads();
    y[r * 32 + threadIdx.x] = s[31 - threadIdx.x];
  }
}
