"""Checks what stands between the brackets and the parentheses of a launch.

`sizes` reads `[grid, block]`, `prepare` compares the arguments with the kernel's
parameters; both say in a sentence what does not fit. Used by `kernel_launch`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from course_utils import kernel_types
from course_utils.kernel_source import KernelError
from course_utils.kernel_types import CODES, DTYPES, Parameter

if TYPE_CHECKING:
    from course_utils.kernel_lab import Launch

SHARED_LIMIT = 48 * 1024
_CPP = {
    **{"f4": "float", "f8": "double", "f2": "__half", "b2": "__nv_bfloat16"},
    **{"b1": "bool", "i1": "signed char", "u1": "unsigned char", "i2": "short"},
    **{"u2": "unsigned short", "i4": "int", "u4": "unsigned", "i8": "long long"},
    "u8": "unsigned long long",
}


@dataclass(frozen=True)
class Raw:
    """A tensor's memory as it lies, whatever its strides; see `raw`."""

    tensor: torch.Tensor

    @property
    def extent(self) -> int:
        """Elements from the first to the last, both included."""
        t = self.tensor
        if t.numel() == 0:
            return 0
        pairs = zip(t.shape, t.stride(), strict=True)
        return 1 + sum((size - 1) * stride for size, stride in pairs)


def raw(tensor: torch.Tensor) -> Raw:
    """Lets a kernel have a tensor that is not contiguous.

    The kernel gets a pointer to the first element and must use the strides itself.
    """
    return Raw(tensor)


def sizes(
    where: Any, name: str
) -> tuple[tuple[int, int, int], tuple[int, int, int], int]:
    """Reads `[grid, block]` or `[grid, block, shared_bytes]`.

    Raises:
        KernelError: if it is something else, or more than a GPU allows.
    """
    if not isinstance(where, tuple) or len(where) not in (2, 3):
        raise KernelError(
            f"expected `{name}[grid, block]` or `{name}[grid, block, shared_bytes]`, "
            f"got {where!r} between the brackets"
        )
    grid, block = _three(where[0], "grid"), _three(where[1], "block")
    dynamic = where[2] if len(where) == 3 else 0
    if not _is_int(dynamic) or not 0 <= dynamic <= SHARED_LIMIT:
        raise KernelError(
            f"expected 0 to 49,152 bytes of dynamic shared memory, got {dynamic!r}"
        )
    for what, got, most in (
        ("grid", grid, (2**31 - 1, 65_535, 65_535)),
        ("block", block, (1024, 1024, 64)),
    ):
        for axis, size, limit in zip("xyz", got, most, strict=True):
            if size > limit:
                raise KernelError(
                    f"the {what}'s {axis} is {size:,}; a GPU allows at most {limit:,}"
                )
    if math.prod(block) > 1024:
        raise KernelError(
            f"a block of {' x '.join(map(str, block))} has {math.prod(block):,} "
            "threads; a GPU allows at most 1,024"
        )
    return grid, block, int(dynamic)


def _is_int(value: Any) -> bool:
    return hasattr(value, "__index__") and not isinstance(value, bool | torch.Tensor)


def _three(value: Any, what: str) -> tuple[int, int, int]:
    parts = tuple(value) if isinstance(value, tuple | list) else (value,)
    if not 1 <= len(parts) <= 3 or not all(_is_int(p) for p in parts):
        raise KernelError(
            f"expected the {what} as an int or as up to three of them, got {value!r}"
        )
    numbers = [int(p) for p in parts]
    if min(numbers) < 1:
        raise KernelError(
            f"the {what} is {value!r}; a launch of no threads is an error in CUDA too "
            "(cudaErrorInvalidConfiguration), so return before it when there is "
            "nothing to do"
        )
    x, y, z = (*numbers, 1, 1)[:3]
    return x, y, z


def template_text(argument: Any) -> str:
    """A template argument as C++ text."""
    if isinstance(argument, torch.dtype):
        return _CPP[CODES[argument]]
    if isinstance(argument, bool):
        return str(argument).lower()
    return str(argument)


@dataclass
class Prepared:
    """Arguments that fit the kernel."""

    values: list[Any]  # a tensor, a number or None for each parameter
    extents: list[int]  # elements of each tensor
    codes: list[str]
    expressions: list[str]
    entry: int
    device: torch.device


def prepare(launch: Launch, args: Sequence[Any]) -> Prepared:
    """Compares the arguments with the kernel's parameters.

    Raises:
        KernelError: says which argument does not fit, and what would.
    """
    kernel = launch.kernel
    if len(args) != len(kernel.parameters):
        count = len(kernel.parameters)
        raise KernelError(
            f"{kernel.name} takes {count} argument{'' if count == 1 else 's'}, "
            f"`{kernel}`; got {len(args)}"
        )
    template = _template_arguments(launch, args)
    values, extents, codes = [], [], []
    devices: dict[torch.device, str] = {}
    for parameter, given in zip(kernel.parameters, args, strict=True):
        code = parameter.code or kernel_types.code_of(
            template.get(parameter.variable, "")
        )
        as_it_lies = isinstance(given, Raw)
        value = given.tensor if isinstance(given, Raw) else given
        if parameter.pointer:
            _check_tensor(kernel.name, parameter, value, code, as_it_lies)
        else:
            value = _check_number(kernel.name, parameter, value, code)
        extent = 0
        if isinstance(value, torch.Tensor):
            devices.setdefault(value.device, parameter.name)
            extent = given.extent if isinstance(given, Raw) else value.numel()
            code = CODES[value.dtype]
        values.append(value)
        extents.append(extent)
        codes.append(code)
    if len(devices) > 1:
        where = ", ".join(f"{name} on {device}" for device, name in devices.items())
        raise KernelError(f"{kernel.name}: expected tensors on one device, got {where}")
    expressions, entry = _expressions(launch, template)
    device = next(iter(devices), torch.device("cpu"))
    return Prepared(values, extents, codes, expressions, entry, device)


def _variables(launch: Launch) -> list[str]:
    return [t.split("=")[0].split()[-1] for t in launch.kernel.template]


def _template_arguments(launch: Launch, args: Sequence[Any]) -> dict[str, str]:
    """Template arguments: as given by `of`, or from the tensors' dtypes."""
    kernel, names = launch.kernel, _variables(launch)
    if len(launch.arguments) > len(names):
        raise KernelError(
            f"{kernel.name} has {len(names)} template parameters, got "
            f"{len(launch.arguments)} arguments for them"
        )
    found = dict(zip(names, launch.arguments, strict=False))
    for parameter, given in zip(kernel.parameters, args, strict=True):
        value = given.tensor if isinstance(given, Raw) else given
        if parameter.pointer and isinstance(value, torch.Tensor):
            if parameter.variable and value.dtype in CODES:
                found.setdefault(parameter.variable, _CPP[CODES[value.dtype]])
    for name, text in zip(names, kernel.template, strict=True):
        if name not in found and "=" not in text:
            example = ", ".join(f'"{n}"' for n in names)
            raise KernelError(
                f"the template parameter `{text}` of {kernel.name} does not follow "
                f"from the arguments; write `{launch.module.name}.{kernel.name}"
                f".of({example})[grid, block]` with values for {', '.join(names)}"
            )
    return found


def _expressions(launch: Launch, template: dict[str, str]) -> tuple[list[str], int]:
    kernel = launch.kernel
    if not kernel.template:
        plain = launch.module.plain()
        return plain, plain.index(kernel.qualified)
    given = [template[n] for n in _variables(launch) if n in template]
    return [f"{kernel.qualified}<{', '.join(given)}>"], 0


def _check_tensor(
    kernel: str, p: Parameter, value: Any, code: str, as_it_lies: bool
) -> None:
    want = f"a tensor for `{p}`"
    if value is None:
        return
    if not isinstance(value, torch.Tensor):
        raise KernelError(
            f"{kernel}: expected {want}, got {short(value)}"
            + ("; torch.from_numpy makes one" if "numpy" in str(type(value)) else "")
        )
    if value.device.type not in ("cpu", "cuda"):
        raise KernelError(
            f"{kernel}: expected {want} on the CPU or a CUDA GPU, got {value.device}"
        )
    if value.dtype not in CODES:
        raise KernelError(
            f"{kernel}: {p.name} is {value.dtype}, which no type of a kernel stands for"
        )
    if code and not kernel_types.fits(CODES[value.dtype], code):
        raise KernelError(
            f"{kernel}: `{p}` points to {DTYPES[code]}, but {p.name} is "
            f"{value.dtype}; convert it with `.to({DTYPES[code]})`"
        )
    if value.layout != torch.strided:
        raise KernelError(f"{kernel}: expected a dense tensor for {p.name}")
    if not as_it_lies and not value.is_contiguous():
        raise KernelError(
            f"{kernel}: {p.name} is not contiguous (shape {tuple(value.shape)}, "
            f"strides {value.stride()}), and a kernel sees only memory; pass "
            f"`{p.name}.contiguous()`, or `kernel_lab.raw({p.name})` if the kernel "
            "uses the strides"
        )


def short(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) < 40 else text[:40] + '...'}"


def _check_number(kernel: str, p: Parameter, value: Any, code: str) -> Any:
    if isinstance(value, torch.Tensor):
        raise KernelError(
            f"{kernel}: expected a number for `{p}`, got a tensor of shape "
            f"{tuple(value.shape)}; use `.item()` for its value"
        )
    if isinstance(value, bool) or _is_int(value):
        value = int(value)
    elif isinstance(value, float) or hasattr(value, "__float__"):
        value = float(value)
    else:
        raise KernelError(f"{kernel}: expected a number for `{p}`, got {short(value)}")
    if not code or code[0] in "fb" and code != "b1":
        return value
    if isinstance(value, float):
        raise KernelError(f"{kernel}: expected an integer for `{p}`, got {value!r}")
    bits = 8 * int(code[1])
    low = -(2 ** (bits - 1)) if code[0] == "i" else 0
    high = 2 ** (bits - 1 if code[0] == "i" else bits) - 1
    if not low <= value <= high:
        raise KernelError(
            f"{kernel}: {value:,} does not fit `{p}`, which goes from {low:,} to "
            f"{high:,}"
        )
    return value
