// launch: histogram[4, 128](randint(0, 16, (2000,), dtype=torch.int32),
// zeros(16, dtype=torch.int32), 2000) equals: bins == torch.bincount(x,
// minlength=16).int()

__global__ void histogram(const int* x, int* bins, int n) {
  __shared__ int local[16];
  if (threadIdx.x < 16)
    local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x) {
    atomicAdd(&local[x[i]], 1);
  }
  __syncthreads();
  if (threadIdx.x < 16)
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
