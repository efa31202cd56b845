// launch: histogram[1, 64](arange(64, dtype=torch.int32), zeros(16,
// dtype=torch.int32)) expect: bounds: writes bins[16]

__global__ void histogram(const int* x, int* bins) {
  atomicAdd(&bins[x[threadIdx.x]], 1);
}
