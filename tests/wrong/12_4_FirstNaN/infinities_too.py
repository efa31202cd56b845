# expect: an infinity is no NaN
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


def holds_nan(values):
    """Whether any tensor in nested lists, tuples and dicts holds a NaN."""
    tensors = [x for x in tree_leaves(values) if isinstance(x, torch.Tensor)]
    return any(not x.isfinite().all() for x in tensors)


class FirstNaN(TorchDispatchMode):
    """Names the operator that made the first NaN."""

    op = None

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        clean = not holds_nan(args)
        result = func(*args, **(kwargs or {}))
        if self.op is None and clean and holds_nan(result):
            self.op = str(func)
        return result
