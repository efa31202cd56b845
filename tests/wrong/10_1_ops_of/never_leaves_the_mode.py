# expect: its mode is still active after the call
from torch.utils._python_dispatch import TorchDispatchMode


def ops_of(fn, *args):
    names = []

    class Listen(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if func.namespace == "aten":
                names.append(str(func.overloadpacket))
            return func(*args, **(kwargs or {}))

    Listen().__enter__()
    fn(*args)
    return names
