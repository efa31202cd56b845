// launch: wait[1, 32](zeros(1, dtype=torch.int32))
// expect: endless: does a loop in it end

__global__ void wait(int* flag) {
  while (atomicAdd(flag, 0) == 0) {
  }
}
