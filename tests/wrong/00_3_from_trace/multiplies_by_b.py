# expect: it multiplies by b
import torch


def from_trace(a, b):
    return (torch.relu(a - b) * b).sum(dim=0)
