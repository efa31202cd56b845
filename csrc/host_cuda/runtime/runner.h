// What the runner's parts share; see runner.cpp.
#pragma once

namespace hc {

extern int report_file;
extern const char* library_begin; // where the kernel's library is mapped
extern const char* library_end;
long long run_ns(); // since the grid started

} // namespace hc
