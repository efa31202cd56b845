// Stands in for CUDA's header of this name: what a kernel may use without a
// GPU. Kernels are compiled against it by course_utils/kernel_host.py.
#pragma once
#include "hc_atomics.h"
