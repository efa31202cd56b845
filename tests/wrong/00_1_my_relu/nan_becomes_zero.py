# expect: NaN became a number
import torch


def my_relu(x):
    return torch.where(x > 0, x, 0)
