# expect: the result has shape
import torch


def my_relu(x):
    return torch.tensor([0.0 if v < 0 else v for v in x.flatten().tolist()])
