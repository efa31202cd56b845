// Step 3: each thread sums many elements first, and warps add by shuffles.
//
// The idea: a grid-stride loop leaves one value a thread; 32 lanes add theirs
// through registers without a barrier, and only one value a warp goes through
// shared memory. Blocks of at most 1024 threads.
// What is slow: 4 bytes a load.
__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset /= 2) {
    v += __shfl_down_sync(0xffffffffu, v, offset);
  }
  return v; // right in lane 0
}

extern "C" __global__ void sum_warp_shuffle(
    const float* x,
    float* total,
    long long n) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  float v = 0.0f;
  for (long long i =
           static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < n;
       i += step) {
    v += x[i];
  }
  v = warp_sum(v);
  __shared__ float part[32];
  if (lane == 0) {
    part[warp] = v;
  }
  __syncthreads(); // all warps have written their part
  if (warp == 0) {
    v = lane < blockDim.x / 32 ? part[lane] : 0.0f;
    v = warp_sum(v);
    if (lane == 0) {
      atomicAdd(total, v);
    }
  }
}
