# expect: it sums everything to one number
import torch


def from_trace(a, b):
    return (torch.relu(a - b) * a).sum()
