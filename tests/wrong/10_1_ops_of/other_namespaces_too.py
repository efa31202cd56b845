# expect: below autograd other namespaces pass too
from torch.utils._python_dispatch import TorchDispatchMode


def ops_of(fn, *args):
    names = []

    class Listen(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            names.append(str(func.overloadpacket))
            return func(*args, **(kwargs or {}))

    with Listen():
        fn(*args)
    return names
