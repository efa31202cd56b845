// expect: it defines no operator `relu_backward`
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/Dispatch_v2.h>
#include <torch/headeronly/util/Exception.h>

using torch::stable::Tensor;

Tensor relu_backward(const Tensor& grad, const Tensor& y) {
  STD_TORCH_CHECK(
      grad.sizes().equals(y.sizes()), "grad and y must have the same shape");
  const Tensor g = torch::stable::contiguous(grad);
  const Tensor kept = torch::stable::contiguous(y);
  Tensor grad_x = torch::stable::empty_like(kept);
  THO_DISPATCH_V2(
      y.scalar_type(),
      "relu_backward",
      AT_WRAP([&] {
        const scalar_t* in = g.const_data_ptr<scalar_t>();
        const scalar_t* result = kept.const_data_ptr<scalar_t>();
        scalar_t* out = grad_x.mutable_data_ptr<scalar_t>();
        for (int64_t i = 0; i < kept.numel(); ++i) {
          out[i] = result[i] <= 0 ? 0 : in[i];
        }
      }),
      AT_FLOATING_TYPES);
  return grad_x;
}

STABLE_TORCH_LIBRARY(COURSE_NAMESPACE, m) {
  m.def("backward(Tensor grad, Tensor y) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(COURSE_NAMESPACE, CPU, m) {
  m.impl("backward", TORCH_BOX(&relu_backward));
}
