// launch: compact[2, 32](arange(64, dtype=torch.float32), zeros(64), zeros(1,
// dtype=torch.int32)) expect: order: when they run from last to first

// Which element comes where depends on who is first.
__global__ void compact(const float* x, float* y, int* count) {
  float v = x[blockIdx.x * blockDim.x + threadIdx.x];
  y[atomicAdd(count, 1)] = v;
}
