// A fiber: a stack of its own and a saved stack pointer. Each CUDA thread of a
// block that has to wait runs on one.
#pragma once
#include <cstddef>

namespace hc {

constexpr size_t kStackBytes = 128 * 1024;

struct Fiber {
  void* stack_pointer = nullptr; // or the saved context, see fiber.cpp
  char* stack = nullptr; // lowest usable byte; a guard page lies below it
};

using Entry = void (*)();

// Gives the fiber a fresh start at `entry`, which must never return.
void prepare(Fiber& fiber, Entry entry);

// Saves where we are in `from` and continues `to`.
void change(Fiber& from, Fiber& to);

// True if the address lies in the guard page of any fiber's stack.
bool in_guard(const void* address);

// True if the address lies in a fiber's stack.
bool in_stack(const void* address);

} // namespace hc
