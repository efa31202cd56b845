// The memory that a kernel may touch: the caller's arrays and the block's
// shared memory, each with room around it, so that an access beyond the end
// is seen, named and harmless.
#pragma once
#include <cstdint>
#include <vector>

namespace hc {

struct Cell; // checker.cpp: who touched these bytes last

struct Array {
  int number = 0; // of the argument; arrays that overlap share a segment
  uint64_t offset = 0; // of its first byte in the segment
  uint64_t bytes = 0;
};

// A piece of the caller's memory, mapped in the middle of a slot.
struct Segment {
  char* data = nullptr;
  uint64_t bytes = 0;
  int grain = 4; // bytes to a cell
  Cell* cells = nullptr;
  std::vector<Array> arrays;
};

struct SharedArray {
  const char* name = ""; // a literal in the kernel's library
  uint64_t offset = 0; // in the shared arena
  uint64_t bytes = 0;
};

extern std::vector<Segment> segments;
extern char* slots; // segment i lives in slot i
extern uint64_t slot_bytes;
extern std::vector<SharedArray> shared_arrays;
extern char* shared_arena;
constexpr uint64_t kSharedArena = 16ull << 20;
constexpr uint64_t kSharedGap = 64 * 1024; // between two shared arrays
constexpr uint64_t kStaticSharedLimit = 48 * 1024;
extern int shared_grain;
extern Cell* shared_cells;
extern uint64_t dynamic_shared_bytes;

// Maps `bytes` of the file at `file_offset` (a multiple of the page size);
// the data begins `skew` bytes into that page.
void map_segments(
    int file,
    const std::vector<uint64_t>& file_offsets,
    const std::vector<uint64_t>& skews);
void map_shared();
void fill_shared(); // with a pattern that stands for "never written"

} // namespace hc
