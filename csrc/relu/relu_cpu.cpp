// course::relu and course::relu_backward: the schemas and the CPU kernels.
//
// relu(x):              y = x < 0 ? 0 : x, NaN kept; strides kept where x is dense
// relu_backward(g, y):  y <= 0 ? 0 : g, from relu's result y
#include "layout.h"

#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/Dispatch_v2.h>
#include <torch/headeronly/util/Exception.h>

namespace {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

constexpr int64_t kGrain = 32768; // elements that are worth a thread

Tensor relu_cpu(const Tensor& x) {
  const Tensor dense = course::is_dense(x) ? x : torch::stable::contiguous(x);
  Tensor y = torch::stable::empty_like(dense);
  THO_DISPATCH_V2(
      x.scalar_type(),
      "relu",
      AT_WRAP([&] {
        const scalar_t* in = dense.const_data_ptr<scalar_t>();
        scalar_t* out = y.mutable_data_ptr<scalar_t>();
        torch::stable::parallel_for(
            0, dense.numel(), kGrain, [&](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; ++i) {
                out[i] = in[i] < scalar_t(0) ? scalar_t(0) : in[i];
              }
            });
      }),
      AT_FLOATING_TYPES,
      ScalarType::Half,
      ScalarType::BFloat16);
  return y;
}

Tensor relu_backward_cpu(const Tensor& grad, const Tensor& y) {
  course::check_pair(grad, y);
  const bool together = course::is_dense(y) && course::same_strides(grad, y);
  const Tensor g = together ? grad : torch::stable::contiguous(grad);
  const Tensor saved = together ? y : torch::stable::contiguous(y);
  Tensor grad_x = torch::stable::empty_like(saved);
  THO_DISPATCH_V2(
      y.scalar_type(),
      "relu_backward",
      AT_WRAP([&] {
        const scalar_t* in = g.const_data_ptr<scalar_t>();
        const scalar_t* kept = saved.const_data_ptr<scalar_t>();
        scalar_t* out = grad_x.mutable_data_ptr<scalar_t>();
        torch::stable::parallel_for(
            0, saved.numel(), kGrain, [&](int64_t begin, int64_t end) {
              for (int64_t i = begin; i < end; ++i) {
                out[i] = kept[i] <= scalar_t(0) ? scalar_t(0) : in[i];
              }
            });
      }),
      AT_FLOATING_TYPES,
      ScalarType::Half,
      ScalarType::BFloat16);
  return grad_x;
}

} // namespace

STABLE_TORCH_LIBRARY(COURSE_NAMESPACE, m) {
  m.def("relu(Tensor x) -> Tensor");
  m.def("relu_backward(Tensor grad, Tensor y) -> Tensor");
}

STABLE_TORCH_LIBRARY_IMPL(COURSE_NAMESPACE, CPU, m) {
  m.impl("relu", TORCH_BOX(&relu_cpu));
  m.impl("relu_backward", TORCH_BOX(&relu_backward_cpu));
}
