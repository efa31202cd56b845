// CUDA's qualifiers and built-in variables for the host's compiler, and the
// glue that calls a kernel with arguments from a launch.
#pragma once

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <limits>
#include <type_traits>
#include <utility>

#include "../runtime/abi.h"

#define __HOST_CUDA__ 1 // only here, never under nvcc or NVRTC
#define __CUDACC__ 1
#define __CUDA_ARCH__ 800
#define CUDART_VERSION 12000
#define CUDA_VERSION 12000
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#define __builtin_assume(condition)

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __shared__ static // what kernel_source.py did not rewrite
#define __forceinline__ inline __attribute__((always_inline))
#define __inline__ inline
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define __device_builtin__
#define HC_NOINLINE __attribute__((noinline))

// An access that the checker is not to see as the kernel's own.
#define HC_UNSEEN __attribute__((no_sanitize_thread, noinline))
// The line of the source that calls, as a default argument.
#define HC_LINE int hc_line = __builtin_LINE()

struct uint3 {
  unsigned x, y, z;
};

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)
      : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const {
    return uint3{x, y, z};
  }
};

// Constant for a thread, and so for the compiler; the scheduler sets them.
extern const uint3 threadIdx, blockIdx;
extern const dim3 blockDim, gridDim;
#ifndef HC_NO_WARP_SIZE
constexpr int warpSize = 32;
#endif

inline void __syncthreads(HC_LINE) {
  hc_barrier(hc_line);
}
inline int __syncthreads_count(int predicate, HC_LINE) {
  return hc_barrier_reduce(0, predicate, hc_line);
}
inline int __syncthreads_and(int predicate, HC_LINE) {
  return hc_barrier_reduce(1, predicate, hc_line);
}
inline int __syncthreads_or(int predicate, HC_LINE) {
  return hc_barrier_reduce(2, predicate, hc_line);
}
inline void __threadfence() {
  hc_fence();
}
inline void __threadfence_block() {
  hc_fence();
}
inline void __threadfence_system() {
  hc_fence();
}
inline void __trap(HC_LINE) {
  hc_trap("__trap()", hc_line);
}
inline void __brkpt() {}
inline void __nanosleep(unsigned) {
  hc_pause();
}
// Clocks tell nothing on a host; they only grow.
inline long long clock64() {
  static long long ticks = 0;
  return ticks += 100;
}
inline int clock() {
  return static_cast<int>(clock64());
}

template <class T>
inline T __ldg(const T* p) {
  return *p;
}
#define HC_LOAD(name)         \
  template <class T>          \
  inline T name(const T* p) { \
    return *p;                \
  }
HC_LOAD(__ldca)
HC_LOAD(__ldcg)
HC_LOAD(__ldcs)
HC_LOAD(__ldcv)
HC_LOAD(__ldlu)
#undef HC_LOAD
#define HC_STORE(name)              \
  template <class T>                \
  inline void name(T* p, T value) { \
    *p = value;                     \
  }
HC_STORE(__stwb)
HC_STORE(__stcg)
HC_STORE(__stcs)
HC_STORE(__stwt)
#undef HC_STORE

inline bool __isGlobal(const void*) {
  return true;
}

// Types of the runtime that kernels' launchers and macros name.
typedef int cudaError_t;
typedef struct CUstream_st* cudaStream_t;
constexpr cudaError_t cudaSuccess = 0;

namespace hc {

// A shared array, one for each place that declares one: `unique` is a lambda,
// whose type no other place has, not even another instance of a template.
template <class T, class Unique>
HC_UNSEEN T& shared_array(Unique, const char* name, int line) {
  static T* array =
      static_cast<T*>(hc_shared(name, sizeof(T), alignof(T), line));
  return *array;
}

template <class T, class Unique>
HC_UNSEEN T (&dynamic_shared(Unique, const char* name, int line))[] {
  static void* array = hc_dynamic_shared(name, alignof(T), line);
  return *static_cast<T(*)[]>(array);
}

// "f4" and the like: what the notebook calls the elements a pointer points to.
template <class T>
struct Element {
  static constexpr const char* name = "";
};
#define HC_ELEMENT(type, code)                \
  template <>                                 \
  struct Element<type> {                      \
    static constexpr const char* name = code; \
  };
HC_ELEMENT(float, "f4")
HC_ELEMENT(double, "f8")
HC_ELEMENT(bool, "b1")
HC_ELEMENT(char, "i1")
HC_ELEMENT(signed char, "i1")
HC_ELEMENT(unsigned char, "u1")
HC_ELEMENT(short, "i2")
HC_ELEMENT(unsigned short, "u2")
HC_ELEMENT(int, "i4")
HC_ELEMENT(unsigned, "u4")
HC_ELEMENT(long, "i8")
HC_ELEMENT(unsigned long, "u8")
HC_ELEMENT(long long, "i8")
HC_ELEMENT(unsigned long long, "u8")

template <class T>
struct Number { // half types specialize this
  static constexpr char kind = std::is_pointer<T>::value     ? 'p'
      : std::is_integral<T>::value || std::is_enum<T>::value ? 'i'
      : std::is_floating_point<T>::value                     ? 'f'
                                                             : 's';
  static T from(const hc_value& v) {
    if constexpr (kind == 'p') {
      return reinterpret_cast<T>(v.pointer);
    } else if constexpr (kind == 'i') {
      return static_cast<T>(v.integer);
    } else if constexpr (kind == 'f') {
      return static_cast<T>(v.real);
    } else {
      return T();
    }
  }
};

template <class T>
constexpr hc_parameter parameter() {
  using Plain = std::remove_cv_t<T>;
  using To =
      std::remove_cv_t<std::remove_all_extents_t<std::remove_pointer_t<Plain>>>;
  return {
      Number<Plain>::kind,
      sizeof(Plain),
      std::is_pointer<Plain>::value ? Element<To>::name : ""};
}

template <class... P>
int describe(void (*)(P...), const hc_parameter** out) {
  static const hc_parameter all[] = {parameter<P>()..., hc_parameter{}};
  *out = all;
  return sizeof...(P);
}

template <class... P, size_t... I>
inline void call(void (*kernel)(P...), hc_value* v, std::index_sequence<I...>) {
  (void)v;
  kernel(Number<std::remove_cv_t<P>>::from(v[I])...);
}

template <class... P>
inline void call(void (*kernel)(P...), hc_value* v) {
  call(kernel, v, std::index_sequence_for<P...>());
}

} // namespace hc

// A variable of the device, for the notebook to set before a launch.
#define HC_SYMBOL(name, ...)                         \
  extern "C" void* hc_symbol_##name(size_t* bytes) { \
    *bytes = sizeof(__VA_ARGS__);                    \
    return (void*)&__VA_ARGS__;                      \
  }

#define HC_KERNEL(number, ...)                                    \
  extern "C" void hc_call_##number(hc_value* v) {                 \
    hc::call(&__VA_ARGS__, v);                                    \
  }                                                               \
  extern "C" int hc_describe_##number(const hc_parameter** out) { \
    return hc::describe(&__VA_ARGS__, out);                       \
  }
