// launch: axpy[2, 64](randn(100, dtype=torch.float16), randn(100,
// dtype=torch.float16), zeros(100, dtype=torch.float16), 0.5, 100) equals: y ==
// (0.5 * a.float() + b.float()).half()

#include <cuda_fp16.h>
__global__ void axpy(
    const __half* a,
    const __half* b,
    __half* y,
    __half s,
    int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = __float2half(__half2float(s) * __half2float(a[i]) + float(b[i]));
  }
}
