// ReLU and its gradient on a CPU, on torch's stable ABI: one build serves
// several releases of torch.
//
// relu_forward(x):        y = x < 0 ? 0 : x, so NaN stays NaN
// relu_backward(grad, x): x <= 0 ? 0 : grad, so the gradient at 0 is 0
// x: any shape and strides, any floating dtype of float64, float32, float16 and
// bfloat16; the results are contiguous. relu_library.cpp and relu_pybind.cpp are
// the same two functions in the older forms.
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/Dispatch_v2.h>
#include <torch/headeronly/util/Exception.h>

namespace {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

// [forward]
Tensor relu_forward(const Tensor& x) {
  const Tensor in = torch::stable::contiguous(x);
  Tensor y = torch::stable::empty_like(in);
  THO_DISPATCH_V2(
      x.scalar_type(),
      "relu_forward",
      AT_WRAP([&] {
        const scalar_t* from = in.const_data_ptr<scalar_t>();
        scalar_t* to = y.mutable_data_ptr<scalar_t>();
        for (int64_t i = 0; i < in.numel(); ++i) {
          to[i] = from[i] < scalar_t(0) ? scalar_t(0) : from[i];
        }
      }),
      AT_FLOATING_TYPES,
      ScalarType::Half,
      ScalarType::BFloat16);
  return y;
}
// [/forward]

void check_pair(const Tensor& grad, const Tensor& x) {
  bool same = grad.dim() == x.dim();
  for (int64_t d = 0; same && d < x.dim(); ++d) {
    same = grad.size(d) == x.size(d);
  }
  STD_TORCH_CHECK(same, "relu_backward: expected grad to have the shape of x");
  STD_TORCH_CHECK(
      grad.scalar_type() == x.scalar_type(),
      "relu_backward: expected grad and x to have one dtype");
}

// [backward]
Tensor relu_backward(const Tensor& grad, const Tensor& x) {
  check_pair(grad, x);
  const Tensor g = torch::stable::contiguous(grad);
  const Tensor in = torch::stable::contiguous(x);
  Tensor grad_x = torch::stable::empty_like(in);
  THO_DISPATCH_V2(
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
      AT_FLOATING_TYPES,
      ScalarType::Half,
      ScalarType::BFloat16);
  return grad_x;
}
// [/backward]

} // namespace

// [register]
STABLE_TORCH_LIBRARY(COURSE_NAMESPACE, m) {
  m.def("relu_forward(Tensor x) -> Tensor");
  m.def("relu_backward(Tensor grad, Tensor x) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(COURSE_NAMESPACE, CPU, m) {
  m.impl("relu_forward", TORCH_BOX(&relu_forward));
  m.impl("relu_backward", TORCH_BOX(&relu_backward));
}
// [/register]
