// Writes the log of accesses; see trace.h.
#include "trace.h"

#include <unistd.h>
#include <vector>

#include "memory.h"

namespace hc {

namespace {

int log_file = -1;
uint64_t room = 0;
std::vector<Traced> buffer;

void flush() {
  const char* p = reinterpret_cast<const char*>(buffer.data());
  size_t left = buffer.size() * sizeof(Traced);
  while (left) {
    ssize_t n = write(log_file, p, left);
    if (n <= 0) {
      finish("memory");
    }
    p += n;
    left -= static_cast<size_t>(n);
  }
  buffer.clear();
}

} // namespace

void trace_to(int file, uint64_t most) {
  log_file = file;
  room = most;
}

void trace_access(const Access& a, bool atomic, Where where, bool inside) {
  if (launch.mode != HC_TRACED) {
    return;
  }
  if (room-- == 0) {
    buffer.clear();
    log_file = -1;
    finish("trace_full");
  }
  int array = a.array;
  if (array < 0) {
    for (size_t i = 0; i < shared_arrays.size(); i++) {
      if (shared_arrays[i].name == a.name) {
        array = -1 - static_cast<int>(i);
      }
    }
  }
  buffer.push_back(
      {a.offset,
       block_number,
       where,
       static_cast<uint16_t>(number_of(*now)),
       static_cast<int16_t>(array),
       static_cast<uint8_t>(a.size),
       static_cast<uint8_t>(a.write | atomic << 1 | inside << 2),
       static_cast<uint16_t>(epoch)});
  if (buffer.size() == 4096) {
    flush();
  }
}

void trace_end() {
  if (log_file >= 0) {
    flush();
  }
}

} // namespace hc
