// ReLU and its gradient for float, double, half and bfloat16.
//
// Who does what: each thread moves one vector of 16 bytes (4 floats, 8 halves),
// in blocks of 128 threads; one thread more takes the elements left at the end.
// Pointers that are not 16-byte aligned (a view can start anywhere) take the
// same kernel with vectors of one element.
//
// What is still slow: nothing that a kernel could mend. Each element is read
// once and written once, so the speed is that of the memory; small tensors cost
// a launch.
#include "relu.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace course {
namespace {

constexpr int kThreads = 128;
constexpr int kVectorBytes = 16;

// Aligned, so that one load or store moves the whole vector.
template <typename T, int N>
struct alignas(sizeof(T) * N) Vector {
  T at[N];
};

__device__ float value(float v) {
  return v;
}
__device__ double value(double v) {
  return v;
}
__device__ float value(__half v) {
  return __half2float(v);
}
__device__ float value(__nv_bfloat16 v) {
  return __bfloat162float(v);
}

template <typename T>
__device__ T zero() {
  return T(0);
}
template <>
__device__ __half zero() {
  return __ushort_as_half(0);
}
template <>
__device__ __nv_bfloat16 zero() {
  return __ushort_as_bfloat16(0);
}

// Both compare, and NaN compares false: it goes through unchanged, where
// fmaxf(v, 0) would turn it into 0.
struct Forward {
  template <typename T>
  __device__ T operator()(T x) const {
    return value(x) < 0 ? zero<T>() : x;
  }
};

struct Backward {
  template <typename T>
  __device__ T operator()(T grad, T y) const {
    return value(y) <= 0 ? zero<T>() : grad;
  }
};

// a, out: (n,) T. Thread i maps vector i; thread n / N the last n % N elements.
template <typename T, int N, typename Op>
__global__ void __launch_bounds__(kThreads)
    map_one(const T* __restrict__ a, T* __restrict__ out, int64_t n, Op op) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const int64_t whole = n / N;
  if (i < whole) {
    Vector<T, N> v = reinterpret_cast<const Vector<T, N>*>(a)[i];
#pragma unroll
    for (int k = 0; k < N; ++k) {
      v.at[k] = op(v.at[k]);
    }
    reinterpret_cast<Vector<T, N>*>(out)[i] = v;
  } else if (i == whole) {
    for (int64_t k = whole * N; k < n; ++k) {
      out[k] = op(a[k]);
    }
  }
}

// a, b, out: (n,) T. As map_one, for a function of two arguments.
template <typename T, int N, typename Op>
__global__ void __launch_bounds__(kThreads) map_two(
    const T* __restrict__ a,
    const T* __restrict__ b,
    T* __restrict__ out,
    int64_t n,
    Op op) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const int64_t whole = n / N;
  if (i < whole) {
    Vector<T, N> v = reinterpret_cast<const Vector<T, N>*>(a)[i];
    const Vector<T, N> w = reinterpret_cast<const Vector<T, N>*>(b)[i];
#pragma unroll
    for (int k = 0; k < N; ++k) {
      v.at[k] = op(v.at[k], w.at[k]);
    }
    reinterpret_cast<Vector<T, N>*>(out)[i] = v;
  } else if (i == whole) {
    for (int64_t k = whole * N; k < n; ++k) {
      out[k] = op(a[k], b[k]);
    }
  }
}

bool aligned(const void* p) {
  return reinterpret_cast<uintptr_t>(p) % kVectorBytes == 0;
}

// Threads for n / width vectors, and one for what is left over.
unsigned blocks(int64_t n, int64_t width) {
  const int64_t threads = n / width + (n % width != 0);
  return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}

template <typename T>
void relu(const void* x, void* y, int64_t n, cudaStream_t stream) {
  constexpr int kWidth = kVectorBytes / sizeof(T);
  const T* in = static_cast<const T*>(x);
  T* out = static_cast<T*>(y);
  if (aligned(x) && aligned(y)) {
    map_one<T, kWidth>
        <<<blocks(n, kWidth), kThreads, 0, stream>>>(in, out, n, Forward());
  } else {
    map_one<T, 1><<<blocks(n, 1), kThreads, 0, stream>>>(in, out, n, Forward());
  }
}

template <typename T>
void relu_backward(
    const void* grad,
    const void* y,
    void* grad_x,
    int64_t n,
    cudaStream_t stream) {
  constexpr int kWidth = kVectorBytes / sizeof(T);
  const T* g = static_cast<const T*>(grad);
  const T* saved = static_cast<const T*>(y);
  T* out = static_cast<T*>(grad_x);
  if (aligned(grad) && aligned(y) && aligned(grad_x)) {
    map_two<T, kWidth><<<blocks(n, kWidth), kThreads, 0, stream>>>(
        g, saved, out, n, Backward());
  } else {
    map_two<T, 1>
        <<<blocks(n, 1), kThreads, 0, stream>>>(g, saved, out, n, Backward());
  }
}

} // namespace

cudaError_t launch_relu(
    const void* x,
    void* y,
    int64_t n,
    Dtype dtype,
    cudaStream_t stream) {
  if (n == 0) {
    return cudaSuccess; // a grid of 0 blocks is refused by the runtime
  }
  switch (dtype) {
    case Dtype::kFloat:
      relu<float>(x, y, n, stream);
      break;
    case Dtype::kDouble:
      relu<double>(x, y, n, stream);
      break;
    case Dtype::kHalf:
      relu<__half>(x, y, n, stream);
      break;
    case Dtype::kBFloat16:
      relu<__nv_bfloat16>(x, y, n, stream);
      break;
  }
  return cudaGetLastError();
}

cudaError_t launch_relu_backward(
    const void* grad,
    const void* y,
    void* grad_x,
    int64_t n,
    Dtype dtype,
    cudaStream_t stream) {
  if (n == 0) {
    return cudaSuccess;
  }
  switch (dtype) {
    case Dtype::kFloat:
      relu_backward<float>(grad, y, grad_x, n, stream);
      break;
    case Dtype::kDouble:
      relu_backward<double>(grad, y, grad_x, n, stream);
      break;
    case Dtype::kHalf:
      relu_backward<__half>(grad, y, grad_x, n, stream);
      break;
    case Dtype::kBFloat16:
      relu_backward<__nv_bfloat16>(grad, y, grad_x, n, stream);
      break;
  }
  return cudaGetLastError();
}

} // namespace course
