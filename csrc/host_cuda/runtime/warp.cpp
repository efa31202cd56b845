// Warp-level operations. A lane posts what it asks and waits until every lane
// that its mask names, and that has not ended, has posted the same.
#include "grid.h"

#include <algorithm>
#include <cstring>

namespace hc {

namespace {

// What a lane gets that reads a lane which takes no part. CUDA leaves it open;
// here it differs between the two orders that the checker runs, so that a
// result which depends on it shows.
uint64_t undefined_value() {
  return launch.reverse ? 0xce6eeb28ce6eeb28ull : 0;
}

Thread* lane_of(int base, int lane) {
  return base + lane < launch.threads ? &threads[base + lane] : nullptr;
}

int source_of(const Thread& t, int lane) {
  int first = lane & ~(t.width - 1), last = first + t.width - 1;
  switch (t.op) {
    case HC_SHFL:
      return first + (t.argument & (t.width - 1));
    case HC_SHFL_UP:
      return lane - t.argument < first ? lane : lane - t.argument;
    case HC_SHFL_DOWN:
      return lane + t.argument > last ? lane : lane + t.argument;
    default:
      return (lane ^ t.argument) > last ? lane : lane ^ t.argument;
  }
}

uint64_t shuffled(int base, int lane, unsigned lanes) {
  Thread& t = threads[base + lane];
  int source = source_of(t, lane);
  if (source >= 0 && source < kWarp && (lanes >> source & 1)) {
    return threads[base + source].value;
  }
  if (launch.mode != HC_PLAIN) {
    Finding f;
    f.kind = "warp_undefined";
    f.thread = base + lane;
    f.block = block_index;
    f.where = at_line(t.line);
    f.other_thread = source;
    f.text = t.what;
    f.mask = t.mask;
    report(f);
  }
  return undefined_value();
}

uint64_t reduced(int op, int base, unsigned lanes) {
  bool first = true;
  uint32_t r = 0;
  for (int lane = 0; lane < kWarp; lane++) {
    if (!(lanes >> lane & 1)) {
      continue;
    }
    uint32_t v = static_cast<uint32_t>(threads[base + lane].value);
    if (first) {
      r = v;
      first = false;
      continue;
    }
    int32_t a = static_cast<int32_t>(r), b = static_cast<int32_t>(v);
    r = op == HC_REDUCE_ADD          ? r + v
        : op == HC_REDUCE_MIN        ? std::min(r, v)
        : op == HC_REDUCE_MAX        ? std::max(r, v)
        : op == HC_REDUCE_MIN_SIGNED ? uint32_t(std::min(a, b))
        : op == HC_REDUCE_MAX_SIGNED ? uint32_t(std::max(a, b))
        : op == HC_REDUCE_AND        ? r & v
        : op == HC_REDUCE_OR         ? r | v
                                     : r ^ v;
  }
  return r;
}

uint64_t matching(int base, unsigned lanes, uint64_t value) {
  uint64_t same = 0;
  for (int lane = 0; lane < kWarp; lane++) {
    if ((lanes >> lane & 1) && threads[base + lane].value == value) {
      same |= 1ull << lane;
    }
  }
  return same;
}

void answer(int base, unsigned lanes) {
  int op = -1;
  uint64_t common = 0;
  for (int lane = 0; lane < kWarp; lane++) {
    if (!(lanes >> lane & 1)) {
      continue;
    }
    Thread& t = threads[base + lane];
    bool shuffle = t.op >= HC_SHFL && t.op <= HC_SHFL_XOR;
    if (op < 0) {
      op = t.op;
      if (op == HC_BALLOT) {
        for (int i = 0; i < kWarp; i++) {
          common |= (lanes >> i & 1) && threads[base + i].value ? 1ull << i : 0;
        }
      } else if (op >= HC_REDUCE_ADD && op <= HC_REDUCE_XOR) {
        common = reduced(op, base, lanes);
      } else if (op == HC_MATCH_ALL) {
        common = matching(base, lanes, t.value) == lanes ? lanes : 0;
      }
    } else if (op != t.op && launch.mode != HC_PLAIN) {
      Finding f;
      f.kind = "warp_mixed";
      f.thread = base + lane;
      f.block = block_index;
      f.where = at_line(t.line);
      f.text = t.what;
      report(f);
    }
    t.result = shuffle         ? shuffled(base, lane, lanes)
        : t.op == HC_MATCH_ANY ? matching(base, lanes, t.value)
                               : common;
  }
}

// Lets the lanes of this mask go on if all of them are there.
void try_complete(int base, unsigned mask) {
  unsigned lanes = 0;
  for (int lane = 0; lane < kWarp; lane++) {
    Thread* t = lane_of(base, lane);
    if (!(mask >> lane & 1) || !t || t->state == State::kDone) {
      continue;
    }
    if (t->state != State::kWarp || t->mask != mask || t->op == HC_ACTIVE) {
      return;
    }
    lanes |= 1u << lane;
  }
  answer(base, lanes);
  for (int lane = 0; lane < kWarp; lane++) {
    if (lanes >> lane & 1) {
      threads[base + lane].state = State::kReady;
    }
  }
  if (lanes && threads[base + __builtin_ctz(lanes)].op == HC_SYNCWARP) {
    checker_warp_synchronized(base / kWarp, lanes);
  }
}

} // namespace

void warp_thread_ended(int thread) {
  int base = thread / kWarp * kWarp;
  for (int lane = 0; lane < kWarp; lane++) {
    Thread* t = lane_of(base, lane);
    if (t && t->state == State::kWarp && t->op != HC_ACTIVE &&
        (t->mask >> (thread - base) & 1)) {
      try_complete(base, t->mask);
    }
  }
}

bool release_active(int warp) {
  int base = warp * kWarp, line = 0;
  unsigned lanes = 0;
  for (int lane = 0; lane < kWarp; lane++) {
    Thread* t = lane_of(base, lane);
    if (t && (t->state == State::kReady || t->state == State::kFresh)) {
      return false; // it may still come
    }
    if (t && t->state == State::kWarp && t->op == HC_ACTIVE &&
        (!line || t->line == line)) {
      line = t->line;
      lanes |= 1u << lane;
    }
  }
  for (int lane = 0; lane < kWarp; lane++) {
    if (lanes >> lane & 1) {
      threads[base + lane].result = lanes;
      threads[base + lane].state = State::kReady;
    }
  }
  return lanes != 0;
}

} // namespace hc

using namespace hc;

extern "C" uint64_t hc_warp(
    int op,
    const char* what,
    unsigned mask,
    uint64_t value,
    int argument,
    int width,
    int line) {
  Thread& t = *now;
  int lane = number_of(t) % kWarp;
  if (op != HC_ACTIVE && !(mask >> lane & 1)) {
    if (launch.mode != HC_PLAIN) {
      Finding f = here("warp_mask", line);
      f.text = what;
      f.mask = mask;
      report(f);
      finish("stopped");
    }
    mask |= 1u << lane;
  }
  t.op = op;
  t.what = what;
  t.mask = mask;
  t.value = value;
  t.argument = argument;
  t.width = width;
  t.line = line;
  t.state = State::kWarp;
  if (op != HC_ACTIVE) {
    try_complete(number_of(t) / kWarp * kWarp, mask);
  }
  if (t.state == State::kWarp) {
    yield();
  }
  t.state = State::kReady;
  return t.result;
}
