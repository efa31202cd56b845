// launch: divide[1, 8](zeros(8, dtype=torch.int32), 0)
// expect: crash: divided an integer by zero

__global__ void divide(int* y, int n) {
  y[threadIdx.x] = 100 / n;
}
