# expect: it lists a name that is no ATen operator
from torch.overrides import TorchFunctionMode, resolve_name


def ops_of(fn, *args):
    names = []

    class Listen(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            names.append(resolve_name(func))
            return func(*args, **(kwargs or {}))

    with Listen():
        fn(*args)
    return names
