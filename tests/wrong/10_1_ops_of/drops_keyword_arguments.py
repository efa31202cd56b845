# expect: it raised TypeError: zeros_like was called without its keyword argument
from torch.utils._python_dispatch import TorchDispatchMode


def ops_of(fn, *args):
    names = []

    class Listen(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if func.namespace == "aten":
                names.append(str(func.overloadpacket))
            return func(*args)

    with Listen():
        fn(*args)
    return names
