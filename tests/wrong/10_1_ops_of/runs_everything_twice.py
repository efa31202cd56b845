# expect: every operator runs twice
from torch.utils._python_dispatch import TorchDispatchMode


def ops_of(fn, *args):
    names = []

    class Listen(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if func.namespace == "aten":
                names.append(str(func.overloadpacket))
            func(*args, **(kwargs or {}))
            return func(*args, **(kwargs or {}))

    with Listen():
        fn(*args)
    return names
