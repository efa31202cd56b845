# expect: this product is not counted at all
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class Cost(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.bytes = 0
        self.flops = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        if func.overloadpacket in (torch.ops.aten.mm,):
            k, n = args[-1].shape
            self.flops += 2 * len(result) * k * n
        if not func.is_view:
            for x in tree_leaves((args, kwargs, result)):
                if isinstance(x, torch.Tensor):
                    self.bytes += x.numel() * x.itemsize
        return result
