"""Loads what NVRTC compiled and launches it on the GPU.

`torch.cuda._compile_kernel` does the same for one kernel; it takes every Python int for
a C `int`, whatever the kernel's parameter is, so arguments are packed here by the
parameter's type. Used by `kernel_lab` for tensors that live on a GPU.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any

import torch

from course_utils.kernel_nvrtc import compile_cubin
from course_utils.kernel_source import KernelError, Source
from course_utils.kernel_types import Parameter

_SCALARS: dict[str, Any] = {
    "f4": ctypes.c_float,
    "f8": ctypes.c_double,
    "b1": ctypes.c_bool,
    "i1": ctypes.c_int8,
    "u1": ctypes.c_uint8,
    "i2": ctypes.c_int16,
    "u2": ctypes.c_uint16,
    "i4": ctypes.c_int32,
    "u4": ctypes.c_uint32,
    "i8": ctypes.c_int64,
    "u8": ctypes.c_uint64,
}


@cache
def _driver() -> ctypes.CDLL:
    return ctypes.CDLL("libcuda.so.1")


def _cuda(status: int, what: str) -> None:
    if status != 0:
        text = ctypes.c_char_p()
        _driver().cuGetErrorString(status, ctypes.byref(text))
        words = (text.value or b"unknown error").decode()
        raise KernelError(f"{what}: {words} (CUDA error {status})")


def _architecture(device: int) -> str:
    major, minor = torch.cuda.get_device_capability(device)
    return f"sm_{major}{minor}"


@cache
def _load(
    name: str, kept: str, expressions: tuple[str, ...], device: int
) -> tuple[ctypes.c_void_p, tuple[str, ...]]:
    """The loaded module, and the name in it for each expression."""
    torch.cuda.init()
    with torch.cuda.device(device):
        torch.zeros(1, device="cuda")  # makes the context current
        binary, names = compile_cubin(
            Source(name, "", kept), expressions, _architecture(device)
        )
        module = ctypes.c_void_p()
        _cuda(_driver().cuModuleLoadData(ctypes.byref(module), binary), "loading")
    return module, tuple(names)


def _symbol_expressions(source: Source) -> tuple[str, ...]:
    return tuple(f"&{full}" for full in source.symbols.values())


def _set_symbols(
    source: Source, module: ctypes.c_void_p, names: Sequence[str], values: dict
) -> None:
    lowered = dict(zip(source.symbols, names, strict=True))
    for name, value in values.items():
        address, room = ctypes.c_uint64(), ctypes.c_size_t()
        _cuda(
            _driver().cuModuleGetGlobal_v2(
                ctypes.byref(address),
                ctypes.byref(room),
                module,
                lowered[name].encode(),
            ),
            f"finding {name}",
        )
        if len(value) > room.value:
            raise KernelError(f"{name} has {room.value} bytes, got {len(value)}")
        size = ctypes.c_size_t(len(value))
        _cuda(_driver().cuMemcpyHtoD_v2(address, value, size), f"setting {name}")


def prepare(source: Source, expressions: Sequence[str], device: int) -> None:
    """Compiles and loads, so that errors show before the first launch."""
    if expressions:
        wanted = (*expressions, *_symbol_expressions(source))
        _load(source.name, source.kept, wanted, device)
    else:  # templates only: they are compiled at their first launch
        compile_cubin(source, (), _architecture(device))


def pack(value: Any, code: str, kernel: str, parameter: Parameter) -> Any:
    """One argument as the C value that the kernel's parameter wants."""
    if isinstance(value, torch.Tensor):
        return ctypes.c_void_p(value.data_ptr())
    if value is None:
        return ctypes.c_void_p(None)
    if code in ("f2", "b2"):
        dtype = torch.float16 if code == "f2" else torch.bfloat16
        bits = torch.tensor(float(value)).to(dtype).view(torch.int16).item()
        return ctypes.c_int16(int(bits))
    if code not in _SCALARS:
        raise KernelError(
            f"{kernel}: a notebook can't pass `{parameter}`; kernels take pointers and "
            "numbers"
        )
    return _SCALARS[code](value)


def launch(
    source: Source,
    expressions: Sequence[str],
    entry: int,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    dynamic: int,
    values: Sequence[Any],
    device: int,
    symbols: dict[str, bytes],
) -> None:
    """Launches on the current stream of `device`; `values` come from `pack`."""
    wanted = (*expressions, *_symbol_expressions(source))
    module, names = _load(source.name, source.kept, wanted, device)
    function = ctypes.c_void_p()
    pointers = (ctypes.c_void_p * max(len(values), 1))()
    for i, value in enumerate(values):
        pointers[i] = ctypes.cast(ctypes.pointer(value), ctypes.c_void_p)
    with torch.cuda.device(device):
        _cuda(
            _driver().cuModuleGetFunction(
                ctypes.byref(function), module, names[entry].encode()
            ),
            f"finding the kernel {expressions[entry]}",
        )
        _set_symbols(source, module, names[len(expressions) :], symbols)
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        _cuda(
            _driver().cuLaunchKernel(
                function, *grid, *block, dynamic, stream, pointers, None
            ),
            "the launch",
        )
