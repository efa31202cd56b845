// Context switches. On x86-64 a dozen instructions save what the calling
// convention wants saved and exchange the stack pointers (about 5 ns). On
// other machines, or with -DHOST_CUDA_PORTABLE, makecontext starts a fiber and
// _setjmp/_longjmp switch between them.
#include "fiber.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

#if !defined(__x86_64__) && !defined(HOST_CUDA_PORTABLE)
#define HOST_CUDA_PORTABLE
#endif

#ifdef HOST_CUDA_PORTABLE
#include <setjmp.h>
#include <ucontext.h>
#endif

namespace hc {

namespace {

constexpr size_t kGuard = 64 * 1024; // a multiple of every page size in use
constexpr size_t kSlot = kGuard + kStackBytes;
constexpr int kMaxFibers = 1024;
char* pool = nullptr;
int used = 0;

char* new_stack() {
  if (!pool) {
    void* p = mmap(
        nullptr,
        kSlot * kMaxFibers,
        PROT_NONE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
        -1,
        0);
    if (p == MAP_FAILED) {
      perror("host_cuda: no address space for the stacks of the threads");
      exit(4);
    }
    pool = static_cast<char*>(p);
  }
  char* stack = pool + kSlot * used++ + kGuard;
  if (mprotect(stack, kStackBytes, PROT_READ | PROT_WRITE) != 0) {
    perror("host_cuda: no memory for the stack of a thread");
    exit(4);
  }
  return stack;
}

} // namespace

bool in_stack(const void* address) {
  const char* p = static_cast<const char*>(address);
  return pool && p >= pool && p < pool + kSlot * used;
}

bool in_guard(const void* address) {
  const char* p = static_cast<const char*>(address);
  return in_stack(p) && size_t(p - pool) % kSlot < kGuard;
}

#ifndef HOST_CUDA_PORTABLE

extern "C" void hc_switch(void** from, void* to);
asm(R"(
  .text
  .globl hc_switch
  .type hc_switch, @function
hc_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size hc_switch, .-hc_switch
)");

void prepare(Fiber& fiber, Entry entry) {
  if (!fiber.stack) {
    fiber.stack = new_stack();
  }
  // At a function's entry the stack pointer is 8 past a multiple of 16.
  auto* top = reinterpret_cast<uintptr_t*>(fiber.stack + kStackBytes - 64);
  top[0] = reinterpret_cast<uintptr_t>(entry);
  top[1] = 0; // the return address of `entry`: there is none
  for (int i = 1; i <= 6; i++) {
    top[-i] = 0;
  }
  fiber.stack_pointer = top - 6;
}

void change(Fiber& from, Fiber& to) {
  hc_switch(&from.stack_pointer, to.stack_pointer);
}

#else

namespace {

struct Saved {
  jmp_buf where;
  ucontext_t first;
  bool fresh = false;
};

Saved& saved(Fiber& fiber) {
  if (!fiber.stack_pointer) {
    fiber.stack_pointer = new Saved;
  }
  return *static_cast<Saved*>(fiber.stack_pointer);
}

} // namespace

void prepare(Fiber& fiber, Entry entry) {
  if (!fiber.stack) {
    fiber.stack = new_stack();
  }
  Saved& s = saved(fiber);
  getcontext(&s.first);
  s.first.uc_stack.ss_sp = fiber.stack;
  s.first.uc_stack.ss_size = kStackBytes;
  s.first.uc_link = nullptr;
  makecontext(&s.first, entry, 0);
  s.fresh = true;
}

void change(Fiber& from, Fiber& to) {
  if (_setjmp(saved(from).where) != 0) {
    return;
  }
  Saved& s = saved(to);
  if (s.fresh) {
    s.fresh = false;
    setcontext(&s.first);
  }
  _longjmp(s.where, 1);
}

#endif

} // namespace hc
