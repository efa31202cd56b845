# expect: the result has dtype torch.float32, expected torch.float16
import torch


def my_relu(x):
    if x.dtype == torch.float64:
        return torch.where(x < 0, 0.0, x)
    return torch.where(x < 0, torch.zeros(x.shape), x)
