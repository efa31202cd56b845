// launch: count[2, 64](randn(128), zeros(2, dtype=torch.int32))
// expect: uninitialized: shared n

__global__ void count(const float* x, int* y) {
  __shared__ int n;
  if (x[blockIdx.x * 64 + threadIdx.x] > 0)
    atomicAdd(&n, 1);
  __syncthreads();
  if (threadIdx.x == 0)
    y[blockIdx.x] = n;
}
