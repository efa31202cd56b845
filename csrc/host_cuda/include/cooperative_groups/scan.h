// Stands in for CUDA's header of this name: prefix sums within a tile.
#pragma once
#include "reduce.h"

namespace cooperative_groups {

template <unsigned Size, class Parent, class T, class Op = plus<T>>
T inclusive_scan(
    const thread_block_tile<Size, Parent>& tile,
    T value,
    Op op = Op(),
    HC_LINE) {
  for (unsigned d = 1; d < Size; d *= 2) {
    T before = tile.shfl_up(value, d, hc_line);
    value = tile.thread_rank() >= d ? op(before, value) : value;
  }
  return value;
}
template <unsigned Size, class Parent, class T, class Op = plus<T>>
T exclusive_scan(
    const thread_block_tile<Size, Parent>& tile,
    T value,
    Op op = Op(),
    HC_LINE) {
  T all = inclusive_scan(tile, value, op, hc_line);
  T before = tile.shfl_up(all, 1, hc_line);
  return tile.thread_rank() == 0 ? T() : before;
}

} // namespace cooperative_groups
