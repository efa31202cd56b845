// Which tensors an elementwise kernel may read as one flat run of memory, and
// which must be copied first.
#pragma once

#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/util/Exception.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace course {

// True if the elements fill one run of memory without gaps or overlap, in
// whatever order: contiguous, transposed, channels last. empty_like keeps such
// strides, so element k of the input's memory belongs to element k of the
// output's.
inline bool is_dense(const torch::stable::Tensor& x) {
  std::vector<int64_t> order;
  for (int64_t d = 0; d < x.dim(); ++d) {
    if (x.size(d) == 0) {
      return true;
    }
    if (x.size(d) != 1) {
      order.push_back(d);
    }
  }
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return x.stride(a) < x.stride(b);
  });
  int64_t expected = 1;
  for (const int64_t d : order) {
    if (x.stride(d) != expected) {
      return false;
    }
    expected *= x.size(d);
  }
  return true;
}

inline bool same_strides(
    const torch::stable::Tensor& a,
    const torch::stable::Tensor& b) {
  for (int64_t d = 0; d < a.dim(); ++d) {
    if (a.size(d) != 1 && a.stride(d) != b.stride(d)) {
      return false;
    }
  }
  return true;
}

inline void check_pair(
    const torch::stable::Tensor& grad,
    const torch::stable::Tensor& y) {
  STD_TORCH_CHECK(
      grad.dim() == y.dim(),
      "relu_backward: expected grad with the ",
      y.dim(),
      " dimensions of y, got ",
      grad.dim());
  for (int64_t d = 0; d < y.dim(); ++d) {
    STD_TORCH_CHECK(
        grad.size(d) == y.size(d),
        "relu_backward: expected grad of size ",
        y.size(d),
        " in dimension ",
        d,
        ", as y has, got ",
        grad.size(d));
  }
  STD_TORCH_CHECK(
      grad.scalar_type() == y.scalar_type(),
      "relu_backward: expected grad and y of one dtype, got ",
      torch::headeronly::toString(grad.scalar_type()),
      " and ",
      torch::headeronly::toString(y.scalar_type()));
  STD_TORCH_CHECK(
      grad.is_cuda() == y.is_cuda() &&
          grad.get_device_index() == y.get_device_index(),
      "relu_backward: expected grad and y on one device");
}

} // namespace course
