// launch: spin[1, 32](zeros(32))
// expect: endless: does a loop in it end

__global__ void spin(float* y) {
  for (int i = 0; i < 10; i += 0)
    y[threadIdx.x] += 1;
}
