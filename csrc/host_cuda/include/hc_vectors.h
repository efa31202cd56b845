// CUDA's small vectors, with CUDA's alignment: a copy of a float4 is one
// access of 16 bytes.
#pragma once
#include "hc_core.h"

#define HC_VECTORS(type, name, a1, a2, a4) \
  struct alignas(a1) name##1 {             \
    type x;                                \
  };                                       \
  struct alignas(a2) name##2 {             \
    type x, y;                             \
  };                                       \
  struct name##3 {                         \
    type x, y, z;                          \
  };                                       \
  struct alignas(a4) name##4 {             \
    type x, y, z, w;                       \
  };                                       \
  HC_VECTOR_MAKERS(type, name)

#define HC_VECTOR_MAKERS(type, name)                                 \
  constexpr name##1 make_##name##1(type x) {                         \
    return name##1 {x};                                              \
  }                                                                  \
  constexpr name##2 make_##name##2(type x, type y) {                 \
    return name##2 {x, y};                                           \
  }                                                                  \
  constexpr name##3 make_##name##3(type x, type y, type z) {         \
    return name##3 {x, y, z};                                        \
  }                                                                  \
  constexpr name##4 make_##name##4(type x, type y, type z, type w) { \
    return name##4 {x, y, z, w};                                     \
  }                                                                  \
  template <>                                                        \
  struct hc::Element<name##1> : hc::Element<type> {};                \
  template <>                                                        \
  struct hc::Element<name##2> : hc::Element<type> {};                \
  template <>                                                        \
  struct hc::Element<name##3> : hc::Element<type> {};                \
  template <>                                                        \
  struct hc::Element<name##4> : hc::Element<type> {};

HC_VECTORS(signed char, char, 1, 2, 4)
HC_VECTORS(unsigned char, uchar, 1, 2, 4)
HC_VECTORS(short, short, 2, 4, 8)
HC_VECTORS(unsigned short, ushort, 2, 4, 8)
HC_VECTORS(int, int, 4, 8, 16)
HC_VECTORS(long, long, 8, 16, 16)
HC_VECTORS(unsigned long, ulong, 8, 16, 16)
HC_VECTORS(long long, longlong, 8, 16, 16)
HC_VECTORS(unsigned long long, ulonglong, 8, 16, 16)
HC_VECTORS(float, float, 4, 8, 16)
HC_VECTORS(double, double, 8, 16, 16)

// uint3 stands in hc_core.h, for threadIdx.
struct alignas(4) uint1 {
  unsigned x;
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
HC_VECTOR_MAKERS(unsigned, uint)
#undef HC_VECTORS
#undef HC_VECTOR_MAKERS
