# expect: it sums over the columns
import torch


def from_trace(a, b):
    return (torch.relu(a - b) * a).sum(dim=1)
