"""CUDA C++ in a notebook, with or without a GPU.

`%%cuda NAME` (or `load`, `compile`) gives a `Module`; `NAME[grid, block](x, y, n)`
launches its kernel. Tensors on a GPU go to NVRTC's code; tensors on the CPU go to a
small runtime on the host, where small launches are checked: out-of-bounds accesses,
races, barriers and more become sentences. Used by lessons 22, 23 and 90.
"""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path
from typing import Any

import torch

from course_utils import kernel_compile, kernel_launch
from course_utils.answers import Unattempted, has_gap
from course_utils.kernel_arguments import Raw, raw
from course_utils.kernel_check import Finding, Report
from course_utils.kernel_launch import KernelFault
from course_utils.kernel_module import FailedModule, Launch, Module
from course_utils.kernel_source import KernelError
from course_utils.kernel_trace import Trace
from course_utils.paths import CSRC

__all__ = [
    "FailedModule",
    "Finding",
    "KernelError",
    "KernelFault",
    "Launch",
    "Module",
    "Raw",
    "Report",
    "Trace",
    "check",
    "compile",
    "cuda_magic",
    "kernel_lab_bench",
    "load",
    "raw",
    "trace",
]


def compile(
    text: str, name: str, first_line: int = 1, folder: Path | None = None
) -> Module:
    """Compiles CUDA text.

    Args:
        text: kernels; host functions in it are left out.
        name: for messages.
        first_line: the number of its first line.
        folder: where files of `#include "..."` are; those not found are left out.

    Raises:
        KernelError: with the compiler's errors, or with what the host can't run.
    """
    return Module(text, name, first_line, folder)


def load(path: str | Path) -> Module:
    """Compiles a file: one of `csrc`, such as "sum/01_atomic.cu", or any other path."""
    file = CSRC / path
    if not file.is_file():
        raise KernelError(f"expected a file in csrc, got {str(path)!r}; there is none")
    return Module(file.read_text(), file.stem, 1, file.parent)


def cuda_magic(line: str, cell: str) -> Module | Unattempted:
    """What `%%cuda NAME` does: compiles the cell and binds NAME in the notebook.

    Lines are counted as JupyterLab shows them: the cell's first line is the magic. A
    cell with a line that is only `...` is not compiled. One that does not compile
    leaves a `FailedModule` behind, so that no older kernel is launched or judged.

    Raises:
        KernelError: with the compiler's errors.
    """
    words = shlex.split(line)
    if len(words) != 1 or not words[0].isidentifier():
        raise KernelError(f"expected `%%cuda NAME` with one name, got {line!r}")
    name = words[0]
    if has_gap(cell):
        return _bind(name, Unattempted(name))
    try:
        return _bind(name, Module(cell, name, 2))
    except KernelError as error:
        _bind(name, FailedModule(name, error))
        raise


def _bind(name: str, value: Any) -> Any:
    """Sets a name in the notebook, if there is one; returns the value."""
    if "IPython" in sys.modules:
        shell = sys.modules["IPython"].get_ipython()
        if shell is not None:
            shell.user_ns[name] = value
    return value


def check(launch: Launch, *args: Any, time_limit: float = 10.0) -> Report:
    """Runs a launch with the checker, in two orders of its threads.

    The arguments stay as they are; tensors of a GPU are checked as copies.

    Raises:
        KernelError: if the arguments do not fit the kernel.
    """
    return kernel_launch.check(launch, args, time_limit)


def trace(launch: Launch, *args: Any, time_limit: float = 10.0) -> Trace:
    """Runs a launch and keeps every access of every thread.

    The arguments stay as they are. At most 4,000,000 accesses.

    Raises:
        KernelError: if the arguments do not fit the kernel, or it does not end well.
    """
    return kernel_launch.trace(launch, args, time_limit)


def kernel_lab_bench() -> dict[str, float]:
    """Times the lab on the host.

    Returns:
        Seconds from an edited text to its result (`edit_to_result`), threads a second
        without and with the checker, and seconds of the smallest launch.
    """
    text = """__global__ void relu(const float* x, float* y, int n) {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) y[i] = x[i] < 0 ? 0 : x[i];
    }"""
    kernel_compile.runner()
    x = torch.randn(1 << 20)
    y = torch.empty_like(x)

    def seconds(checked: bool, n: int) -> float:
        launch = module[n // 256, 256]
        launch(x[:n], y[:n], n, checked=checked)
        begin = time.perf_counter()
        launch(x[:n], y[:n], n, checked=checked)
        return time.perf_counter() - begin

    begin = time.perf_counter()
    module = compile(f"// {time.time_ns()}\n" + text, "bench")
    module[4, 256](x[:1024], y[:1024], 1024)
    edit = time.perf_counter() - begin
    return {
        "edit_to_result": edit,
        "threads_per_second": (1 << 20) / seconds(False, 1 << 20),
        "checked_threads_per_second": (1 << 17) / seconds(True, 1 << 17),
        "smallest_launch": seconds(True, 256),
    }
