# expect: the names of an earlier call are still in the list
from torch.utils._python_dispatch import TorchDispatchMode


class Listen(TorchDispatchMode):
    names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.namespace == "aten":
            self.names.append(str(func.overloadpacket))
        return func(*args, **(kwargs or {}))


def ops_of(fn, *args):
    with Listen() as listen:
        fn(*args)
    return list(listen.names)
