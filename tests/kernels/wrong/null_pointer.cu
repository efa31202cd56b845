// launch: write[1, 4](None)
// expect: crash: used a null pointer

__global__ void write(float* y) {
  y[threadIdx.x] = 1;
}
