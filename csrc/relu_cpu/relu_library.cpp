// relu_stable.cpp's two operators on ATen, registered by TORCH_LIBRARY: a build
// serves one release of torch, and compiles four times as long.
//
// Only the headers that are used are included: ATen/ATen.h and torch/extension.h
// would make it longer still.
#include <ATen/Dispatch.h>
#include <ATen/Dispatch_v2.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <torch/library.h>

namespace {

at::Tensor relu_forward(const at::Tensor& x) {
  const at::Tensor in = x.contiguous();
  at::Tensor y = at::empty_like(in);
  AT_DISPATCH_V2(
      x.scalar_type(),
      "relu_forward",
      AT_WRAP([&] {
        const scalar_t* from = in.const_data_ptr<scalar_t>();
        scalar_t* to = y.mutable_data_ptr<scalar_t>();
        for (int64_t i = 0; i < in.numel(); ++i) {
          to[i] = from[i] < scalar_t(0) ? scalar_t(0) : from[i];
        }
      }),
      AT_EXPAND(AT_FLOATING_TYPES),
      at::kHalf,
      at::kBFloat16);
  return y;
}

at::Tensor relu_backward(const at::Tensor& grad, const at::Tensor& x) {
  TORCH_CHECK(
      grad.sizes() == x.sizes(),
      "relu_backward: expected grad to have the shape of x");
  TORCH_CHECK(
      grad.scalar_type() == x.scalar_type(),
      "relu_backward: expected grad and x to have one dtype");
  const at::Tensor g = grad.contiguous();
  const at::Tensor in = x.contiguous();
  at::Tensor grad_x = at::empty_like(in);
  AT_DISPATCH_V2(
      x.scalar_type(),
      "relu_backward",
      AT_WRAP([&] {
        const scalar_t* grads = g.const_data_ptr<scalar_t>();
        const scalar_t* from = in.const_data_ptr<scalar_t>();
        scalar_t* to = grad_x.mutable_data_ptr<scalar_t>();
        for (int64_t i = 0; i < in.numel(); ++i) {
          to[i] = from[i] <= scalar_t(0) ? scalar_t(0) : grads[i];
        }
      }),
      AT_EXPAND(AT_FLOATING_TYPES),
      at::kHalf,
      at::kBFloat16);
  return grad_x;
}

} // namespace

TORCH_LIBRARY(COURSE_NAMESPACE, m) {
  m.def("relu_forward(Tensor x) -> Tensor");
  m.def("relu_backward(Tensor grad, Tensor x) -> Tensor");
}

TORCH_LIBRARY_IMPL(COURSE_NAMESPACE, CPU, m) {
  m.impl("relu_forward", &relu_forward);
  m.impl("relu_backward", &relu_backward);
}
