# expect: oneDNN is not asked for a window of 3 x 5
import math

import torch


def conv_kernel(x_shape, w_shape, dtype):
    batch, *_ = x_shape
    _, _, height, width = w_shape
    large = batch > 1 or math.prod(x_shape) > 20480 or (height > 3 or width > 3)
    if dtype == torch.float32 and large:
        return "aten::mkldnn_convolution"
    return "aten::_slow_conv2d_forward"
