// The process a kernel runs in. Reads a request from the standard input, loads
// the kernel's library, runs the grid, writes its findings, and exits. What
// the kernel does wrong ends this process and no other.
//
// The request is lines of words:
//   library PATH KERNEL     data FD   report FD   log FD MOST
//   mode M  reverse R  limit MS  grid X Y Z  block X Y Z  dynamic BYTES
//   grain BYTES              of the cells for shared memory
//   segment FILE_OFFSET SKEW BYTES GRAIN
//   array NUMBER OFFSET BYTES          in the segment before it
//   symbol NAME FILE_OFFSET BYTES      what a __constant__ variable holds
//   pointer ELEMENT SEGMENT OFFSET | null | integer VALUE | real VALUE
#include "runner.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <iostream>
#include <link.h>
#include <signal.h>
#include <string>
#include <sys/resource.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "grid.h"
#include "memory.h"
#include "trace.h"

namespace hc {

int report_file = 2;
const char* library_begin = nullptr;
const char* library_end = nullptr;

namespace {

std::chrono::steady_clock::time_point started;

struct Argument {
  hc_value value{};
  int segment = -1;
  uint64_t offset = 0;
  std::string element;
};

struct Symbol {
  std::string name;
  uint64_t file_offset = 0;
  size_t bytes = 0;
};

struct Request {
  std::vector<Symbol> symbols;
  std::string library;
  int kernel = 0, data = -1;
  std::vector<uint64_t> file_offsets, skews;
  std::vector<Argument> arguments;
};

Index read_index() {
  Index i;
  std::cin >> i.x >> i.y >> i.z;
  return i;
}

void read_argument(const std::string& word, Request& r) {
  Argument a;
  a.value.kind = word == "integer" ? 'i' : word == "real" ? 'f' : 'p';
  if (word == "pointer") {
    std::cin >> a.element >> a.segment >> a.offset;
    a.element = a.element == "any" ? "" : a.element;
  } else if (word == "integer") {
    std::cin >> a.value.integer;
    a.value.real = static_cast<double>(a.value.integer);
  } else if (word == "real") {
    std::string text; // Python's float.hex(), inf and nan
    std::cin >> text;
    a.value.real = strtod(text.c_str(), nullptr);
  }
  r.arguments.push_back(a);
}

Request read_request() {
  Request r;
  std::string word;
  while (std::cin >> word) {
    if (word == "library") {
      std::cin >> r.kernel;
      std::getline(std::cin >> std::ws, r.library);
    } else if (word == "data") {
      std::cin >> r.data;
    } else if (word == "report") {
      std::cin >> report_file;
    } else if (word == "log") {
      int file = -1;
      uint64_t most = 0;
      std::cin >> file >> most;
      trace_to(file, most);
    } else if (word == "mode") {
      std::cin >> launch.mode;
    } else if (word == "reverse") {
      std::cin >> launch.reverse;
    } else if (word == "limit") {
      std::cin >> launch.limit_ms;
    } else if (word == "grid") {
      launch.grid = read_index();
    } else if (word == "block") {
      launch.block = read_index();
    } else if (word == "dynamic") {
      std::cin >> dynamic_shared_bytes;
    } else if (word == "grain") {
      std::cin >> shared_grain;
    } else if (word == "segment") {
      uint64_t at = 0, skew = 0;
      Segment s;
      std::cin >> at >> skew >> s.bytes >> s.grain;
      r.file_offsets.push_back(at);
      r.skews.push_back(skew);
      segments.push_back(s);
    } else if (word == "array") {
      Array a;
      std::cin >> a.number >> a.offset >> a.bytes;
      segments.back().arrays.push_back(a);
    } else if (word == "symbol") {
      Symbol s;
      std::cin >> s.name >> s.file_offset >> s.bytes;
      r.symbols.push_back(s);
    } else {
      read_argument(word, r);
    }
  }
  const Index &g = launch.grid, &b = launch.block;
  launch.blocks = uint64_t(g.x) * g.y * g.z;
  launch.threads = static_cast<int>(b.x * b.y * b.z);
  return r;
}

[[noreturn]] void refuse(const std::string& why) {
  Finding f = here("refused", 0);
  f.text = why.c_str();
  report(f);
  finish("refused");
}

int find_library(dl_phdr_info* info, size_t, void* kernel) {
  const char* base = reinterpret_cast<const char*>(info->dlpi_addr);
  const char* end = base;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)& h = info->dlpi_phdr[i];
    if (h.p_type == PT_LOAD) {
      end = std::max(end, base + h.p_vaddr + h.p_memsz);
    }
  }
  if (kernel >= base && kernel < end) {
    library_begin = base;
    library_end = end;
    return 1;
  }
  return 0;
}

// "f4" fits "f4"; "i4" fits "u4" too; no name fits any.
bool fits(const std::string& have, const std::string& want) {
  auto is_integer = [](char c) { return c == 'i' || c == 'u'; };
  return have.empty() || want.empty() || have == want ||
      (is_integer(have[0]) && is_integer(want[0]) && have[1] == want[1]);
}

// Loads the kernel and compares its parameters with what was passed.
void load(Request& r) {
  void* library = dlopen(r.library.c_str(), RTLD_NOW);
  if (!library) {
    refuse(std::string("the compiled kernel can't be loaded: ") + dlerror());
  }
  std::string number = std::to_string(r.kernel);
  void* call = dlsym(library, ("hc_call_" + number).c_str());
  auto describe = reinterpret_cast<int (*)(const hc_parameter**)>(
      dlsym(library, ("hc_describe_" + number).c_str()));
  if (!call || !describe) {
    refuse("the compiled kernel lacks its entry");
  }
  launch.kernel = reinterpret_cast<void (*)(hc_value*)>(call);
  dl_iterate_phdr(find_library, call);
  const hc_parameter* wanted = nullptr;
  int count = describe(&wanted);
  if (count != static_cast<int>(r.arguments.size())) {
    refuse("it takes " + std::to_string(count) + " arguments");
  }
  for (int i = 0; i < count; i++) {
    Argument& a = r.arguments[i];
    std::string element = wanted[i].element;
    if (wanted[i].kind == 's' ||
        (a.value.kind == 'p') != (wanted[i].kind == 'p') ||
        !fits(a.element, element)) {
      Finding f = here("parameter", 0);
      f.mask = i;
      f.text = wanted[i].element;
      f.more = wanted[i].kind == 'p' ? "p" : wanted[i].kind == 's' ? "s" : "n";
      report(f);
      finish("refused");
    }
  }
}

// An index that wrapped around ends up gigabytes away from its array.
void name_nearest(Finding& f) {
  constexpr int64_t kFar = 64ll << 30;
  int64_t nearest = kFar;
  const int64_t address = f.access.offset;
  for (const Segment& s : segments) {
    int64_t distance = address - reinterpret_cast<int64_t>(s.data);
    if (address > 65536 && std::abs(distance) < nearest && !s.arrays.empty()) {
      nearest = std::abs(distance);
      f.kind = "far";
      f.access.array = s.arrays[0].number;
      f.access.offset = distance;
    }
  }
}

void set_symbols(const Request& r) {
  void* library = dlopen(r.library.c_str(), RTLD_NOW);
  for (const Symbol& s : r.symbols) {
    auto find = reinterpret_cast<void* (*)(size_t*)>(
        dlsym(library, ("hc_symbol_" + s.name).c_str()));
    size_t room = 0;
    void* at = find ? find(&room) : nullptr;
    if (s.bytes > room) {
      refuse(
          s.name + " has " + std::to_string(room) + " bytes, got " +
          std::to_string(s.bytes));
    }
    if (pread(r.data, at, s.bytes, static_cast<off_t>(s.file_offset)) !=
        static_cast<ssize_t>(s.bytes)) {
      refuse(s.name + " can't be set");
    }
  }
}

void on_signal(int number, siginfo_t* info, void* context) {
  const void* pc = nullptr;
#if defined(__x86_64__)
  auto* c = static_cast<ucontext_t*>(context);
  pc = reinterpret_cast<void*>(c->uc_mcontext.gregs[REG_RIP] + 1);
#elif defined(__aarch64__)
  auto* c = static_cast<ucontext_t*>(context);
  pc = reinterpret_cast<void*>(c->uc_mcontext.pc + 1);
#else
  (void)context;
#endif
  Finding f = here("crash", 0);
  f.where = last_where;
  kernel_where(pc, f.where);
  const char* ended = "crash";
  if (number == SIGALRM) {
    f.kind = "endless";
    ended = "timeout";
  } else if (number == SIGFPE) {
    f.kind = "divide";
  } else if (number == SIGABRT) {
    f.kind = "abort";
  } else if (in_guard(info->si_addr)) {
    f.kind = "stack";
  } else {
    f.access.offset = reinterpret_cast<intptr_t>(info->si_addr);
    f.access.array = -2;
    name_nearest(f);
  }
  report(f);
  finish(ended);
}

void catch_signals() {
  static char stack[256 * 1024];
  stack_t s{};
  s.ss_sp = stack;
  s.ss_size = sizeof(stack);
  sigaltstack(&s, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int n : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) {
    sigaction(n, &action, nullptr);
  }
  itimerval timer{};
  timer.it_value.tv_sec = launch.limit_ms / 1000;
  timer.it_value.tv_usec = launch.limit_ms % 1000 * 1000;
  setitimer(ITIMER_REAL, &timer, nullptr);
  rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

} // namespace

long long run_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now() - started)
      .count();
}

} // namespace hc

using namespace hc;

// A failed assert() in a kernel ends up here instead of in the C library.
extern "C" void __assert_fail(
    const char* text,
    const char*,
    unsigned line,
    const char*) noexcept {
  Finding f = here("assert", static_cast<int>(line));
  f.text = text;
  report(f);
  finish("assert");
}

// -fsanitize=bounds puts this call where an index is beyond an array whose
// length the compiler knows.
struct BoundsData {
  const char* file;
  unsigned line, column;
  struct Type {
    uint16_t kind, info;
    char name[1];
  } const *array, *index;
};

extern "C" void __ubsan_handle_out_of_bounds(void* data, void* index) {
  auto* d = static_cast<BoundsData*>(data);
  Finding f = here("index", static_cast<int>(d->line));
  f.access.offset = reinterpret_cast<intptr_t>(index);
  bool is_signed = d->index->info & 1;
  if (is_signed && (d->index->info >> 1) <= 5) {
    f.access.offset = static_cast<int32_t>(f.access.offset);
  }
  f.text = d->array->name;
  f.mask = d->column;
  if (launch.mode != HC_PLAIN && now) {
    report(f);
  }
}

extern "C" void __ubsan_handle_out_of_bounds_abort(void* data, void* index) {
  __ubsan_handle_out_of_bounds(data, index);
}

int main() {
  started = std::chrono::steady_clock::now();
  setvbuf(stdout, nullptr, _IOLBF, 1 << 16);
  std::ios::sync_with_stdio(false);
  Request request = read_request();
  map_segments(request.data, request.file_offsets, request.skews);
  map_shared();
  load(request);
  set_symbols(request);
  for (Argument& a : request.arguments) {
    if (a.segment >= 0) {
      a.value.pointer = segments[a.segment].data + a.offset;
    }
    launch.arguments.push_back(a.value);
  }
  catch_signals();
  started = std::chrono::steady_clock::now();
  run_grid();
  finish("returned");
}
