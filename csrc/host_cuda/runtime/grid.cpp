// Runs a grid: block by block, each thread until it has to wait. A thread that
// never waits costs two context switches on a stack that stays in the cache;
// one that waits keeps its stack until the others have come.
#include "grid.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// The built-in variables of CUDA. A kernel sees them as constants, which is
// what they are for one thread; the scheduler sets them at every switch.
hc::Index threadIdx, blockIdx;
hc::Index blockDim, gridDim;

namespace hc {

Launch launch;
std::vector<Thread> threads;
Thread* now = nullptr;
Index block_index;
uint32_t block_number = 0;
uint32_t epoch = 0;

namespace {

Fiber scheduler;
std::vector<Fiber*> idle;
int live = 0, waiting = 0; // threads not done; threads at the barrier
int spins = 0; // atomics since the last switch

void body() {
  while (true) {
    launch.kernel(launch.arguments.data());
    now->state = State::kDone;
    yield();
  }
}

void step(Thread& t) {
  if (t.state == State::kFresh) {
    if (idle.empty()) {
      idle.push_back(new Fiber);
    }
    t.fiber = idle.back();
    idle.pop_back();
    prepare(*t.fiber, body);
  }
  t.state = State::kReady;
  now = &t;
  threadIdx = t.index;
  spins = 0;
  change(scheduler, *t.fiber);
  now = nullptr;
  checker_thread_leaves();
  if (t.state == State::kDone) {
    idle.push_back(t.fiber);
    t.fiber = nullptr;
    live--;
    warp_thread_ended(number_of(t));
  }
}

bool can_run(const Thread& t) {
  return t.state == State::kFresh || t.state == State::kReady;
}

// Runs a warp until all its threads wait or are done.
bool run_warp(int warp) {
  int first = warp * kWarp;
  int count = std::min(kWarp, launch.threads - first);
  bool moved = false, again = true;
  for (int turns = 0; again && turns < 64; turns++) { // then others' turn
    again = false;
    for (int i = 0; i < count; i++) {
      Thread& t = threads[first + (launch.reverse ? count - 1 - i : i)];
      if (can_run(t)) {
        step(t);
        again = true;
      }
    }
    again |= release_active(warp);
    moved |= again;
  }
  return moved;
}

void release_barrier() {
  int line = 0, early = -1, different = -1, some = -1;
  for (Thread& t : threads) {
    if (t.state == State::kDone) {
      early = early < 0 ? number_of(t) : early;
    } else {
      line = line ? line : t.line;
      some = some < 0 ? number_of(t) : some;
      if (t.line != line && different < 0) {
        different = number_of(t);
      }
    }
  }
  if (early >= 0 || different >= 0) {
    Finding f;
    f.kind = early >= 0 ? "barrier_exit" : "barrier_place";
    f.thread = some;
    f.block = block_index;
    f.where = at_line(line);
    f.other_thread = early >= 0 ? early : different;
    f.other_block = block_index;
    if (early < 0) {
      f.other_where = at_line(threads[different].line);
    }
    f.mask = live;
    if (launch.mode != HC_PLAIN) {
      report(f);
    }
  }
  int count = 0;
  for (Thread& t : threads) {
    count += t.state == State::kBarrier && t.predicate;
  }
  for (Thread& t : threads) {
    if (t.state == State::kBarrier) {
      t.result = count;
      t.argument = live;
      t.state = State::kReady;
    }
  }
  waiting = 0;
  epoch++;
  checker_barrier();
}

// Nothing can move: says who waits for whom, and ends the launch.
[[noreturn]] void deadlock() {
  const Thread* first = nullptr; // one that waits for its warp
  for (const Thread& t : threads) {
    if (t.state == State::kWarp && !first) {
      first = &t;
    }
  }
  Finding f;
  f.kind = "warp_wait";
  f.block = block_index;
  if (first) {
    int base = number_of(*first) / kWarp * kWarp;
    f.thread = number_of(*first);
    f.where = at_line(first->line);
    f.text = first->what;
    f.mask = first->mask;
    for (int lane = 0; lane < kWarp && base + lane < launch.threads; lane++) {
      const Thread& t = threads[base + lane];
      bool meets = t.state == State::kWarp && t.mask == first->mask;
      if ((first->mask >> lane & 1) && t.state != State::kDone && !meets) {
        f.other_thread = base + lane;
        f.other_where = at_line(t.line);
        f.more = t.state == State::kBarrier ? "__syncthreads" : t.what;
        break;
      }
    }
  }
  report(f);
  finish("deadlock");
}

void run_block() {
  for (Thread& t : threads) {
    t.state = State::kFresh;
    t.fenced = false;
  }
  live = launch.threads;
  waiting = 0;
  epoch = 0;
  checker_block_begins();
  int warps = (launch.threads + kWarp - 1) / kWarp;
  while (live) {
    bool moved = false;
    for (int i = 0; i < warps; i++) {
      moved |= run_warp(launch.reverse ? warps - 1 - i : i);
    }
    for (Thread& t : threads) {
      if (t.state == State::kPaused) {
        t.state = State::kReady;
        moved = true;
      }
    }
    if (live && waiting == live) {
      release_barrier();
    } else if (live && !moved) {
      deadlock();
    }
  }
}

} // namespace

Index block_from_number(uint64_t number) {
  const Index& g = launch.grid;
  return {
      uint32_t(number % g.x),
      uint32_t(number / g.x % g.y),
      uint32_t(number / g.x / g.y)};
}

void yield() {
  change(*now->fiber, scheduler);
}

void run_grid() {
  threads.resize(launch.threads);
  const Index& b = launch.block;
  for (uint32_t i = 0; i < threads.size(); i++) {
    threads[i].index = {i % b.x, i / b.x % b.y, i / b.x / b.y};
  }
  blockDim = launch.block;
  gridDim = launch.grid;
  for (uint64_t i = 0; i < launch.blocks; i++) {
    uint64_t number = launch.reverse ? launch.blocks - 1 - i : i;
    block_number = static_cast<uint32_t>(number);
    block_index = blockIdx = block_from_number(number);
    run_block();
  }
}

} // namespace hc

using namespace hc;

extern "C" int hc_barrier_reduce(int how, int predicate, int line) {
  now->state = State::kBarrier;
  now->line = line;
  now->predicate = predicate != 0;
  waiting++;
  yield();
  int count = static_cast<int>(now->result);
  if (how == 0) {
    return count;
  }
  return how == 1 ? count == now->argument : count > 0;
}

extern "C" void hc_barrier(int line) {
  hc_barrier_reduce(0, 0, line);
}

extern "C" unsigned hc_lane() {
  return number_of(*now) % kWarp;
}

extern "C" void hc_pause() {
  if (++spins > 200) {
    now->state = State::kPaused;
    yield();
  }
}

extern "C" void hc_trap(const char* what, int line) {
  Finding f = here("trap", line);
  f.text = what;
  report(f);
  finish("trap");
}
