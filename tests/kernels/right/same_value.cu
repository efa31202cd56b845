// launch: any_negative[4, 64](randn(256), zeros(1, dtype=torch.int32))
// equals: flag == torch.ones(1).int()

// Many threads may write the flag, and all of them write 1.
__global__ void any_negative(const float* x, int* flag) {
  if (x[blockIdx.x * blockDim.x + threadIdx.x] < 0) {
    *flag = 1;
  }
}
