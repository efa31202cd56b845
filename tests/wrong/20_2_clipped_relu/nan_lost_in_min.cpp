// expect: NaN became the limit in min
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/util/Exception.h>

#include <algorithm>
#include <cmath>
#include <optional>

using torch::stable::Tensor;

Tensor clipped_relu(const Tensor& x, std::optional<double> limit) {
  const double top = limit.value_or(INFINITY);
  STD_TORCH_CHECK(top >= 0, "expected limit >= 0, got ", top);
  const Tensor in = torch::stable::contiguous(x);
  Tensor y = torch::stable::empty_like(in);
  const float* a = in.const_data_ptr<float>();
  float* b = y.mutable_data_ptr<float>();
  for (int64_t i = 0; i < in.numel(); ++i) {
    b[i] = std::min(static_cast<float>(top), std::max(a[i], 0.0f));
  }
  return y;
}

STABLE_TORCH_LIBRARY(COURSE_NAMESPACE, m) {
  m.def("clipped_relu(Tensor x, float? limit=None) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(COURSE_NAMESPACE, CPU, m) {
  m.impl("clipped_relu", TORCH_BOX(&clipped_relu));
}
