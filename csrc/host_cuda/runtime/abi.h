// What a compiled kernel and the runner agree on. The kernel's headers declare
// these functions, the runner (an executable that loads the kernel) defines
// them. Nothing here knows of PyTorch or of a GPU.
#pragma once
#include <cstddef>
#include <cstdint>

extern "C" {
// One argument of a launch, as the runner hands it to a kernel's wrapper.
// kind: 'p' pointer, 'i' integer, 'f' floating point.
struct hc_value {
  char kind;
  void* pointer;
  int64_t integer;
  double real;
};

// One parameter of a kernel, as the compiler sees it. kind as above, or 's'
// for a type that a notebook can't pass; element: "f4", "i8", ... for what a
// pointer points to, "" where any element will do.
struct hc_parameter {
  char kind;
  int size;
  const char* element;
};

enum hc_mode { HC_PLAIN = 0, HC_CHECKED = 1, HC_TRACED = 2 };

void hc_barrier(int line);
int hc_barrier_reduce(int how, int predicate, int line);
void* hc_shared(const char* name, size_t size, size_t align, int line);
void* hc_dynamic_shared(const char* name, size_t align, int line);
void hc_atomic(void* address, int size, const char* what, int line);
void hc_fence();
void hc_pause();
unsigned hc_lane();
[[noreturn]] void hc_trap(const char* what, int line);

// Warp-level operations: every lane named in the mask meets the others, then
// each gets its own answer.
enum hc_warp_op {
  HC_SYNCWARP,
  HC_SHFL,
  HC_SHFL_UP,
  HC_SHFL_DOWN,
  HC_SHFL_XOR,
  HC_BALLOT,
  HC_MATCH_ANY,
  HC_MATCH_ALL,
  HC_REDUCE_ADD,
  HC_REDUCE_MIN,
  HC_REDUCE_MAX,
  HC_REDUCE_MIN_SIGNED,
  HC_REDUCE_MAX_SIGNED,
  HC_REDUCE_AND,
  HC_REDUCE_OR,
  HC_REDUCE_XOR,
  HC_ACTIVE
};
uint64_t hc_warp(
    int op,
    const char* what,
    unsigned mask,
    uint64_t value,
    int argument,
    int width,
    int line);
}
