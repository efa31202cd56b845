// launch: count[1, 64](zeros(1, dtype=torch.int32))
// expect: race: y[0]

__global__ void count(int* y) {
  if (threadIdx.x == 32)
    *y = 5;
  atomicAdd(y, 1);
}
