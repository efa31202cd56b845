// launch: wait[1, 32](zeros(1, dtype=torch.int32))
// expect: endless: in line 4
__global__ void wait(int* flag) {
  while (atomicAdd(flag, 0) == 0) {
  }
}
