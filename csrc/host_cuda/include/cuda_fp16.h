// Stands in for CUDA's header of this name: half and half2.
#pragma once
#include "hc_half.h"

HC_HALF_TYPE(__half, __half2, float_to_half_bits, half_bits_to_float)
typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
template <>
struct hc::Element<__half> {
  static constexpr const char* name = "f2";
};
template <>
struct hc::Element<__half2> {
  static constexpr const char* name = "f2";
};

inline __half __float2half(float f) {
  return __half(f);
}
inline __half __float2half_rn(float f) {
  return __half(f);
}
inline __half __double2half(double d) {
  return __half(d);
}
inline float __half2float(__half h) {
  return h.value();
}
inline __half2 __float2half2_rn(float f) {
  return __half2(__half(f), __half(f));
}
inline __half2 __floats2half2_rn(float a, float b) {
  return __half2(__half(a), __half(b));
}
inline __half2 __float22half2_rn(float2 f) {
  return __half2(__half(f.x), __half(f.y));
}
inline float2 __half22float2(__half2 h) {
  return make_float2(h.x.value(), h.y.value());
}
inline __half __low2half(__half2 h) {
  return h.x;
}
inline __half __high2half(__half2 h) {
  return h.y;
}
inline __half2 __half2half2(__half h) {
  return __half2(h, h);
}
inline __half2 __halves2half2(__half a, __half b) {
  return __half2(a, b);
}
inline __half2 make_half2(__half a, __half b) {
  return __half2(a, b);
}
inline __half2 __lows2half2(__half2 a, __half2 b) {
  return __half2(a.x, b.x);
}
inline __half2 __highs2half2(__half2 a, __half2 b) {
  return __half2(a.y, b.y);
}
inline __half2 __lowhigh2highlow(__half2 a) {
  return __half2(a.y, a.x);
}
inline __half __int2half_rn(int i) {
  return __half(i);
}
inline __half __uint2half_rn(unsigned i) {
  return __half(i);
}
inline int __half2int_rn(__half h) {
  return __float2int_rn(h.value());
}
inline int __half2int_rz(__half h) {
  return __float2int_rz(h.value());
}
inline __half __ushort_as_half(unsigned short u) {
  __half h;
  h.__x = u;
  return h;
}
inline __half __short_as_half(short s) {
  return __ushort_as_half(static_cast<unsigned short>(s));
}
inline unsigned short __half_as_ushort(__half h) {
  return h.__x;
}
inline short __half_as_short(__half h) {
  return static_cast<short>(h.__x);
}
#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
