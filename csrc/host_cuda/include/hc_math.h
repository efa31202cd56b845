// CUDA's arithmetic functions. Those with a fixed rounding are exact; the fast
// ones (`__expf`) are the host's precise ones, so their last bits differ from
// a GPU's.
#pragma once
#include "hc_vectors.h"

#define HC_MIN_MAX(a, b, r)                         \
  constexpr r min(a x, b y) {                       \
    r c = static_cast<r>(x), d = static_cast<r>(y); \
    return c < d ? c : d;                           \
  }                                                 \
  constexpr r max(a x, b y) {                       \
    r c = static_cast<r>(x), d = static_cast<r>(y); \
    return c > d ? c : d;                           \
  }
HC_MIN_MAX(int, int, int)
HC_MIN_MAX(unsigned, unsigned, unsigned)
HC_MIN_MAX(int, unsigned, unsigned)
HC_MIN_MAX(unsigned, int, unsigned)
HC_MIN_MAX(long, long, long)
HC_MIN_MAX(unsigned long, unsigned long, unsigned long)
HC_MIN_MAX(long, unsigned long, unsigned long)
HC_MIN_MAX(unsigned long, long, unsigned long)
HC_MIN_MAX(long long, long long, long long)
HC_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
HC_MIN_MAX(long long, unsigned long long, unsigned long long)
HC_MIN_MAX(unsigned long long, long long, unsigned long long)
HC_MIN_MAX(int, long, long)
HC_MIN_MAX(long, int, long)
HC_MIN_MAX(int, long long, long long)
HC_MIN_MAX(long long, int, long long)
HC_MIN_MAX(int, unsigned long, unsigned long)
HC_MIN_MAX(unsigned long, int, unsigned long)
HC_MIN_MAX(unsigned, long, long)
HC_MIN_MAX(long, unsigned, long)
HC_MIN_MAX(unsigned, unsigned long, unsigned long)
HC_MIN_MAX(unsigned long, unsigned, unsigned long)
#undef HC_MIN_MAX
// Like fminf and fmaxf: where one is NaN, the other comes out.
#define HC_FLOAT_MIN_MAX(a, b, r, f) \
  inline r min(a x, b y) {           \
    return fmin##f(x, y);            \
  }                                  \
  inline r max(a x, b y) {           \
    return fmax##f(x, y);            \
  }
HC_FLOAT_MIN_MAX(float, float, float, f)
HC_FLOAT_MIN_MAX(double, double, double, )
HC_FLOAT_MIN_MAX(float, double, double, )
HC_FLOAT_MIN_MAX(double, float, double, )
#undef HC_FLOAT_MIN_MAX

#define HC_1(name, expression) \
  inline float name(float x) { \
    return expression;         \
  }
#define HC_2(name, expression)          \
  inline float name(float x, float y) { \
    return expression;                  \
  }
#define HC_1D(name, expression)  \
  inline double name(double x) { \
    return expression;           \
  }
HC_1(rsqrtf, 1.0f / sqrtf(x))
HC_1(rsqrt, 1.0f / sqrtf(x))
HC_1D(rsqrt, 1.0 / sqrt(x))
HC_1(__frsqrt_rn, float(1.0 / sqrt(double(x))))
HC_1(__expf, expf(x))
HC_1(__exp10f, powf(10.0f, x))
HC_1(__logf, logf(x))
HC_1(__log2f, log2f(x))
HC_1(__log10f, log10f(x))
HC_1(__sinf, sinf(x))
HC_1(__cosf, cosf(x))
HC_1(__tanf, tanf(x))
HC_1(__tanhf, tanhf(x))
HC_1(__saturatef, x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f)
HC_1(__frcp_rn, 1.0f / x)
HC_1(__fsqrt_rn, sqrtf(x))
HC_1(normcdff, float(0.5 * erfc(-double(x) * M_SQRT1_2)))
HC_1D(normcdf, 0.5 * erfc(-x * M_SQRT1_2))
HC_1(sinpif, float(sin(M_PI* double(x))))
HC_1(cospif, float(cos(M_PI* double(x))))
HC_1(rcbrtf, 1.0f / cbrtf(x))
HC_1(erfcxf, float(exp(double(x) * x) * erfc(double(x))))
HC_2(__powf, powf(x, y))
HC_2(__fdividef, x / y)
HC_2(fdividef, x / y)
HC_2(__fadd_rn, x + y)
HC_2(__fsub_rn, x - y)
HC_2(__fmul_rn, x* y)
HC_2(__fdiv_rn, x / y)
inline float __fmaf_rn(float x, float y, float z) {
  return fmaf(x, y, z);
}
inline double __fma_rn(double x, double y, double z) {
  return fma(x, y, z);
}
inline double __dadd_rn(double x, double y) {
  return x + y;
}
inline double __dmul_rn(double x, double y) {
  return x * y;
}
#ifndef __USE_GNU
inline float exp10f(float x) {
  return powf(10.0f, x);
}
#endif
inline void __sincosf(float x, float* s, float* c) {
  *s = sinf(x);
  *c = cosf(x);
}
inline float norm3df(float a, float b, float c) {
  return sqrtf(a * a + b * b + c * c);
}
#undef HC_1
#undef HC_2
#undef HC_1D

namespace hc {
template <class To, class From>
inline To bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "as many bits");
  To to;
  memcpy(&to, &from, sizeof(to));
  return to;
}
} // namespace hc

inline float __int_as_float(int x) {
  return hc::bits<float>(x);
}
inline float __uint_as_float(unsigned x) {
  return hc::bits<float>(x);
}
inline int __float_as_int(float x) {
  return hc::bits<int>(x);
}
inline unsigned __float_as_uint(float x) {
  return hc::bits<unsigned>(x);
}
inline long long __double_as_longlong(double x) {
  return hc::bits<long long>(x);
}
inline double __longlong_as_double(long long x) {
  return hc::bits<double>(x);
}
inline int __double2hiint(double x) {
  return static_cast<int>(hc::bits<uint64_t>(x) >> 32);
}
inline int __double2loint(double x) {
  return static_cast<int>(hc::bits<uint64_t>(x));
}
inline double __hiloint2double(int hi, int lo) {
  return hc::bits<double>(uint64_t(uint32_t(hi)) << 32 | uint32_t(lo));
}

// Conversions to integers stop at the ends of the range; NaN becomes 0.
namespace hc {
template <class To, class From>
inline To to_integer(From x) {
  if (x != x) {
    return 0;
  }
  if (x <= From(std::numeric_limits<To>::min())) {
    return std::numeric_limits<To>::min();
  }
  if (x >= From(std::numeric_limits<To>::max())) {
    return std::numeric_limits<To>::max();
  }
  return static_cast<To>(x);
}
} // namespace hc
#define HC_ROUNDINGS(prefix, to, from)       \
  inline to prefix##_rn(from x) {            \
    return hc::to_integer<to>(nearbyint(x)); \
  }                                          \
  inline to prefix##_rz(from x) {            \
    return hc::to_integer<to>(trunc(x));     \
  }                                          \
  inline to prefix##_rd(from x) {            \
    return hc::to_integer<to>(floor(x));     \
  }                                          \
  inline to prefix##_ru(from x) {            \
    return hc::to_integer<to>(ceil(x));      \
  }
HC_ROUNDINGS(__float2int, int, float)
HC_ROUNDINGS(__float2uint, unsigned, float)
HC_ROUNDINGS(__float2ll, long long, float)
HC_ROUNDINGS(__float2ull, unsigned long long, float)
HC_ROUNDINGS(__double2int, int, double)
HC_ROUNDINGS(__double2ll, long long, double)
#undef HC_ROUNDINGS
inline float __int2float_rn(int x) {
  return static_cast<float>(x);
}
inline float __uint2float_rn(unsigned x) {
  return static_cast<float>(x);
}
inline float __ll2float_rn(long long x) {
  return static_cast<float>(x);
}
inline float __ull2float_rn(unsigned long long x) {
  return static_cast<float>(x);
}
inline float __double2float_rn(double x) {
  return static_cast<float>(x);
}

inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
inline int __clz(int x) {
  return x ? __builtin_clz(static_cast<unsigned>(x)) : 32;
}
inline int __clzll(long long x) {
  return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64;
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
inline int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
inline unsigned __brev(unsigned x) {
  unsigned r = 0;
  for (int i = 0; i < 32; i++) {
    r |= (x >> i & 1) << (31 - i);
  }
  return r;
}
inline int __mul24(int x, int y) {
  return (x << 8 >> 8) * (y << 8 >> 8);
}
inline unsigned __umul24(unsigned x, unsigned y) {
  return (x & 0xffffff) * (y & 0xffffff);
}
inline int __mulhi(int x, int y) {
  return static_cast<int>(static_cast<long long>(x) * y >> 32);
}
inline unsigned __umulhi(unsigned x, unsigned y) {
  return static_cast<unsigned>(static_cast<uint64_t>(x) * y >> 32);
}
inline unsigned long long __umul64hi(
    unsigned long long x,
    unsigned long long y) {
  return static_cast<unsigned long long>(
      static_cast<unsigned __int128>(x) * y >> 64);
}
inline int __hadd(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) + y) >> 1);
}
inline unsigned __sad(int x, int y, unsigned z) {
  return z + static_cast<unsigned>(x > y ? x - y : y - x);
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned s) {
  uint64_t both = static_cast<uint64_t>(y) << 32 | x;
  unsigned r = 0;
  for (int i = 0; i < 4; i++) {
    unsigned pick = s >> (4 * i);
    unsigned byte = both >> (8 * (pick & 7)) & 0xff;
    byte = pick & 8 ? (byte & 0x80 ? 0xff : 0) : byte;
    r |= byte << (8 * i);
  }
  return r;
}
inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned s) {
  s &= 31;
  return s ? hi << s | lo >> (32 - s) : hi;
}
inline unsigned __funnelshift_r(unsigned lo, unsigned hi, unsigned s) {
  s &= 31;
  return s ? lo >> s | hi << (32 - s) : lo;
}
inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8) {
    c += static_cast<signed char>(a >> i) * static_cast<signed char>(b >> i);
  }
  return c;
}

#define CUDART_INF_F INFINITY
#define CUDART_NAN_F NAN
#define CUDART_INF HUGE_VAL
#define CUDART_PI_F 3.141592654f
