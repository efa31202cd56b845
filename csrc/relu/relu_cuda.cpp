// The CUDA side of course::relu: check, guard the device, allocate, take the
// current stream, launch, check. The kernels are in relu.cu.
#include "layout.h"
#include "relu.h"

#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/util/Exception.h>

namespace {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

course::Dtype dtype_of(const Tensor& x) {
  switch (x.scalar_type()) {
    case ScalarType::Float:
      return course::Dtype::kFloat;
    case ScalarType::Double:
      return course::Dtype::kDouble;
    case ScalarType::Half:
      return course::Dtype::kHalf;
    case ScalarType::BFloat16:
      return course::Dtype::kBFloat16;
    default:
      STD_TORCH_CHECK(
          false,
          "relu: expected float64, float32, float16 or bfloat16, got ",
          torch::headeronly::toString(x.scalar_type()));
  }
}

// The stream that the caller is working on, not the default stream: otherwise
// the kernel races with a side stream and escapes the capture of a CUDA graph.
cudaStream_t current_stream(const Tensor& x) {
#if defined(TORCH_VERSION_2_13_0) && \
    TORCH_FEATURE_VERSION >= TORCH_VERSION_2_13_0
  const auto stream =
      torch::stable::accelerator::getCurrentStream(x.get_device_index());
  return static_cast<cudaStream_t>(stream.nativeHandle());
#else
  void* stream = nullptr;
  TORCH_ERROR_CODE_CHECK(
      aoti_torch_get_current_cuda_stream(x.get_device_index(), &stream));
  return static_cast<cudaStream_t>(stream);
#endif
}

void check_launch(cudaError_t error) {
  STD_TORCH_CHECK(
      error == cudaSuccess, "relu: launch failed: ", cudaGetErrorString(error));
}

Tensor relu_cuda(const Tensor& x) {
  const course::Dtype dtype = dtype_of(x);
  const torch::stable::accelerator::DeviceGuard guard(x.get_device_index());
  const Tensor dense = course::is_dense(x) ? x : torch::stable::contiguous(x);
  Tensor y = torch::stable::empty_like(dense);
  check_launch(course::launch_relu(
      dense.const_data_ptr(),
      y.mutable_data_ptr(),
      dense.numel(),
      dtype,
      current_stream(x)));
  return y;
}

Tensor relu_backward_cuda(const Tensor& grad, const Tensor& y) {
  course::check_pair(grad, y);
  const course::Dtype dtype = dtype_of(y);
  const torch::stable::accelerator::DeviceGuard guard(y.get_device_index());
  const bool together = course::is_dense(y) && course::same_strides(grad, y);
  const Tensor g = together ? grad : torch::stable::contiguous(grad);
  const Tensor saved = together ? y : torch::stable::contiguous(y);
  Tensor grad_x = torch::stable::empty_like(saved);
  check_launch(course::launch_relu_backward(
      g.const_data_ptr(),
      saved.const_data_ptr(),
      grad_x.mutable_data_ptr(),
      saved.numel(),
      dtype,
      current_stream(y)));
  return grad_x;
}

} // namespace

STABLE_TORCH_LIBRARY_IMPL(COURSE_NAMESPACE, CUDA, m) {
  m.impl("relu", TORCH_BOX(&relu_cuda));
  m.impl("relu_backward", TORCH_BOX(&relu_backward_cuda));
}
