// launch: half[1, 8](zeros(8), 7)
// expect: assert: `n % 2 == 0`

#include <assert.h>
__global__ void half(float* y, int n) {
  assert(n % 2 == 0);
  y[threadIdx.x] = n / 2;
}
