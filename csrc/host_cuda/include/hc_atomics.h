// Atomics. The fibers of a block never run at the same time, so an ordinary
// update is atomic; the runner is told, for the checker and so that a loop
// that waits for another thread lets that thread run.
#pragma once
#include "hc_warp.h"

namespace hc {

template <class T, class Update>
HC_UNSEEN T atomic(T* p, Update update, const char* what, int line) {
  hc_atomic(p, sizeof(T), what, line);
  T old = *p;
  *p = update(old);
  return old;
}

} // namespace hc

#define HC_ATOMIC(name, type, expression)            \
  HC_ATOMIC_AS(name, name, type, expression)         \
  HC_ATOMIC_AS(name##_block, name, type, expression) \
  HC_ATOMIC_AS(name##_system, name, type, expression)
#define HC_ATOMIC_AS(as, name, type, expression)                          \
  inline type as(type* p, type v, HC_LINE) {                              \
    return hc::atomic(                                                    \
        p, [v](type old) -> type { return expression; }, #name, hc_line); \
  }
#define HC_ATOMIC_CAS(as, type)                             \
  inline type as(type* p, type compare, type v, HC_LINE) {  \
    return hc::atomic(                                      \
        p,                                                  \
        [=](type old) { return old == compare ? v : old; }, \
        "atomicCAS",                                        \
        hc_line);                                           \
  }
typedef unsigned long long hc_ull;
typedef long long hc_ll;
HC_ATOMIC(atomicAdd, int, old + v)
HC_ATOMIC(atomicAdd, unsigned, old + v)
HC_ATOMIC(atomicAdd, hc_ull, old + v)
HC_ATOMIC(atomicAdd, float, old + v)
HC_ATOMIC(atomicAdd, double, old + v)
HC_ATOMIC(atomicSub, int, old - v)
HC_ATOMIC(atomicSub, unsigned, old - v)
HC_ATOMIC(atomicExch, int, (void(old), v))
HC_ATOMIC(atomicExch, unsigned, (void(old), v))
HC_ATOMIC(atomicExch, hc_ull, (void(old), v))
HC_ATOMIC(atomicExch, float, (void(old), v))
HC_ATOMIC(atomicMin, int, old < v ? old : v)
HC_ATOMIC(atomicMin, unsigned, old < v ? old : v)
HC_ATOMIC(atomicMin, hc_ll, old < v ? old : v)
HC_ATOMIC(atomicMin, hc_ull, old < v ? old : v)
HC_ATOMIC(atomicMax, int, old > v ? old : v)
HC_ATOMIC(atomicMax, unsigned, old > v ? old : v)
HC_ATOMIC(atomicMax, hc_ll, old > v ? old : v)
HC_ATOMIC(atomicMax, hc_ull, old > v ? old : v)
HC_ATOMIC(atomicAnd, int, old& v)
HC_ATOMIC(atomicAnd, unsigned, old& v)
HC_ATOMIC(atomicAnd, hc_ull, old& v)
HC_ATOMIC(atomicOr, int, old | v)
HC_ATOMIC(atomicOr, unsigned, old | v)
HC_ATOMIC(atomicOr, hc_ull, old | v)
HC_ATOMIC(atomicXor, int, old ^ v)
HC_ATOMIC(atomicXor, unsigned, old ^ v)
HC_ATOMIC(atomicXor, hc_ull, old ^ v)
HC_ATOMIC(atomicInc, unsigned, old >= v ? 0 : old + 1)
HC_ATOMIC(atomicDec, unsigned, old == 0 || old > v ? v : old - 1)
#define HC_CAS(type)                   \
  HC_ATOMIC_CAS(atomicCAS, type)       \
  HC_ATOMIC_CAS(atomicCAS_block, type) \
  HC_ATOMIC_CAS(atomicCAS_system, type)
HC_CAS(int)
HC_CAS(unsigned)
HC_CAS(hc_ull)
HC_CAS(unsigned short)
#undef HC_CAS
// The others that cuda_fp16.h and cuda_bf16.h add use HC_ATOMIC too.
