// launch: smooth[1, 64](randn(64))
// expect: race: x[

__global__ void smooth(float* x) {
  int i = threadIdx.x;
  if (i > 0 && i < 63)
    x[i] = (x[i - 1] + x[i] + x[i + 1]) / 3;
}
