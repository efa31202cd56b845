// Sees every access of the kernel, through the hooks that -fsanitize=thread
// puts before it, and compares it with what other threads did to these bytes.
//
// Note [When two accesses are ordered]
// Two accesses by different threads to the same bytes, at least one of them a
// write, race unless something orders them: a barrier of the block between
// them; __syncwarp with both lanes in it; or an atomic on one address by both,
// the first after __threadfence. Blocks are ordered by the last only. Not
// reported: two atomics; a read beside an atomic (the compare-and-swap loop of
// the CUDA guide begins with one); and writes of the same value.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

#include "grid.h"
#include "memory.h"
#include "trace.h"

#include <sys/mman.h>

namespace hc {

struct Record {
  uint32_t block; // block_number + 1; 0: nobody
  uint16_t thread;
  uint16_t clock; // of the lane, counts the __syncwarp it has passed
  uint16_t epoch; // barriers passed
  uint8_t bytes; // which bytes of the cell
  uint8_t atomic;
  Where where;
};

struct Cell {
  Record write, read, other_read; // the last two readers that differ
};

Where last_where = 0;

namespace {

struct Clocks {
  uint16_t own[kWarp];
  uint16_t known[kWarp][kWarp]; // [a][b]: what a knows of b's clock
  bool used;
};
std::vector<Clocks> clocks;

// A place that atomics go to: who has released there, in order.
struct Sync {
  std::vector<std::pair<uint32_t, uint16_t>> released; // block + 1, thread
};
struct Acquired {
  Sync* sync;
  size_t count; // of the releases that were there
  int thread;
};
std::unordered_map<uintptr_t, Sync> syncs;
std::vector<Acquired> acquired; // by the block that runs
bool block_fenced = false;

// A write of bytes that another thread wrote: a race if the value changes. The
// hook comes before the write, and for the copy of a struct before the hook of
// its read, so the value is compared two hooks later.
struct Pending {
  int hooks = 0; // still to come; 0: not in use
  Finding finding;
  const char* address = nullptr;
  unsigned size = 0;
  char before[64];
};
Pending pending[4];
int pendings = 0;

void settle(bool all) {
  if (!pendings) {
    return;
  }
  for (Pending& p : pending) {
    if (p.hooks && (all || --p.hooks == 0)) {
      p.hooks = 0;
      pendings--;
      if (memcmp(p.before, p.address, p.size) != 0) {
        report(p.finding);
      }
    }
  }
}

void compare_later(const Finding& f, const char* address, unsigned size) {
  for (Pending& p : pending) {
    if (!p.hooks && size <= sizeof(p.before)) {
      p.hooks = 2;
      p.finding = f;
      p.address = address;
      p.size = size;
      memcpy(p.before, address, size);
      pendings++;
      return;
    }
  }
}

Cell* new_cells(uint64_t count) {
  void* p = mmap(
      nullptr,
      std::max<uint64_t>(count, 1) * sizeof(Cell),
      PROT_READ | PROT_WRITE,
      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
      -1,
      0);
  if (p == MAP_FAILED) {
    finish("memory");
  }
  return static_cast<Cell*>(p);
}

bool has_released(const Acquired& a, const Record& r, bool same_block) {
  for (size_t i = 0; i < a.count; i++) {
    const auto& [block, thread] = a.sync->released[i];
    if (block == r.block && (!same_block || thread == r.thread)) {
      return true;
    }
  }
  return false;
}

// See Note [When two accesses are ordered].
bool ordered(const Record& r, int me) {
  bool same_block = r.block == block_number + 1;
  if (same_block) {
    if (r.epoch != static_cast<uint16_t>(epoch) || r.thread == me) {
      return true;
    }
    int lane = r.thread % kWarp;
    if (r.thread / kWarp == me / kWarp &&
        r.clock < clocks[me / kWarp].known[me % kWarp][lane]) {
      return true;
    }
  }
  for (const Acquired& a : acquired) {
    if ((!same_block || a.thread == me) && has_released(a, r, same_block)) {
      return true;
    }
  }
  return false;
}

Finding conflict(
    const char* kind,
    const Access& access,
    const Record& r,
    bool other_write,
    Where where) {
  Finding f;
  f.kind = kind;
  f.access = access;
  f.thread = number_of(*now);
  f.block = block_index;
  f.where = where;
  f.other_thread = r.thread;
  f.other_block = block_from_number(r.block - 1);
  f.other_where = r.where;
  f.other_write = other_write;
  return f;
}

void fault(const char* kind, const Access& access, Where where) {
  Finding f;
  f.kind = kind;
  f.access = access;
  f.thread = number_of(*now);
  f.block = block_index;
  f.where = where;
  report(f);
}

// The part of the access that falls in one cell.
void touch(
    Cell& cell,
    uint8_t bytes,
    const Access& access,
    const char* address,
    bool atomic,
    bool shared,
    Where where) {
  int me = number_of(*now);
  const Clocks& c = clocks[me / kWarp];
  Record mine{
      block_number + 1,
      static_cast<uint16_t>(me),
      c.own[me % kWarp],
      static_cast<uint16_t>(epoch),
      bytes,
      atomic,
      where};
  // Shared memory begins anew in each block.
  auto live = [&](const Record& r) {
    return r.block && (!shared || r.block == block_number + 1);
  };
  auto meets = [&](const Record& r) {
    return live(r) && (r.bytes & bytes) &&
        (r.thread != me || r.block != block_number + 1) && !ordered(r, me);
  };
  const char* kind = shared ? "race_shared" : "race_global";
  if (!access.write || atomic) {
    if (shared && !live(cell.write)) {
      fault("uninitialized", access, where);
    }
  }
  if (!access.write) {
    if (!cell.write.atomic && meets(cell.write)) {
      report(conflict(kind, access, cell.write, true, where));
    }
    if (cell.read.block != mine.block || cell.read.thread != mine.thread) {
      cell.other_read = cell.read;
    }
    cell.read = mine;
    return;
  }
  for (Record* r : {&cell.read, &cell.other_read}) {
    if (!atomic && meets(*r)) {
      report(conflict(kind, access, *r, false, where));
      break;
    }
  }
  if (meets(cell.write) && !(atomic && cell.write.atomic)) {
    Finding f = conflict(kind, access, cell.write, true, where);
    if (atomic) {
      report(f);
    } else {
      compare_later(f, address, access.size);
    }
  }
  if (live(cell.write) && cell.write.bytes != bytes && !meets(cell.write)) {
    mine.bytes |= cell.write.thread == me ? cell.write.bytes : 0;
  }
  cell.write = mine;
}

void touch_all(
    Cell* cells,
    int grain,
    uint64_t offset, // in the segment or array that the cells are for
    const Access& access,
    const char* address,
    bool atomic,
    bool shared,
    Where where) {
  uint64_t end = offset + access.size;
  for (uint64_t at = offset; at < end;) {
    uint64_t next = std::min(end, (at / grain + 1) * grain);
    uint8_t bytes = ((1u << (next - at)) - 1) << (at % grain);
    touch(cells[at / grain], bytes, access, address, atomic, shared, where);
    at = next;
  }
}

bool global_access(char* p, int size, bool write, bool atomic, Where where) {
  uint64_t far = static_cast<uint64_t>(p - slots);
  if (far >= slot_bytes * segments.size()) {
    return false;
  }
  Segment& s = segments[far / slot_bytes];
  int64_t offset = p - s.data;
  const Array* array = &s.arrays[0];
  for (const Array& a : s.arrays) {
    if (offset >= int64_t(a.offset) &&
        offset + size <= int64_t(a.offset + a.bytes)) {
      array = &a;
      break;
    }
  }
  Access access{
      array->number, "", offset - int64_t(array->offset), size, write};
  bool inside = offset >= 0 && offset + size <= int64_t(s.bytes);
  if (inside && s.arrays.size() > 1) {
    inside =
        access.offset >= 0 && access.offset + size <= int64_t(array->bytes);
  }
  trace_access(access, atomic, where, inside);
  if (!inside) {
    fault("bounds", access, where);
    return true;
  }
  if (!s.cells) {
    s.cells = new_cells((s.bytes + s.grain - 1) / s.grain);
  }
  touch_all(s.cells, s.grain, offset, access, p, atomic, false, where);
  return true;
}

bool shared_access(char* p, int size, bool write, bool atomic, Where where) {
  uint64_t far = static_cast<uint64_t>(p - shared_arena);
  if (far >= kSharedArena) {
    return false;
  }
  // The array that the address is in, or the nearest one before it.
  const SharedArray* array = nullptr;
  for (const SharedArray& a : shared_arrays) {
    if (!array || far + kSharedGap / 2 >= a.offset) {
      array = &a;
    }
  }
  if (!array) {
    return false;
  }
  int64_t offset = int64_t(far) - int64_t(array->offset);
  Access access{-1, array->name, offset, size, write};
  bool inside = offset >= 0 && offset + size <= int64_t(array->bytes);
  trace_access(access, atomic, where, inside);
  if (!inside) {
    fault("bounds", access, where);
    return true;
  }
  if (!shared_cells) {
    shared_cells = new_cells(kSharedArena / shared_grain);
  }
  touch_all(shared_cells, shared_grain, far, access, p, atomic, true, where);
  return true;
}

bool see(char* p, int size, bool write, bool atomic, Where where) {
  last_where = where;
  return global_access(p, size, write, atomic, where) ||
      shared_access(p, size, write, atomic, where);
}

void access(void* p, int size, bool write, bool whole, const void* pc) {
  if (launch.mode == HC_PLAIN || !now) {
    return;
  }
  settle(false);
  char* address = static_cast<char*>(p);
  if (in_stack(address)) {
    return;
  }
  Where where = 0;
  kernel_where(pc, where);
  if (whole && reinterpret_cast<uintptr_t>(p) % size != 0) {
    Access a;
    a.array = -2;
    uint64_t far = static_cast<uint64_t>(address - slots);
    if (far < slot_bytes * segments.size()) {
      const Segment& s = segments[far / slot_bytes];
      a.array = s.arrays[0].number;
      a.offset = address - s.data;
    }
    a.size = size;
    a.write = write;
    if (a.array >= 0 ||
        static_cast<uint64_t>(address - shared_arena) < kSharedArena) {
      fault("misaligned", a, where);
    }
  }
  see(address, size, write, false, where);
}

// Code from before Volta counts on the lanes of a warp going in step wherever
// it uses volatile. They do here, so that it gives what it gave; the checker
// still says that nothing promises it.
void in_step(const void* p, const void* pc) {
  if (!now || in_stack(p)) {
    return;
  }
  now->op = HC_ACTIVE;
  now->what = "a volatile access";
  now->line = static_cast<int>(reinterpret_cast<uintptr_t>(pc));
  now->state = State::kWarp;
  yield();
}

} // namespace

void checker_block_begins() {
  if (launch.mode == HC_PLAIN) {
    return;
  }
  clocks.assign((launch.threads + kWarp - 1) / kWarp, Clocks());
  for (Clocks& c : clocks) {
    for (uint16_t& own : c.own) {
      own = 1;
    }
  }
  acquired.clear();
  block_fenced = false;
  fill_shared();
}

void checker_barrier() {
  settle(true);
}

void checker_thread_leaves() {
  settle(true);
}

void checker_warp_synchronized(int warp, unsigned lanes) {
  if (launch.mode == HC_PLAIN) {
    return;
  }
  Clocks& c = clocks[warp];
  uint16_t all[kWarp] = {};
  for (int a = 0; a < kWarp; a++) {
    if (!(lanes >> a & 1)) {
      continue;
    }
    for (int b = 0; b < kWarp; b++) {
      uint16_t k = a == b ? uint16_t(c.own[a] + 1) : c.known[a][b];
      all[b] = std::max(all[b], k);
    }
  }
  for (int a = 0; a < kWarp; a++) {
    if (lanes >> a & 1) {
      memcpy(c.known[a], all, sizeof(all));
      c.own[a]++;
    }
  }
}

} // namespace hc

using namespace hc;

extern "C" void hc_fence() {
  now->fenced = true;
  block_fenced = true;
}

extern "C" void hc_atomic(void* address, int size, const char* what, int line) {
  (void)what;
  hc_pause();
  if (launch.mode == HC_PLAIN) {
    return;
  }
  settle(true);
  if (reinterpret_cast<uintptr_t>(address) % size != 0) {
    Access a;
    a.size = size;
    a.write = true;
    a.array = -2;
    fault("misaligned", a, at_line(line));
  }
  char* p = static_cast<char*>(address);
  if (!in_stack(p)) {
    see(p, size, true, true, at_line(line));
  }
  Sync& sync = syncs[reinterpret_cast<uintptr_t>(address)];
  int me = number_of(*now);
  if (!sync.released.empty()) {
    if (acquired.empty() || acquired.back().sync != &sync ||
        acquired.back().thread != me) {
      acquired.push_back({&sync, 0, me});
    }
    acquired.back().count = sync.released.size();
  }
  if (now->fenced || block_fenced) {
    auto mine = std::make_pair(block_number + 1, static_cast<uint16_t>(me));
    if (sync.released.empty() || sync.released.back() != mine) {
      sync.released.push_back(mine);
    }
  }
}

#define PC __builtin_return_address(0)
extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}
#define HOOKS(n)                            \
  void __tsan_read##n(void* p) {            \
    access(p, n, false, true, PC);          \
  }                                         \
  void __tsan_write##n(void* p) {           \
    access(p, n, true, true, PC);           \
  }                                         \
  void __tsan_read_write##n(void* p) {      \
    access(p, n, false, true, PC);          \
    access(p, n, true, true, PC);           \
  }                                         \
  void __tsan_unaligned_read##n(void* p) {  \
    access(p, n, false, false, PC);         \
  }                                         \
  void __tsan_unaligned_write##n(void* p) { \
    access(p, n, true, false, PC);          \
  }                                         \
  void __tsan_volatile_read##n(void* p) {   \
    in_step(p, PC);                         \
    access(p, n, false, true, PC);          \
  }                                         \
  void __tsan_volatile_write##n(void* p) {  \
    in_step(p, PC);                         \
    access(p, n, true, true, PC);           \
  }
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
void __tsan_read_range(void* p, size_t n) {
  access(p, static_cast<int>(n), false, false, PC);
}
void __tsan_write_range(void* p, size_t n) {
  access(p, static_cast<int>(n), true, false, PC);
}
}
