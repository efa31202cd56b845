// launch: ones[2, 64](zeros(100), 100)
// expect: bounds: thread 36 of block 1 writes y[100]

__global__ void ones(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    y[i] = 1;
}
