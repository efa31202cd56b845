// Stands in for CUDA's header of this name: the thread block, tiles of up to
// 32 threads, coalesced threads, and the grid without its barrier.
#pragma once
#include "cuda_runtime.h"

namespace cooperative_groups {

class thread_block {
 public:
  static void sync(HC_LINE) {
    hc_barrier(hc_line);
  }
  static unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  static unsigned size() {
    return blockDim.x * blockDim.y * blockDim.z;
  }
  static unsigned num_threads() {
    return size();
  }
  static dim3 group_index() {
    return blockIdx;
  }
  static dim3 thread_index() {
    return threadIdx;
  }
  static dim3 group_dim() {
    return blockDim;
  }
  static dim3 dim_threads() {
    return blockDim;
  }
};

inline thread_block this_thread_block() {
  return thread_block();
}

class grid_group {
 public:
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::size() + thread_block::thread_rank();
  }
  static unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y +
            blockIdx.y) *
        gridDim.x +
        blockIdx.x;
  }
  static unsigned long long size() {
    return num_blocks() * thread_block::size();
  }
  static unsigned long long num_threads() {
    return size();
  }
  static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static dim3 group_dim() {
    return gridDim;
  }
};

inline grid_group this_grid() {
  return grid_group();
}

// The threads of one warp that a mask names.
class coalesced_group {
 public:
  explicit coalesced_group(unsigned mask) : mask_(mask) {}
  void sync(HC_LINE) const {
    __syncwarp(mask_, hc_line);
  }
  unsigned thread_rank() const {
    return __popc(mask_ & ((1u << hc_lane()) - 1));
  }
  unsigned size() const {
    return __popc(mask_);
  }
  unsigned num_threads() const {
    return size();
  }
  template <class T>
  T shfl(T v, int rank, HC_LINE) const {
    return __shfl_sync(mask_, v, lane(rank), 32, hc_line);
  }
  template <class T>
  T shfl_down(T v, unsigned delta, HC_LINE) const {
    unsigned rank = thread_rank() + delta;
    return __shfl_sync(
        mask_, v, rank < size() ? lane(rank) : int(hc_lane()), 32, hc_line);
  }
  template <class T>
  T shfl_up(T v, unsigned delta, HC_LINE) const {
    unsigned rank = thread_rank();
    return __shfl_sync(
        mask_,
        v,
        rank >= delta ? lane(rank - delta) : int(hc_lane()),
        32,
        hc_line);
  }
  int any(int p, HC_LINE) const {
    return __any_sync(mask_, p, hc_line);
  }
  int all(int p, HC_LINE) const {
    return __all_sync(mask_, p, hc_line);
  }
  unsigned ballot(int p, HC_LINE) const {
    return packed(__ballot_sync(mask_, p, hc_line));
  }

 private:
  int lane(unsigned rank) const {
    unsigned left = mask_;
    for (unsigned i = 0; i < rank; i++) {
      left &= left - 1;
    }
    return __ffs(static_cast<int>(left)) - 1;
  }
  unsigned packed(unsigned bits) const {
    unsigned r = 0, n = 0;
    for (int i = 0; i < 32; i++) {
      if (mask_ >> i & 1) {
        r |= (bits >> i & 1) << n++;
      }
    }
    return r;
  }
  unsigned mask_;
};

inline coalesced_group coalesced_threads(HC_LINE) {
  return coalesced_group(__activemask(hc_line));
}

// A part of `size` threads (a power of two, at most 32) of a warp.
class thread_group {
 public:
  explicit thread_group(unsigned size) : size_(size) {}
  void sync(HC_LINE) const {
    __syncwarp(mask(), hc_line);
  }
  unsigned thread_rank() const {
    return hc_lane() & (size_ - 1);
  }
  unsigned size() const {
    return size_;
  }
  unsigned num_threads() const {
    return size_;
  }
  unsigned meta_group_rank() const {
    return thread_block::thread_rank() / size_;
  }
  unsigned meta_group_size() const {
    return (thread_block::size() + size_ - 1) / size_;
  }
  template <class T>
  T shfl(T v, int rank, HC_LINE) const {
    return __shfl_sync(mask(), v, rank, int(size_), hc_line);
  }
  template <class T>
  T shfl_down(T v, unsigned delta, HC_LINE) const {
    return __shfl_down_sync(mask(), v, int(delta), int(size_), hc_line);
  }
  template <class T>
  T shfl_up(T v, unsigned delta, HC_LINE) const {
    return __shfl_up_sync(mask(), v, int(delta), int(size_), hc_line);
  }
  template <class T>
  T shfl_xor(T v, unsigned m, HC_LINE) const {
    return __shfl_xor_sync(mask(), v, int(m), int(size_), hc_line);
  }
  int any(int p, HC_LINE) const {
    return __any_sync(mask(), p, hc_line);
  }
  int all(int p, HC_LINE) const {
    return __all_sync(mask(), p, hc_line);
  }
  unsigned ballot(int p, HC_LINE) const {
    return (__ballot_sync(mask(), p, hc_line) & mask()) >> first();
  }
  template <class T>
  unsigned match_any(T v, HC_LINE) const {
    return __match_any_sync(mask(), v, hc_line) >> first();
  }

 protected:
  unsigned first() const {
    return hc_lane() & ~(size_ - 1);
  }
  unsigned mask() const {
    return size_ == 32 ? 0xffffffffu : ((1u << size_) - 1) << first();
  }
  unsigned size_;
};

template <unsigned Size, class Parent = void>
class thread_block_tile : public thread_group {
 public:
  static_assert(
      Size == 1 || Size == 2 || Size == 4 || Size == 8 || Size == 16 ||
          Size == 32,
      "host_cuda: a tile has 1, 2, 4, 8, 16 or 32 threads");
  thread_block_tile() : thread_group(Size) {}
  template <class Other>
  thread_block_tile(const thread_block_tile<Size, Other>&)
      : thread_group(Size) {}
  static constexpr unsigned size() {
    return Size;
  }
  static constexpr unsigned num_threads() {
    return Size;
  }
};

template <unsigned Size, class Parent>
thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return thread_block_tile<Size, Parent>();
}
template <class Parent>
thread_group tiled_partition(const Parent&, unsigned size) {
  return thread_group(size);
}

template <class Group>
void sync(const Group& group, HC_LINE) {
  group.sync(hc_line);
}
template <class Group>
unsigned thread_rank(const Group& group) {
  return group.thread_rank();
}

} // namespace cooperative_groups
