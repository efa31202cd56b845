"""Compiles a kernel for a GPU with NVRTC; needs no GPU itself.

Used by `kernel_gpu`, and by the tests to compile every kernel where NVRTC is found.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import torch

from course_utils.kernel_source import KEPT_HEADERS, KernelError, Source

# What a kernel gets from the standard headers, which NVRTC does not have.
_MACROS = {
    "INFINITY": "__int_as_float(0x7f800000)",
    "NAN": "__int_as_float(0x7fffffff)",
    "FLT_MAX": "3.402823466e+38f",
    "FLT_MIN": "1.175494351e-38f",
    "FLT_EPSILON": "1.192092896e-07f",
    "DBL_MAX": "1.7976931348623158e+308",
    "DBL_EPSILON": "2.2204460492503131e-16",
    "INT_MAX": "2147483647",
    "INT_MIN": "(-2147483647 - 1)",
    "UINT_MAX": "0xffffffffu",
    "LLONG_MAX": "9223372036854775807LL",
    "M_PI": "3.14159265358979323846",
    "M_SQRT2": "1.41421356237309504880",
    "M_SQRT1_2": "0.70710678118654752440",
    "M_2_SQRTPI": "1.12837916709551257390",
    "HC_NOINLINE": "__attribute__((noinline))",
    "assert(e)": "((e) ? (void)0 : __trap())",
}
_TYPEDEFS = """
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
"""
PRELUDE = _TYPEDEFS + "".join(
    f"#ifndef {name.split('(')[0]}\n#define {name} {value}\n#endif\n"
    for name, value in _MACROS.items()
)


@cache
def nvrtc() -> ctypes.CDLL:
    """NVRTC's library, as torch has loaded it or as the system has it."""
    major = (torch.version.cuda or "13").split(".")[0]
    names = [f"libnvrtc.so.{major}", "libnvrtc.so"]
    names += [str(p) for p in _wheels(f"lib/libnvrtc.so.{major}")]
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    raise KernelError(
        f"NVRTC, the compiler for kernels, is not to be found (tried {names[0]}); a "
        "torch built for CUDA brings it"
    )


def _wheels(inside: str) -> list[Path]:
    folders = [Path(p) / "nvidia" for p in sys.path if p]
    return [f for folder in folders for f in sorted(folder.glob(f"*/{inside}"))]


@cache
def include_folders() -> tuple[str, ...]:
    """Where CUDA's headers are: a toolkit's or the wheels' folders."""
    homes = [os.environ.get(v, "") for v in ("CUDA_HOME", "CUDA_PATH")]
    folders = [Path(h) / "include" for h in [*homes, "/usr/local/cuda"] if h]
    folders += [p.parent for p in _wheels("include/cuda_fp16.h")]
    found = [str(f) for f in folders if (f / "cuda_fp16.h").is_file()]
    folders = [Path(f) / "cccl" for f in found]
    return (*found, *(str(f) for f in folders if f.is_dir()))


def gpu_text(source: Source) -> str:
    """What NVRTC gets: the kept text without standard headers."""
    standard = set(KEPT_HEADERS["standard"].split())
    standard |= {"cuda.h", "cuda_runtime_api.h", "device_functions.h"}
    standard |= {"cuda_runtime.h", "device_launch_parameters.h", "vector_types.h"}

    headers: list[str] = []

    def decide(match: re.Match[str]) -> str:
        if match.group(1) not in standard:
            headers.append(f"#include <{match.group(1)}>\n")
        return ""

    kept = re.sub(
        r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"][^\n]*',
        decide,
        source.kept,
        flags=re.MULTILINE,
    )
    # Kernels of an unnamed namespace or marked static have no name to ask for.
    kept = re.sub(r"\bnamespace(\s*)\{", r"inline namespace course_unnamed\1{", kept)
    kept = re.sub(r"\bstatic(\s+__(?:global|constant|device)__)", r"\1", kept)
    return f"{''.join(headers)}{PRELUDE}\n{kept}\n"


def _check(status: int, what: str) -> None:
    if status != 0:
        raise KernelError(f"NVRTC: {what} failed (status {status})")


def compile_cubin(
    source: Source, expressions: Sequence[str], architecture: str
) -> tuple[bytes, list[str]]:
    """Compiles kernels for a GPU; needs no GPU itself.

    Args:
        expressions: one for each kernel, such as `scale` or `scale<float, 4>`.
        architecture: such as "sm_80".

    Returns:
        The binary, and each kernel's name in it.

    Raises:
        KernelError: with NVRTC's errors.
    """
    lib = nvrtc()
    program = ctypes.c_void_p()
    text = gpu_text(source).encode()
    name = f"{source.name}.cu".encode()
    _check(
        lib.nvrtcCreateProgram(ctypes.byref(program), text, name, 0, None, None),
        "nvrtcCreateProgram",
    )
    try:
        for e in expressions:
            lib.nvrtcAddNameExpression(program, e.encode())
        options = ["-std=c++17", f"--gpu-architecture={architecture}", "-lineinfo"]
        options += ["-default-device", *(f"-I{f}" for f in include_folders())]
        array = (ctypes.c_char_p * len(options))(*(o.encode() for o in options))
        if lib.nvrtcCompileProgram(program, len(options), array) != 0:
            size = ctypes.c_size_t()
            lib.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            lib.nvrtcGetProgramLog(program, log)
            raise KernelError(_shorten(log.value.decode(errors="replace")))
        names = []
        for e in expressions:
            lowered = ctypes.c_char_p()
            _check(
                lib.nvrtcGetLoweredName(program, e.encode(), ctypes.byref(lowered)),
                f"finding the kernel {e}",
            )
            names.append((lowered.value or b"").decode())
        size = ctypes.c_size_t()
        _check(lib.nvrtcGetCUBINSize(program, ctypes.byref(size)), "nvrtcGetCUBINSize")
        binary = ctypes.create_string_buffer(size.value)
        _check(lib.nvrtcGetCUBIN(program, binary), "nvrtcGetCUBIN")
        return binary.raw, names
    finally:
        lib.nvrtcDestroyProgram(ctypes.byref(program))


def _shorten(log: str) -> str:
    log = re.sub(r"^(\S+?)(?:\.cu)?\((\d+)\): ", r"\1:\2: ", log, flags=re.MULTILINE)
    lines = [line for line in log.splitlines() if line.strip()]
    first = next((i for i, s in enumerate(lines) if " error:" in s), 0)
    return "the kernel does not compile:\n" + "\n".join(lines[first : first + 20])
