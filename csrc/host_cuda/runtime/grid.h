// The state of a running grid, shared by the scheduler (grid.cpp), the warp
// operations (warp.cpp) and the checker (checker.cpp).
#pragma once
#include <cstdint>
#include <vector>

#include "abi.h"
#include "fiber.h"

namespace hc {

struct Index {
  uint32_t x = 0, y = 0, z = 0;
};

constexpr int kWarp = 32;

// Where something happened: an offset into the kernel's library, or, with the
// top bit set, a line of the source.
using Where = uint32_t;
constexpr Where kIsLine = 0x80000000u;
inline Where at_line(int line) {
  return kIsLine | static_cast<Where>(line);
}

enum class State : uint8_t {
  kFresh, // has not started
  kReady, // can go on
  kPaused, // spins on an atomic; goes on when the others have had their turn
  kBarrier, // waits at __syncthreads
  kWarp, // waits for lanes of its warp
  kDone,
};

struct Thread {
  State state = State::kFresh;
  bool fenced = false; // has run __threadfence
  Fiber* fiber = nullptr;
  Index index;
  int line = 0; // of the barrier or warp operation it waits in
  int predicate = 0;
  uint64_t result = 0;
  // What it asks of its warp.
  int op = 0, argument = 0, width = 0;
  unsigned mask = 0;
  uint64_t value = 0;
  const char* what = "";
};

struct Launch {
  Index grid{1, 1, 1}, block{1, 1, 1};
  int threads = 1; // in a block
  uint64_t blocks = 1;
  int mode = HC_CHECKED;
  bool reverse = false; // run the threads and the blocks from the last
  int limit_ms = 10000;
  void (*kernel)(hc_value*) = nullptr;
  std::vector<hc_value> arguments;
};

extern Launch launch;
extern std::vector<Thread> threads; // of the block that runs
extern Thread* now; // the thread that runs; null between threads
extern Index block_index;
extern uint32_t block_number; // linear, from 0
extern uint32_t epoch; // barriers passed in this block

inline int number_of(const Thread& t) {
  return static_cast<int>(&t - threads.data());
}

void run_grid();
void yield(); // back to the scheduler, until it lets the thread go on

// warp.cpp
void warp_thread_ended(int thread);
bool release_active(int warp); // __activemask, once nothing else can move

extern Where last_where; // of the last access that the checker saw

// checker.cpp: nothing happens in them in plain mode.
void checker_block_begins();
void checker_barrier();
void checker_thread_leaves(); // before another thread runs
void checker_warp_synchronized(int warp, unsigned lanes);

// report.cpp
struct Access {
  int array = -1; // an argument's number; -1 shared memory; -2 none
  const char* name = ""; // of the shared array
  int64_t offset = 0; // bytes from the array's beginning
  int size = 0;
  bool write = false;
};

struct Finding {
  const char* kind = "";
  Access access;
  int thread = -1;
  Index block;
  Where where = 0;
  int other_thread = -1;
  Index other_block;
  Where other_where = 0;
  bool other_write = false;
  const char* text = "";
  const char* more = "";
  uint64_t mask = 0;
  uint64_t count = 1;
};

// Keeps the first finding of a kind, place and array, and counts the others.
void report(const Finding& finding);
Finding here(const char* kind, int line); // filled in for the thread `now`
[[noreturn]] void finish(const char* ended); // writes the report; no return
Index block_from_number(uint64_t number);
int kernel_where(const void* pc, Where& where); // 0 if not in the kernel

} // namespace hc
