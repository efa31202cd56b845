# expect: oneDNN is not asked for one small image

import torch


def conv_kernel(x_shape, w_shape, dtype):
    batch, *_ = x_shape
    _, _, height, width = w_shape
    large = True
    if dtype == torch.float32 and large:
        return "aten::mkldnn_convolution"
    return "aten::_slow_conv2d_forward"
