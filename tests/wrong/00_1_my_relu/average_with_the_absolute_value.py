# expect: the largest finite number became inf
import torch


def my_relu(x):
    return (x + torch.abs(x)) / 2
