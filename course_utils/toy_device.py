"""A device written in Python: its memory is numpy arrays, its kernels numpy calls.

Used by lesson 12. `install` claims PyTorch's spare backend, PrivateUse1, under the name
"toy". A process can do that only once and can't undo it, so the lesson works in
processes of their own (`isolate`). Built on
`torch.utils.backend_registration._setup_privateuseone_for_python_backend`, which is
private and marked as experimental.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

NAME = "toy"
calls: list[str] = []  # the kernels that ran, in order
_arrays: dict[int, np.ndarray] = {}  # address of a storage -> its numbers
_library: torch.library.Library | None = None


# [memory]
def wrap(array: Any) -> torch.Tensor:
    """array: any shape, float32; returns a toy tensor that stands for it."""
    array = np.asarray(array, dtype="float32")
    tensor = torch._C._acc.create_empty_tensor(list(array.shape), torch.float32)
    _arrays[tensor.untyped_storage()._cdata] = array
    return tensor


def array_of(tensor: torch.Tensor) -> np.ndarray:
    """The numbers of a toy tensor, whichever Python object holds it now.

    They are found by the storage, not kept as an attribute of the tensor: autograd
    saves outputs without their Python object, and an attribute would be lost there.
    """
    return _arrays[tensor.untyped_storage()._cdata]


# [/memory]


# [kernel]
def kernel(name: str) -> Callable[[Callable], Callable]:
    """Registers a function as the toy's kernel of `aten::<name>`, and logs its calls.

    Raises:
        RuntimeError: before `install`.
    """
    if _library is None:
        raise RuntimeError("expected a toy device; call toy_device.install() first")

    def register(fn: Callable) -> Callable:
        def logged(*args: Any, **kwargs: Any) -> Any:
            calls.append(name)
            return fn(*args, **kwargs)

        _library.impl(name, logged, "PrivateUse1")
        return fn

    return register


# [/kernel]


# [install]
def install() -> None:
    """Claims PrivateUse1 as "toy" and registers what every device must have.

    Raises:
        RuntimeError: if this process has a PrivateUse1 backend already.
    """
    from torch.utils import backend_registration

    global _library
    backend_registration._setup_privateuseone_for_python_backend(NAME)
    _library = torch.library.Library("aten", "IMPL")
    kernel("empty.memory_format")(lambda size, **_: wrap(np.zeros(size)))
    kernel("empty_strided")(lambda size, stride, **_: wrap(np.zeros(size)))
    kernel("_copy_from")(_copy_from)


def _copy_from(
    src: torch.Tensor, dst: torch.Tensor, non_blocking: bool = False
) -> torch.Tensor:
    """One of the two is on the CPU: `x.to("toy")` one way, `x.cpu()` the other."""
    if src.device.type == NAME:
        return dst.copy_(torch.from_numpy(array_of(src).copy()))
    array_of(dst)[...] = src.numpy()
    return dst


# [/install]


# [relu]
def install_relu() -> None:
    """ReLU, and what its gradient needs: six kernels."""
    kernel("relu")(lambda x: wrap(np.maximum(array_of(x), 0)))
    kernel("sum")(lambda x, **_: wrap(array_of(x).sum()))
    kernel("ones_like")(lambda x, **_: wrap(np.ones_like(array_of(x))))
    kernel("expand")(
        lambda x, size, **_: wrap(np.broadcast_to(array_of(x), tuple(size)))
    )
    kernel("detach")(lambda x: wrap(array_of(x)))
    kernel("threshold_backward")(
        lambda grad, y, at: wrap(np.where(array_of(y) <= at, 0, array_of(grad)))
    )


# [/relu]


def session(fn: Callable[[], None]) -> None:
    """Runs `fn` with the device installed, in a process of its own; prints its output.

    Raises:
        isolate.Crashed: if it did not return; the message says why.
    """
    from course_utils import isolate

    def work() -> None:
        install()
        fn()

    outcome = isolate.run(work, time_limit=60.0)
    print(outcome.output.rstrip())
    if not outcome.ok:
        raise isolate.Crashed(f"the session {outcome.sentence}")
