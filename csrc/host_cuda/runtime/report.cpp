// Keeps what was found and writes it for course_utils/kernel_host.py: one JSON
// object a line on the report's file, whatever ends the launch.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "grid.h"
#include "memory.h"
#include "runner.h"
#include "trace.h"

namespace hc {

namespace {

std::vector<Finding> findings;
constexpr size_t kMost = 64;

bool same(const Finding& a, const Finding& b) {
  return a.where == b.where && a.other_where == b.other_where &&
      a.access.array == b.access.array && a.access.write == b.access.write &&
      (a.mask == b.mask || strcmp(a.kind, "index") != 0) &&
      strcmp(a.kind, b.kind) == 0 && strcmp(a.access.name, b.access.name) == 0;
}

void put_index(const char* key, const Index& i) {
  dprintf(report_file, ",\"%s\":[%u,%u,%u]", key, i.x, i.y, i.z);
}

void put_text(const char* key, const char* text) {
  dprintf(report_file, ",\"%s\":\"", key);
  for (const char* p = text; *p; p++) {
    unsigned char c = static_cast<unsigned char>(*p);
    if (c == '"' || c == '\\') {
      dprintf(report_file, "\\%c", c);
    } else if (c < 32) {
      dprintf(report_file, "\\u%04x", c);
    } else {
      dprintf(report_file, "%c", c);
    }
  }
  dprintf(report_file, "\"");
}

Index thread_index(int thread) {
  return thread >= 0 && thread < static_cast<int>(threads.size())
      ? threads[thread].index
      : Index();
}

void put(const Finding& f) {
  dprintf(report_file, "{\"finding\":1");
  put_text("kind", f.kind);
  dprintf(
      report_file,
      ",\"array\":%d,\"offset\":%lld,\"size\":%d,\"write\":%d",
      f.access.array,
      static_cast<long long>(f.access.offset),
      f.access.size,
      f.access.write);
  put_text("shared", f.access.name);
  dprintf(report_file, ",\"lane\":%d", f.thread);
  put_index("thread", thread_index(f.thread));
  put_index("block", f.block);
  dprintf(
      report_file, ",\"where\":%u,\"other_lane\":%d", f.where, f.other_thread);
  put_index("other_thread", thread_index(f.other_thread));
  put_index("other_block", f.other_block);
  dprintf(
      report_file,
      ",\"other_where\":%u,\"other_write\":%d,\"mask\":%llu,\"count\":%llu",
      f.other_where,
      f.other_write,
      static_cast<unsigned long long>(f.mask),
      static_cast<unsigned long long>(f.count));
  put_text("text", f.text);
  put_text("more", f.more);
  dprintf(report_file, "}\n");
}

} // namespace

int kernel_where(const void* pc, Where& where) {
  const char* p = static_cast<const char*>(pc);
  if (p <= library_begin || p > library_end) {
    return 0;
  }
  where = static_cast<Where>(p - library_begin - 1);
  return 1;
}

Finding here(const char* kind, int line) {
  Finding f;
  f.kind = kind;
  f.thread = now ? number_of(*now) : -1;
  f.block = block_index;
  f.where = at_line(line);
  return f;
}

void report(const Finding& finding) {
  for (Finding& f : findings) {
    if (same(f, finding)) {
      f.count++;
      return;
    }
  }
  if (findings.size() < kMost) {
    findings.push_back(finding);
  }
}

void finish(const char* ended) {
  fflush(stdout);
  trace_end();
  for (const Finding& f : findings) {
    put(f);
  }
  for (const SharedArray& a : shared_arrays) {
    dprintf(
        report_file,
        "{\"shared\":1,\"bytes\":%llu",
        static_cast<unsigned long long>(a.bytes));
    put_text("name", a.name);
    dprintf(report_file, "}\n");
  }
  dprintf(report_file, "{\"ended\":\"%s\",\"ns\":%lld}\n", ended, run_ns());
  _exit(0);
}

} // namespace hc
