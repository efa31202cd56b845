// launch: copy[1, 8](randn(20), zeros(8, dtype=torch.float64))
// expect: misaligned: reads 8 bytes

__global__ void copy(const float* x, double* y) {
  const char* bytes = reinterpret_cast<const char*>(x);
  y[threadIdx.x] =
      *reinterpret_cast<const double*>(bytes + 4 + 8 * threadIdx.x);
}
