# expect: an operator that runs twice is listed once
from torch.utils._python_dispatch import TorchDispatchMode


def ops_of(fn, *args):
    names = {}

    class Listen(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if func.namespace == "aten":
                names[str(func.overloadpacket)] = True
            return func(*args, **(kwargs or {}))

    with Listen():
        fn(*args)
    return list(names)
