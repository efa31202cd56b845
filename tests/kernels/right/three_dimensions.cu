// launch: index[(2, 3, 2), (4, 2, 3)](zeros(288, dtype=torch.int32))
// equals: y == torch.arange(288).int()

__global__ void index(int* y) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  int p = blockIdx.z * blockDim.z + threadIdx.z;
  int width = gridDim.x * blockDim.x;
  int height = gridDim.y * blockDim.y;
  y[(p * height + r) * width + x] = (p * height + r) * width + x;
}
