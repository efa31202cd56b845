// The log of all accesses, for pictures and transaction counts.
#pragma once
#include "grid.h"

namespace hc {

// What course_utils/kernel_trace.py reads, one for each access.
struct Traced {
  int64_t offset; // bytes from the array's beginning
  uint32_t block;
  Where where;
  uint16_t thread;
  int16_t array; // an argument's number, or -1 - number of the shared array
  uint8_t size;
  uint8_t flags; // 1 write, 2 atomic, 4 inside the array
  uint16_t epoch;
};
static_assert(sizeof(Traced) == 24, "kernel_trace.py reads 24 bytes");

void trace_to(int file, uint64_t most);
void trace_access(const Access& a, bool atomic, Where where, bool inside);
void trace_end();

} // namespace hc
