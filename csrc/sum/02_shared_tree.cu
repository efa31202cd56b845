// Step 2: a block adds up in shared memory, then adds once to the total.
//
// The idea: a tree of half the threads, a quarter, an eighth; 256 elements cost
// one atomic addition instead of 256. Blocks of 256 threads.
// What is slow: most threads idle in the tree, and a barrier stands at each
// level.
extern "C" __global__ void sum_shared_tree(
    const float* x,
    float* total,
    long long n) {
  __shared__ float part[256];
  const int t = threadIdx.x;
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + t;
  part[t] = i < n ? x[i] : 0.0f;
  __syncthreads(); // every element is in place before others read it
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) {
      part[t] += part[t + half];
    }
    __syncthreads(); // this level is complete before the next reads it
  }
  if (t == 0) {
    atomicAdd(total, part[0]);
  }
}
