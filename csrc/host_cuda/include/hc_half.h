// What cuda_fp16.h and cuda_bf16.h have in common: a number of 16 bits that
// computes in float and rounds after every step. For + - * / that is the
// correctly rounded result, as on a GPU.
#pragma once
#include "hc_atomics.h"

namespace hc {

inline uint16_t float_to_half_bits(float f) {
  uint32_t x = bits<uint32_t>(f);
  uint32_t sign = x >> 16 & 0x8000;
  x &= 0x7fffffff;
  if (x > 0x7f800000) {
    return static_cast<uint16_t>(0x7fff); // as __float2half gives
  }
  if (x >= 0x477ff000) {
    return static_cast<uint16_t>(sign | 0x7c00);
  }
  if (x < 0x38800000) { // subnormal: let float addition round
    float shifted = bits<float>(x) + 0.5f;
    return static_cast<uint16_t>(sign | (bits<uint32_t>(shifted) - 0x3f000000));
  }
  uint32_t odd = x >> 13 & 1;
  x += 0xc8000fff + odd;
  return static_cast<uint16_t>(sign | x >> 13);
}

inline float half_bits_to_float(uint16_t h) {
  uint32_t sign = static_cast<uint32_t>(h & 0x8000) << 16;
  uint32_t exponent = h >> 10 & 31, fraction = h & 0x3ff;
  if (exponent == 31) {
    return bits<float>(sign | 0x7f800000 | fraction << 13);
  }
  if (exponent == 0) {
    float f = static_cast<float>(fraction) * 0x1p-24f;
    return bits<float>(sign | bits<uint32_t>(f));
  }
  return bits<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

inline uint16_t float_to_bfloat_bits(float f) {
  uint32_t x = bits<uint32_t>(f);
  if ((x & 0x7fffffff) > 0x7f800000) {
    return 0x7fff;
  }
  return static_cast<uint16_t>((x + 0x7fff + (x >> 16 & 1)) >> 16);
}

inline float bfloat_bits_to_float(uint16_t b) {
  return bits<float>(static_cast<uint32_t>(b) << 16);
}

} // namespace hc

// The type, its pair, and the functions that have the same name for both.
#define HC_HALF_TYPE(H, H2, to_bits, from_bits)                     \
  struct alignas(2) H {                                             \
    unsigned short __x;                                             \
    H() = default;                                                  \
    H(float f) : __x(hc::to_bits(f)) {}                             \
    H(double f) : __x(hc::to_bits(static_cast<float>(f))) {}        \
    H(int i) : __x(hc::to_bits(static_cast<float>(i))) {}           \
    H(unsigned i) : __x(hc::to_bits(static_cast<float>(i))) {}      \
    H(long i) : __x(hc::to_bits(static_cast<float>(i))) {}          \
    H(unsigned long i) : __x(hc::to_bits(static_cast<float>(i))) {} \
    H(long long i) : __x(hc::to_bits(static_cast<float>(i))) {}     \
    operator float() const {                                        \
      return hc::from_bits(__x);                                    \
    }                                                               \
    float value() const {                                           \
      return hc::from_bits(__x);                                    \
    }                                                               \
  };                                                                \
  struct alignas(4) H2 {                                            \
    H x, y;                                                         \
    H2() = default;                                                 \
    H2(H a, H b) : x(a), y(b) {}                                    \
  };                                                                \
  template <>                                                       \
  struct hc::Number<H> {                                            \
    static constexpr char kind = 'f';                               \
    static H from(const hc_value& v) {                              \
      return H(static_cast<float>(v.real));                         \
    }                                                               \
  };                                                                \
  HC_HALF_OPERATOR(H, H2, +, __hadd, __hadd2)                       \
  HC_HALF_OPERATOR(H, H2, -, __hsub, __hsub2)                       \
  HC_HALF_OPERATOR(H, H2, *, __hmul, __hmul2)                       \
  HC_HALF_OPERATOR(H, H2, /, __hdiv, __h2div)                       \
  inline H operator-(H a) {                                         \
    return H(-a.value());                                           \
  }                                                                 \
  inline H operator+(H a) {                                         \
    return a;                                                       \
  }                                                                 \
  inline H2 operator-(H2 a) {                                       \
    return H2(-a.x, -a.y);                                          \
  }                                                                 \
  inline H& operator++(H& a) {                                      \
    return a = a + H(1.0f);                                         \
  }                                                                 \
  HC_HALF_COMPARE(H, ==, __heq)                                     \
  HC_HALF_COMPARE(H, !=, __hne)                                     \
  HC_HALF_COMPARE(H, <, __hlt)                                      \
  HC_HALF_COMPARE(H, <=, __hle)                                     \
  HC_HALF_COMPARE(H, >, __hgt)                                      \
  HC_HALF_COMPARE(H, >=, __hge)                                     \
  inline H __hfma(H a, H b, H c) { /* exact product in double */    \
    return H(static_cast<float>(                                    \
        static_cast<double>(a.value()) * b.value() + c.value()));   \
  }                                                                 \
  inline H2 __hfma2(H2 a, H2 b, H2 c) {                             \
    return H2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));        \
  }                                                                 \
  inline H __hneg(H a) {                                            \
    return -a;                                                      \
  }                                                                 \
  inline H2 __hneg2(H2 a) {                                         \
    return -a;                                                      \
  }                                                                 \
  inline H __habs(H a) {                                            \
    return H(fabsf(a.value()));                                     \
  }                                                                 \
  inline H2 __habs2(H2 a) {                                         \
    return H2(__habs(a.x), __habs(a.y));                            \
  }                                                                 \
  inline bool __hisnan(H a) {                                       \
    return a.value() != a.value();                                  \
  }                                                                 \
  inline int __hisinf(H a) {                                        \
    float f = a.value();                                            \
    return f == INFINITY ? 1 : f == -INFINITY ? -1 : 0;             \
  }                                                                 \
  HC_HALF_TWO(H, H2, __hmax, __hmax2, fmaxf(a.value(), b.value()))  \
  HC_HALF_TWO(H, H2, __hmin, __hmin2, fminf(a.value(), b.value()))  \
  HC_HALF_ONE(H, H2, hexp, h2exp, expf(a.value()))                  \
  HC_HALF_ONE(H, H2, hexp2, h2exp2, exp2f(a.value()))               \
  HC_HALF_ONE(H, H2, hlog, h2log, logf(a.value()))                  \
  HC_HALF_ONE(H, H2, hlog2, h2log2, log2f(a.value()))               \
  HC_HALF_ONE(H, H2, hsqrt, h2sqrt, sqrtf(a.value()))               \
  HC_HALF_ONE(H, H2, hrsqrt, h2rsqrt, 1.0f / sqrtf(a.value()))      \
  HC_HALF_ONE(H, H2, hrcp, h2rcp, 1.0f / a.value())                 \
  HC_HALF_ONE(H, H2, hsin, h2sin, sinf(a.value()))                  \
  HC_HALF_ONE(H, H2, hcos, h2cos, cosf(a.value()))                  \
  HC_HALF_ONE(H, H2, htanh, h2tanh, tanhf(a.value()))               \
  HC_HALF_ONE(H, H2, hfloor, h2floor, floorf(a.value()))            \
  HC_HALF_ONE(H, H2, hceil, h2ceil, ceilf(a.value()))               \
  HC_HALF_ONE(H, H2, htrunc, h2trunc, truncf(a.value()))            \
  HC_HALF_ONE(H, H2, hrint, h2rint, rintf(a.value()))               \
  inline float __low2float(H2 a) {                                  \
    return a.x.value();                                             \
  }                                                                 \
  inline float __high2float(H2 a) {                                 \
    return a.y.value();                                             \
  }                                                                 \
  HC_ATOMIC(atomicAdd, H, old + v)                                  \
  HC_ATOMIC(atomicAdd, H2, old + v)

#define HC_HALF_OPERATOR(H, H2, sign, name, name2) \
  inline H operator sign(H a, H b) {               \
    return H(a.value() sign b.value());            \
  }                                                \
  inline H& operator sign##=(H& a, H b) {          \
    return a = a sign b;                           \
  }                                                \
  inline H2 operator sign(H2 a, H2 b) {            \
    return H2(a.x sign b.x, a.y sign b.y);         \
  }                                                \
  inline H2& operator sign##=(H2& a, H2 b) {       \
    return a = a sign b;                           \
  }                                                \
  inline H name(H a, H b) {                        \
    return a sign b;                               \
  }                                                \
  inline H2 name2(H2 a, H2 b) {                    \
    return a sign b;                               \
  }
#define HC_HALF_COMPARE(H, sign, name)  \
  inline bool operator sign(H a, H b) { \
    return a.value() sign b.value();    \
  }                                     \
  inline bool name(H a, H b) {          \
    return a.value() sign b.value();    \
  }
#define HC_HALF_ONE(H, H2, name, name2, expression) \
  inline H name(H a) {                              \
    return H(expression);                           \
  }                                                 \
  inline H2 name2(H2 a) {                           \
    return H2(name(a.x), name(a.y));                \
  }
#define HC_HALF_TWO(H, H2, name, name2, expression) \
  inline H name(H a, H b) {                         \
    return H(expression);                           \
  }                                                 \
  inline H2 name2(H2 a, H2 b) {                     \
    return H2(name(a.x, b.x), name(a.y, b.y));      \
  }
