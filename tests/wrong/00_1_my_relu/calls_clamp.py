# expect: it calls aten.clamp, which is a ReLU already
import torch


def my_relu(x):
    return torch.clamp(x, min=0)
