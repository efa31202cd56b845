// launch: pair_sums[2, 64](randint(-3, 4, (256,)).bfloat16(), zeros(2,
// dtype=torch.bfloat16)) equals: y == x.view(128, 2).float().sum(0).bfloat16()

#include <cuda_bf16.h>
// Adds pairs of bfloat16 through the 32 bits that hold them.
__device__ void add_pair(__nv_bfloat162* address, __nv_bfloat162 v) {
  unsigned* bits = reinterpret_cast<unsigned*>(address);
  __nv_bfloat162 now = __ldcg(address);
  unsigned seen = *reinterpret_cast<unsigned*>(&now);
  while (true) {
    __nv_bfloat162 sum = *reinterpret_cast<__nv_bfloat162*>(&seen) + v;
    unsigned want = *reinterpret_cast<unsigned*>(&sum);
    unsigned old = atomicCAS(bits, seen, want);
    if (old == seen) {
      return;
    }
    seen = old;
  }
}

__global__ void pair_sums(const __nv_bfloat16* x, __nv_bfloat16* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __nv_bfloat162 v = reinterpret_cast<const __nv_bfloat162*>(x)[i];
  add_pair(reinterpret_cast<__nv_bfloat162*>(y), v);
}
