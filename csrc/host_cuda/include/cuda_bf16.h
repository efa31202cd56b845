// Stands in for CUDA's header of this name: nv_bfloat16 and its pair.
#pragma once
#include "hc_half.h"

HC_HALF_TYPE(
    __nv_bfloat16,
    __nv_bfloat162,
    float_to_bfloat_bits,
    bfloat_bits_to_float)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
template <>
struct hc::Element<__nv_bfloat16> {
  static constexpr const char* name = "b2";
};
template <>
struct hc::Element<__nv_bfloat162> {
  static constexpr const char* name = "b2";
};

inline __nv_bfloat16 __float2bfloat16(float f) {
  return __nv_bfloat16(f);
}
inline __nv_bfloat16 __float2bfloat16_rn(float f) {
  return __nv_bfloat16(f);
}
inline __nv_bfloat16 __double2bfloat16(double d) {
  return __nv_bfloat16(d);
}
inline float __bfloat162float(__nv_bfloat16 b) {
  return b.value();
}
inline __nv_bfloat162 __float2bfloat162_rn(float f) {
  return __nv_bfloat162(__nv_bfloat16(f), __nv_bfloat16(f));
}
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b));
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 f) {
  return __floats2bfloat162_rn(f.x, f.y);
}
inline float2 __bfloat1622float2(__nv_bfloat162 b) {
  return make_float2(b.x.value(), b.y.value());
}
inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 b) {
  return b.x;
}
inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 b) {
  return b.y;
}
inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 b) {
  return __nv_bfloat162(b, b);
}
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) {
  return __nv_bfloat162(a, b);
}
inline __nv_bfloat16 __int2bfloat16_rn(int i) {
  return __nv_bfloat16(i);
}
inline int __bfloat162int_rn(__nv_bfloat16 b) {
  return __float2int_rn(b.value());
}
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short u) {
  __nv_bfloat16 b;
  b.__x = u;
  return b;
}
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 b) {
  return b.__x;
}
