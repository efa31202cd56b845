# expect: operator 1 of its trace is aten.clone
import torch


def from_trace(a, b):
    return (torch.relu(a.clone() - b) * a).sum(dim=0)
