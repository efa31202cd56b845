"""The production operator of `csrc/relu`: compiled once, then `relu(x)`.

CPU and CUDA kernels, a fake kernel for tracing, a gradient and a gradient of that.
Lessons 22 and 31 use it. On a machine with a GPU and nvcc the CUDA side is built too.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import torch

from course_utils import build
from course_utils.paths import CSRC

CPU_FILES = ("relu/relu_cpu.cpp",)
CUDA_FILES = ("relu/relu_cuda.cpp", "relu/relu.cu")


_operators: Any = None


def operators() -> Any:
    """The namespace with `relu` and `relu_backward`, loaded and registered.

    Raises:
        build.BuildError: if it does not compile.
    """
    global _operators
    if _operators is not None:
        return _operators
    if torch.cuda.is_available() and shutil.which("nvcc"):
        space = _with_cuda()
    else:
        extension = build.load(list(CPU_FILES), name="course_relu")
        extension.load()
        space = extension.namespace
    _register(space)
    _operators = getattr(torch.ops, space)
    return _operators


def relu(x: torch.Tensor) -> torch.Tensor:
    """x: any shape and strides, floating; returns torch.relu(x), NaN kept.

    Strides are kept where x fills one run of memory; others come out contiguous. Call
    it, or `operators()`, once before it is traced by torch.compile.

    Raises:
        RuntimeError: for another dtype; says which were expected.
    """
    ops = _operators if _operators is not None else operators()
    return ops.relu(x)


def _with_cuda() -> str:
    """Both sides in one library, by torch's own helper, which knows nvcc's flags."""
    from torch.utils.cpp_extension import load

    from course_utils import compiler

    files = [str(CSRC / f) for f in (*CPU_FILES, *CUDA_FILES)]
    texts = [Path(f).read_text() for f in files]
    space = f"course_relu_{build._key(texts, 'stable', ())}"
    load(
        space,
        files,
        is_python_module=False,
        extra_cflags=["-O2", "-DUSE_CUDA", f"-DCOURSE_NAMESPACE={space}"],
        extra_cuda_cflags=["-O2"],
        extra_ldflags=[f for f in compiler.flags("stable") if f.startswith("-l:")],
    )
    return space


def _register(space: str) -> None:
    library = torch.library

    def fake_relu(x: torch.Tensor) -> torch.Tensor:
        return torch.empty_like(x)

    def fake_backward(grad: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.empty_like(y)

    library.register_fake(f"{space}::relu", fake_relu)
    library.register_fake(f"{space}::relu_backward", fake_backward)
    ops = getattr(torch.ops, space)

    def save_result(ctx: Any, inputs: tuple, output: torch.Tensor) -> None:
        ctx.save_for_backward(output)

    def relu_backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        (y,) = ctx.saved_tensors
        return ops.relu_backward(grad, y)

    def save_y(ctx: Any, inputs: tuple, output: torch.Tensor) -> None:
        ctx.save_for_backward(inputs[1])

    def twice_backward(ctx: Any, grad: torch.Tensor) -> tuple:
        (y,) = ctx.saved_tensors
        return ops.relu_backward(grad, y), None  # in y it is a step: slope 0

    library.register_autograd(
        f"{space}::relu", relu_backward, setup_context=save_result
    )
    library.register_autograd(
        f"{space}::relu_backward", twice_backward, setup_context=save_y
    )
