// launch: maximum[3, 64](randn(1000), full((1,), -1e30), 1000)
// equals: y == x.max().view(1)

// CUDA has no atomicMax for float: compare and swap until it holds.
__device__ float atomic_max(float* address, float v) {
  int* bits = (int*)address;
  int old = *bits, assumed;
  do {
    assumed = old;
    old = atomicCAS(
        bits, assumed, __float_as_int(fmaxf(v, __int_as_float(assumed))));
  } while (assumed != old);
  return __int_as_float(old);
}

__global__ void maximum(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x) {
    atomic_max(y, x[i]);
  }
}
