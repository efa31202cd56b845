// Step 4: as step 3, with 16 bytes a load and four loads in flight.
//
// The idea: the memory answers late, so ask for the next vectors before the
// first has come. Four sums a thread, added at the end, also keep the
// additions from waiting for each other. x: 16-byte aligned, n: multiple of 4.
__device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset /= 2) {
    v += __shfl_down_sync(0xffffffffu, v, offset);
  }
  return v; // right in lane 0
}

__device__ float sum4(float4 v) {
  return (v.x + v.y) + (v.z + v.w);
}

extern "C" __global__ void sum_float4(
    const float* __restrict__ x,
    float* __restrict__ total,
    long long n) {
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const float4* __restrict__ x4 = reinterpret_cast<const float4*>(x);
  const long long n4 = n / 4;
  const long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
  for (; i + 3 * step < n4; i += 4 * step) {
    const float4 a = x4[i];
    const float4 b = x4[i + step];
    const float4 c = x4[i + 2 * step];
    const float4 d = x4[i + 3 * step];
    s0 += sum4(a);
    s1 += sum4(b);
    s2 += sum4(c);
    s3 += sum4(d);
  }
  for (; i < n4; i += step) {
    s0 += sum4(x4[i]);
  }
  float v = warp_sum((s0 + s1) + (s2 + s3));
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
