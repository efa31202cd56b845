#include <ATen/core/Tensor.h>
#include <torch/library.h>

at::Tensor first_rows(const at::Tensor& x, int n) {
  return x.narrow(0, 0, n);
}

TORCH_LIBRARY(COURSE_NAMESPACE, m) {
  m.def("first_rows(Tensor x, int n) -> Tensor", &first_rows);
}
