// Launchers of the ReLU kernels: plain pointers, a count and a stream in, the
// launch's error code out. No header of PyTorch is included here or in relu.cu,
// so an edit of a kernel compiles in about a second.
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

namespace course {

enum class Dtype { kFloat, kDouble, kHalf, kBFloat16 };

// y[i] = x[i] < 0 ? 0 : x[i], for i in [0, n). NaN stays NaN.
// x, y: n elements of dtype, device memory. n == 0 launches nothing.
cudaError_t launch_relu(
    const void* x,
    void* y,
    int64_t n,
    Dtype dtype,
    cudaStream_t stream);

// grad_x[i] = y[i] <= 0 ? 0 : grad[i], for i in [0, n): y is relu's result, so
// the gradient at 0 is 0, and where y is NaN the gradient passes.
cudaError_t launch_relu_backward(
    const void* grad,
    const void* y,
    void* grad_x,
    int64_t n,
    Dtype dtype,
    cudaStream_t stream);

} // namespace course
