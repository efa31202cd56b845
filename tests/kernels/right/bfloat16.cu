// launch: scale[2, 64](randn(100, dtype=torch.bfloat16), zeros(100,
// dtype=torch.bfloat16), 100) equals: y == (x * 3).relu()

#include <cuda_bf16.h>
__global__ void scale(const __nv_bfloat16* x, __nv_bfloat16* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    __nv_bfloat16 v = x[i] * __float2bfloat16(3.0f);
    y[i] = v < __float2bfloat16(0.0f) ? __float2bfloat16(0.0f) : v;
  }
}
