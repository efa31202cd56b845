from torch.utils._python_dispatch import TorchDispatchMode


def ops_of(fn, *args) -> list[str]:
    """fn: any function of tensors; returns the names of the ATen operators it ran."""
    names = []

    class Listen(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if func.namespace == "aten":
                names.append(str(func.overloadpacket))
            return func(*args, **(kwargs or {}))

    with Listen():
        fn(*args)
    return names
