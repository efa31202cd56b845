# expect: it asks PyTorch (aten.empty)
import torch


def strides_of(shape):
    return torch.empty(shape).stride()
