# expect: the whole storage is counted
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

PRODUCTS = (torch.ops.aten.mm, torch.ops.aten.addmm)


class Cost(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.bytes = self.flops = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        if not func.is_view:
            for t in tree_leaves((args, kwargs, out)):
                if isinstance(t, torch.Tensor):
                    self.bytes += t.untyped_storage().nbytes()
        if func.overloadpacket in PRODUCTS:
            k, n = args[-1].shape
            self.flops += 2 * out.shape[0] * k * n
        return out
