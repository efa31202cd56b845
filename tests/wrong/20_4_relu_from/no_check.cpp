// expect: it accepts start=-1
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/util/Exception.h>

#include <algorithm>

using torch::stable::Tensor;

Tensor relu_from(const Tensor& x, int64_t start) {
  const Tensor in = torch::stable::contiguous(x);
  Tensor y = torch::stable::empty_like(in);
  const float* a = in.const_data_ptr<float>();
  float* b = y.mutable_data_ptr<float>();
  for (int64_t i = 0; i < in.numel(); ++i) {
    b[i] = i < start ? a[i] : std::max(a[i], 0.0f);
  }
  return y;
}

STABLE_TORCH_LIBRARY(COURSE_NAMESPACE, m) {
  m.def("relu_from(Tensor x, int start) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(COURSE_NAMESPACE, CPU, m) {
  m.impl("relu_from", TORCH_BOX(&relu_from));
}
