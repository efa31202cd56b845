// launch: write[1, 4](zeros(4))
// expect: crash: memory that is in no array

__global__ void write(float* y) {
  float* p = reinterpret_cast<float*>(0x123456789000ull);
  p[threadIdx.x] = 1;
}
