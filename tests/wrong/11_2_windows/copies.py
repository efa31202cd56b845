# expect: it copies
import torch


def windows(x, size):
    return torch.stack([x[i : i + size] for i in range(len(x) - size + 1)])
