// Maps the caller's arrays and the shared memory; see memory.h.
#include "memory.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

#include "grid.h"

namespace hc {

std::vector<Segment> segments;
char* slots = nullptr;
uint64_t slot_bytes = 0;
std::vector<SharedArray> shared_arrays;
char* shared_arena = nullptr;
int shared_grain = 4;
Cell* shared_cells = nullptr;
uint64_t dynamic_shared_bytes = 0;

namespace {

constexpr uint64_t kPage = 64 * 1024; // a multiple of every page size in use
uint64_t shared_used = kSharedGap;
uint64_t static_bytes = 0;

char* reserve(uint64_t bytes) {
  void* p = mmap(
      nullptr,
      bytes,
      PROT_READ | PROT_WRITE,
      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
      -1,
      0);
  if (p == MAP_FAILED) {
    perror("host_cuda: no address space for the arrays");
    exit(4);
  }
  return static_cast<char*>(p);
}

void fill(const SharedArray& a) {
  uint32_t pattern = launch.reverse ? 0xce6eeb28u : 0x4e6e6b28u;
  char* p = shared_arena + a.offset;
  for (uint64_t i = 0; i < a.bytes; i++) {
    p[i] = reinterpret_cast<char*>(&pattern)[i % 4];
  }
}

} // namespace

void map_segments(
    int file,
    const std::vector<uint64_t>& file_offsets,
    const std::vector<uint64_t>& skews) {
  uint64_t most = 1 << 20;
  for (const Segment& s : segments) {
    most = std::max(most, s.bytes + 2 * kPage);
  }
  slot_bytes = 1;
  while (slot_bytes < 4 * most) {
    slot_bytes *= 2;
  }
  slots = reserve(slot_bytes * std::max<size_t>(segments.size(), 1));
  for (size_t i = 0; i < segments.size(); i++) {
    Segment& s = segments[i];
    char* middle = slots + i * slot_bytes + slot_bytes / 4;
    uint64_t length = (skews[i] + s.bytes + kPage - 1) / kPage * kPage;
    if (length == 0) {
      length = kPage;
    }
    void* p = mmap(
        middle,
        length,
        PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_FIXED,
        file,
        static_cast<off_t>(file_offsets[i]));
    if (p == MAP_FAILED) {
      perror("host_cuda: the arrays cannot be mapped");
      exit(4);
    }
    s.data = middle + skews[i];
  }
}

void map_shared() {
  shared_arena = reserve(kSharedArena);
}

void fill_shared() {
  for (const SharedArray& a : shared_arrays) {
    fill(a);
  }
}

} // namespace hc

using namespace hc;

extern "C" void* hc_shared(
    const char* name,
    size_t size,
    size_t align,
    int line) {
  uint64_t start = (shared_used + 255) / 256 * 256;
  (void)align;
  static_bytes += size;
  if (static_bytes > kStaticSharedLimit ||
      start + size + kSharedGap > kSharedArena) {
    Finding f = here("shared_limit", line);
    f.mask = static_bytes;
    report(f);
    finish("refused");
  }
  shared_arrays.push_back({name, start, size});
  shared_used = start + size + kSharedGap;
  fill(shared_arrays.back());
  return shared_arena + start;
}

extern "C" void* hc_dynamic_shared(const char* name, size_t align, int line) {
  static uint64_t start = 0;
  (void)align;
  (void)line;
  if (!start) {
    start = (shared_used + 255) / 256 * 256;
    shared_arrays.push_back({name, start, dynamic_shared_bytes});
    shared_used = start + dynamic_shared_bytes + kSharedGap;
    fill(shared_arrays.back());
  }
  return shared_arena + start;
}
