# expect: oneDNN is not asked for float64
import math


def conv_kernel(x_shape, w_shape, dtype):
    batch, *_ = x_shape
    _, _, height, width = w_shape
    large = batch > 1 or math.prod(x_shape) > 20480 or (height > 3 and width > 3)
    if large:
        return "aten::mkldnn_convolution"
    return "aten::_slow_conv2d_forward"
