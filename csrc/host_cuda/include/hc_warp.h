// Warp shuffles, votes, matches and reductions. Each names its line, so that a
// lane that never comes can be reported.
#pragma once
#include "hc_math.h"

namespace hc {

template <class T>
inline T through_warp(
    int op,
    const char* what,
    unsigned mask,
    T value,
    int argument,
    int width,
    int line) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  bits = hc_warp(op, what, mask, bits, argument, width, line);
  memcpy(&value, &bits, sizeof(T));
  return value;
}

} // namespace hc

#define HC_SHUFFLE(name, op)                                                 \
  template <class T>                                                         \
  inline T name(unsigned mask, T value, int lane, int width = 32, HC_LINE) { \
    return hc::through_warp(op, #name, mask, value, lane, width, hc_line);   \
  }
HC_SHUFFLE(__shfl_sync, HC_SHFL)
HC_SHUFFLE(__shfl_up_sync, HC_SHFL_UP)
HC_SHUFFLE(__shfl_down_sync, HC_SHFL_DOWN)
HC_SHUFFLE(__shfl_xor_sync, HC_SHFL_XOR)
#undef HC_SHUFFLE

inline void __syncwarp(unsigned mask = 0xffffffffu, HC_LINE) {
  hc_warp(HC_SYNCWARP, "__syncwarp", mask, 0, 0, 32, hc_line);
}
inline unsigned __activemask(HC_LINE) {
  return static_cast<unsigned>(
      hc_warp(HC_ACTIVE, "__activemask", 0, 0, 0, 32, hc_line));
}
inline unsigned __ballot_sync(unsigned mask, int predicate, HC_LINE) {
  return static_cast<unsigned>(hc_warp(
      HC_BALLOT, "__ballot_sync", mask, predicate != 0, 0, 32, hc_line));
}
inline int __any_sync(unsigned mask, int predicate, HC_LINE) {
  return hc_warp(
             HC_BALLOT, "__any_sync", mask, predicate != 0, 0, 32, hc_line) !=
      0;
}
inline int __all_sync(unsigned mask, int predicate, HC_LINE) {
  return hc_warp(
             HC_BALLOT, "__all_sync", mask, predicate == 0, 0, 32, hc_line) ==
      0;
}
template <class T>
inline unsigned __match_any_sync(unsigned mask, T value, HC_LINE) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  return static_cast<unsigned>(
      hc_warp(HC_MATCH_ANY, "__match_any_sync", mask, bits, 0, 32, hc_line));
}
template <class T>
inline unsigned __match_all_sync(unsigned mask, T value, int* all, HC_LINE) {
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  auto r = static_cast<unsigned>(
      hc_warp(HC_MATCH_ALL, "__match_all_sync", mask, bits, 0, 32, hc_line));
  *all = r != 0;
  return r;
}

#define HC_REDUCE(name, type, op)                                    \
  inline type name(unsigned mask, type value, HC_LINE) {             \
    return hc::through_warp(op, #name, mask, value, 0, 32, hc_line); \
  }
HC_REDUCE(__reduce_add_sync, unsigned, HC_REDUCE_ADD)
HC_REDUCE(__reduce_add_sync, int, HC_REDUCE_ADD)
HC_REDUCE(__reduce_min_sync, unsigned, HC_REDUCE_MIN)
HC_REDUCE(__reduce_min_sync, int, HC_REDUCE_MIN_SIGNED)
HC_REDUCE(__reduce_max_sync, unsigned, HC_REDUCE_MAX)
HC_REDUCE(__reduce_max_sync, int, HC_REDUCE_MAX_SIGNED)
HC_REDUCE(__reduce_and_sync, unsigned, HC_REDUCE_AND)
HC_REDUCE(__reduce_or_sync, unsigned, HC_REDUCE_OR)
HC_REDUCE(__reduce_xor_sync, unsigned, HC_REDUCE_XOR)
#undef HC_REDUCE
