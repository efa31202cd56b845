// Stands in for CUDA's header of this name: a reduction within a tile.
#pragma once
#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class T>
struct plus {
  T operator()(T a, T b) const {
    return a + b;
  }
};
template <class T>
struct less {
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
template <class T>
struct greater {
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
template <class T>
struct bit_and {
  T operator()(T a, T b) const {
    return a & b;
  }
};
template <class T>
struct bit_or {
  T operator()(T a, T b) const {
    return a | b;
  }
};
template <class T>
struct bit_xor {
  T operator()(T a, T b) const {
    return a ^ b;
  }
};

template <unsigned Size, class Parent, class T, class Op>
T reduce(const thread_block_tile<Size, Parent>& tile, T value, Op op, HC_LINE) {
  for (unsigned m = Size / 2; m > 0; m /= 2) {
    value = op(value, tile.shfl_xor(value, m, hc_line));
  }
  return value;
}
template <class T, class Op>
T reduce(const coalesced_group& group, T value, Op op, HC_LINE) {
  T result = group.shfl(value, 0, hc_line);
  for (unsigned i = 1; i < group.size(); i++) {
    result = op(result, group.shfl(value, static_cast<int>(i), hc_line));
  }
  return result;
}

} // namespace cooperative_groups
