# expect: negative numbers come out
import torch


def my_relu(x):
    return torch.where(x > 0, 0, x)
