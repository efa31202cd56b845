# expect: operator 3 of its trace is aten.sum
import torch


def from_trace(a, b):
    return torch.relu(a - b).sum(dim=0)
