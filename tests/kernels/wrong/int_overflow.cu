// launch: fill[1, 4](zeros(16), 1 << 30)
// expect: bounds: did an int overflow

// 3 * 2^30 does not fit an int.
__global__ void fill(float* y, int stride) {
  int i = threadIdx.x * stride;
  if (i < 16)
    y[i] = 1;
}
