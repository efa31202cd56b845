// Step 2: the row is read once and stays in registers.
//
// x, y: (N, 8192) float32, contiguous, 16-byte aligned. One block of 512 threads
// per row, four float4 a thread, so the block holds the whole row. Warps reduce
// by shuffles; one value a warp goes through shared memory.
// The limit is the memory: 4 bytes read and 4 written per element.
constexpr int kThreads = 512;
constexpr int kVectors = 4; // float4 per thread
constexpr int kWarps = kThreads / 32;

__device__ float warp_max(float v) {
  for (int offset = 16; offset > 0; offset /= 2) {
    v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, offset));
  }
  return v;
}

__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset /= 2) {
    v += __shfl_xor_sync(0xffffffffu, v, offset);
  }
  return v;
}

extern "C" __global__ void __launch_bounds__(kThreads) softmax_row_in_registers(
    const float* __restrict__ x,
    float* __restrict__ y) {
  constexpr int kRow = kThreads * kVectors; // float4 in a row
  __shared__ float most_of[kWarps];
  __shared__ float sum_of[kWarps];
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const long long start = static_cast<long long>(blockIdx.x) * kRow;
  const float4* in = reinterpret_cast<const float4*>(x) + start;
  float4* out = reinterpret_cast<float4*>(y) + start;

  float4 v[kVectors];
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    v[k] = in[threadIdx.x + k * kThreads];
  }
  float most = -INFINITY;
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    most = fmaxf(most, fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w)));
  }
  most = warp_max(most);
  if (lane == 0) {
    most_of[warp] = most;
  }
  __syncthreads(); // all warps' maxima are there
  most = warp_max(most_of[lane % kWarps]);

  float total = 0.0f;
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    v[k].x = __expf(v[k].x - most);
    v[k].y = __expf(v[k].y - most);
    v[k].z = __expf(v[k].z - most);
    v[k].w = __expf(v[k].w - most);
    total += (v[k].x + v[k].y) + (v[k].z + v[k].w);
  }
  total = warp_sum(total);
  if (lane == 0) {
    sum_of[warp] = total;
  }
  __syncthreads(); // all warps' sums are there
  total = warp_sum(lane < kWarps ? sum_of[lane] : 0.0f);
  const float scale = 1.0f / total;
#pragma unroll
  for (int k = 0; k < kVectors; ++k) {
    v[k].x *= scale;
    v[k].y *= scale;
    v[k].z *= scale;
    v[k].w *= scale;
    out[threadIdx.x + k * kThreads] = v[k];
  }
}
