"""What `%%cuda NAME` binds: a module of kernels, its kernels, and their launches.

Used through `kernel_lab`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from course_utils import (
    kernel_arguments,
    kernel_compile,
    kernel_gpu,
    kernel_launch,
    kernel_source,
)
from course_utils.kernel_run import words
from course_utils.kernel_source import Kernel, KernelError


@dataclass(frozen=True)
class Launch:
    """A kernel with its grid: `NAME[grid, block]`, ready to be called."""

    module: Module
    kernel: Kernel
    arguments: tuple[str, ...]  # of its template
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic: int

    def __call__(
        self, *args: Any, checked: bool | None = None, time_limit: float | None = None
    ) -> None:
        """Runs the kernel; tensors are changed in place.

        Args:
            checked: run with the checker, in one order of the threads (`check` runs
                both); by default where the launch has at most
                100,000 threads. On a GPU the check runs first, on copies, once for each
                kind of launch.
            time_limit: seconds on the host, by default 10 and one more for each
                million threads; a GPU knows no limit.

        Raises:
            KernelError: if the arguments do not fit the kernel.
            KernelFault: if the checker found errors, or the kernel crashed or did not
                end. The tensors are then as before.
        """
        kernel_launch.call(self, args, checked, time_limit)

    def __repr__(self) -> str:
        return f"{self.module.name}: {words(self)}"


class _Instance:
    """One kernel of a module, with or without arguments for its template."""

    def __init__(self, module: Module, kernel: Kernel, arguments: tuple[str, ...] = ()):
        self._module, self._kernel, self._arguments = module, kernel, arguments

    def of(self, *arguments: Any) -> _Instance:
        """Sets template arguments: C++ text, ints, bools or torch dtypes."""
        texts = tuple(kernel_arguments.template_text(a) for a in arguments)
        return _Instance(self._module, self._kernel, texts)

    def __getitem__(self, where: Any) -> Launch:
        grid, block, dynamic = kernel_arguments.sizes(where, self._kernel.name)
        return Launch(self._module, self._kernel, self._arguments, grid, block, dynamic)

    def __call__(self, *args: Any) -> None:
        raise KernelError(
            f"{self._kernel.name} needs a grid and a block: write "
            f"`{self._kernel.name}[blocks, threads](...)`"
        )

    def __repr__(self) -> str:
        return f"kernel {self._kernel}"


class Module:
    """The kernels of one text.

    Attributes:
        name: what the cell or file is called.
        source: the text.
        kernels: names of its kernels, in order; each is an attribute too.
    """

    def __init__(
        self, text: str, name: str, first_line: int = 1, folder: Path | None = None
    ) -> None:
        self.name, self.source, self.first_line = name, text, first_line
        self.parsed = kernel_source.read(text, name, first_line, folder)
        self.kernels = tuple(self.parsed.kernels)
        self.symbols: dict[str, bytes] = {}
        started = time.perf_counter()
        if torch.cuda.is_available():
            kernel_gpu.prepare(self.parsed, self.plain(), torch.cuda.current_device())
        else:
            kernel_compile.compile_library(
                self.parsed, self.plain(), kernel_compile.CHECKED
            )
        self.seconds = time.perf_counter() - started

    def plain(self) -> list[str]:
        """The kernels that are no templates, as expressions."""
        all_kernels = self.parsed.kernels.values()
        return [k.qualified for k in all_kernels if not k.template]

    def set(self, name: str, value: torch.Tensor) -> None:
        """Sets a `__constant__` or `__device__` variable for the launches to come.

        On the host every launch begins with this value, or with the one in the text.

        Raises:
            KernelError: if the text has no such variable.
        """
        if name not in self.parsed.symbols:
            known = ", ".join(self.parsed.symbols) or "none"
            raise KernelError(
                f"{self.name} has no variable {name!r} outside of functions that is "
                f"`__constant__` or `__device__`; it has {known}"
            )
        flat = value.detach().cpu().contiguous().reshape(-1)
        self.symbols[name] = flat.view(torch.uint8).numpy().tobytes()

    def kernel(self, name: str) -> _Instance:
        """A kernel by its name.

        Raises:
            KernelError: if there is none, with the names that there are.
        """
        if name not in self.parsed.kernels:
            raise KernelError(
                f"{self.name} has no kernel {name!r}; it has {', '.join(self.kernels)}"
            )
        return _Instance(self, self.parsed.kernels[name])

    def __getattr__(self, name: str) -> _Instance:
        if name.startswith("_") or name not in self.__dict__.get("kernels", ()):
            known = ", ".join(self.__dict__.get("kernels", ()))
            raise AttributeError(f"no kernel {name!r}; this module has {known}")
        return self.kernel(name)

    def __getitem__(self, where: Any) -> Launch:
        if len(self.kernels) > 1 and self.name not in self.kernels:
            raise KernelError(
                f"{self.name} has {len(self.kernels)} kernels; say which one: "
                + ", ".join(f"`{self.name}.{k}[...]`" for k in self.kernels)
            )
        name = self.name if self.name in self.kernels else self.kernels[0]
        return self.kernel(name)[where]

    def __call__(self, *args: Any) -> None:
        raise KernelError(
            f"{self.name} needs a grid and a block: write "
            f"`{self.name}[blocks, threads](...)`"
        )

    def __repr__(self) -> str:
        kernels = "; ".join(map(str, self.parsed.kernels.values()))
        return f"CUDA module {self.name}: {kernels}"


@dataclass(frozen=True)
class FailedModule:
    """Stands for a cell that did not compile."""

    name: str
    error: KernelError = field(compare=False)

    @property
    def build_error(self) -> str:
        """The compiler's first error, in one line."""
        lines = [s for s in str(self.error).splitlines() if "error: " in s]
        return lines[0] if lines else str(self.error)

    def __getitem__(self, where: Any) -> Launch:
        raise KernelError(repr(self))

    def __repr__(self) -> str:
        return f"{self.name}: did not compile ({self.build_error})"
