// launch: big[1, 32](zeros(32))
// expect: limit: 65,536 bytes of static shared

__global__ void big(float* y) {
  __shared__ float s[4][4096];
  s[0][threadIdx.x] = y[threadIdx.x];
  y[threadIdx.x] = s[0][threadIdx.x];
}
