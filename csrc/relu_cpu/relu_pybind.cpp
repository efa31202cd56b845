// ReLU and its gradient as most tutorials bind them: by pybind11, in terms of
// ATen's own operations.
//
// The functions are Python functions of a module: no schema, so torch.compile
// and torch.export cannot look into them, and a build serves one release of
// torch and of Python. The header alone takes half a minute to compile.
#include <torch/extension.h>

namespace {

torch::Tensor relu_forward(const torch::Tensor& x) {
  return torch::relu(x);
}

// where, not grad * (x > 0): 0 * inf and 0 * NaN are NaN. The gradient passes
// where x is NaN, as in relu_stable.cpp.
torch::Tensor relu_backward(const torch::Tensor& grad, const torch::Tensor& x) {
  return torch::where(x <= 0, torch::zeros_like(grad), grad);
}

} // namespace

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("relu_forward", &relu_forward, "max(x, 0), NaN kept");
  m.def("relu_backward", &relu_backward, "grad where x > 0, else 0");
}
