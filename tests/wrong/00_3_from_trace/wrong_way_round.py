# expect: the subtraction is the wrong way round
import torch


def from_trace(a, b):
    return (torch.relu(b - a) * a).sum(dim=0)
