"""From `NAME[grid, block](x, y, n)` to a run: sizes and arguments are checked, then the
launch goes to the GPU or to the host, with or without the checker. Used by `kernel_lab`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from course_utils import kernel_gpu, kernel_host, kernel_types
from course_utils.kernel_check import (
    Finding,
    Reader,
    Report,
    compare_orders,
    distinct,
)
from course_utils.kernel_source import KernelError
from course_utils.kernel_types import CODES, DTYPES, Parameter

if TYPE_CHECKING:
    from course_utils.kernel_lab import Launch
    from course_utils.kernel_trace import Trace

CHECKED_THREADS = 100_000
CHECKED_BYTES = 64 * 2**20  # that a GPU launch may copy to be checked first
SHARED_LIMIT = 48 * 1024
_CPP = {
    **{"f4": "float", "f8": "double", "f2": "__half", "b2": "__nv_bfloat16"},
    **{"b1": "bool", "i1": "signed char", "u1": "unsigned char", "i2": "short"},
    **{"u2": "unsigned short", "i4": "int", "u4": "unsigned", "i8": "long long"},
    "u8": "unsigned long long",
}


class KernelFault(KernelError):
    """A kernel did something wrong; `report` holds all findings."""

    def __init__(self, report: Report) -> None:
        super().__init__(str(report))
        self.report = report


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
    grid, block = (_three(w, what) for w, what in zip(where, ("grid", "block")))
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


def words(launch: Launch) -> str:
    """The launch as one would write it."""
    sizes = [s[0] if s[1:] == (1, 1) else s for s in (launch.grid, launch.block)]
    inside = ", ".join(map(str, [*sizes, launch.dynamic][: 3 if launch.dynamic else 2]))
    return f"{launch.kernel.name}[{inside}]"


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
    template = _template(launch, args)
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
    if not devices and torch.cuda.is_available():
        device = torch.device("cuda", torch.cuda.current_device())
    return Prepared(values, extents, codes, expressions, entry, device)


def _variables(launch: Launch) -> list[str]:
    return [t.split("=")[0].split()[-1] for t in launch.kernel.template]


def _template(launch: Launch, args: Sequence[Any]) -> dict[str, str]:
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
            f"{kernel}: expected {want}, got {_short(value)}"
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
    if code and CODES[value.dtype] != code:
        raise KernelError(
            f"{kernel}: `{p}` points to {DTYPES[code]}, but {p.name} is "
            f"{value.dtype}; convert it with `.to({DTYPES[code]})`"
        )
    if value.layout != torch.strided:
        raise KernelError(f"{kernel}: expected a dense tensor for {p.name}")
    if not as_it_lies and not value.is_contiguous():
        raise KernelError(
            f"{kernel}: {p.name} is not contiguous (shape {tuple(value.shape)}, strides "
            f"{value.stride()}), and a kernel sees only memory; pass "
            f"`{p.name}.contiguous()`, or `kernel_lab.raw({p.name})` if the kernel "
            "uses the strides"
        )


def _short(value: Any) -> str:
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
        raise KernelError(f"{kernel}: expected a number for `{p}`, got {_short(value)}")
    if not code or code[0] in "fb" and code != "b1":
        return value
    if isinstance(value, float):
        raise KernelError(f"{kernel}: expected an integer for `{p}`, got {value!r}")
    bits = 8 * int(code[1])
    low = -(2 ** (bits - 1)) if code[0] == "i" else 0
    high = 2 ** (bits - 1 if code[0] == "i" else bits) - 1
    if not low <= value <= high:
        raise KernelError(
            f"{kernel}: {value:,} does not fit `{p}`, which goes from {low:,} to {high:,}"
        )
    return value


def _host_arguments(prepared: Prepared) -> list[kernel_host.Argument]:
    made = []
    for value, extent, code in zip(
        prepared.values, prepared.extents, prepared.codes, strict=True
    ):
        if isinstance(value, torch.Tensor):
            made.append(kernel_host.tensor_argument(value, code, extent))
        elif value is None:
            made.append(kernel_host.Argument("null"))
        elif isinstance(value, int):
            made.append(kernel_host.Argument("integer", value))
        else:
            made.append(kernel_host.Argument("real", value))
    return made


def _grain(text: str) -> int:
    """Bytes of shared memory that hold one element, at least."""
    if re.search(r"\b(?:u?char[1-4]?|u?int8_t|bool)\b", text):
        return 1
    return 2 if re.search(r"\bhalf|bfloat16|\bshort\b|int16_t", text) else 4


def _run(
    launch: Launch, prepared: Prepared, mode: int, reverse: bool, time_limit: float
) -> tuple[kernel_host.Ran, Reader]:
    module = launch.module
    library = kernel_host.compile_library(module.parsed, prepared.expressions, mode)
    arguments = _host_arguments(prepared)
    ran = kernel_host.run(
        library,
        prepared.entry,
        launch.grid,
        launch.block,
        launch.dynamic,
        arguments,
        mode,
        reverse,
        _grain(module.source),
        time_limit,
    )
    for item in ran.findings:
        if item["kind"] == "parameter":
            p = launch.kernel.parameters[item["mask"]]
            _refuse(launch.kernel.name, p, item, prepared.values[item["mask"]])
        if item["kind"] == "refused":
            raise KernelError(f"{launch.kernel.name}: {item['text']}")
    wheres = {f[k] for f in ran.findings for k in ("where", "other_where")}
    offsets = tuple(sorted(w for w in wheres if w and not w >> 31))
    lines = kernel_host.lines_of(library, offsets)

    def place(where: int) -> int:
        return where & 0x7FFFFFFF if where >> 31 else lines.get(where, ("", 0))[1]

    reader = Reader(
        [p.name for p in launch.kernel.parameters],
        [a.itemsize for a in arguments],
        prepared.extents,
        ran.shared,
        place,
        module.source.splitlines(),
        module.first_line,
    )
    return ran, reader


def _refuse(kernel: str, p: Parameter, item: dict, value: Any) -> None:
    if item["more"] == "s":
        raise KernelError(
            f"{kernel}: a notebook can't pass `{p}`; kernels take pointers and numbers"
        )
    if item["more"] == "p" and isinstance(value, torch.Tensor):
        raise KernelError(
            f"{kernel}: `{p}` points to {DTYPES[item['text']]}, but {p.name} is "
            f"{value.dtype}"
        )
    raise KernelError(f"{kernel}: {_short(value)} does not fit `{p}`")


def _report(launch: Launch, ran: kernel_host.Ran, reader: Reader) -> Report:
    report = Report(words(launch), output=ran.output)
    for item in ran.findings:
        if item["kind"] != "warp_undefined":
            report.findings.append(reader.read(item))
    if ran.ended not in ("returned", "refused") and not report.findings:
        sentence = f"the process that ran the kernel ended unexpectedly ({ran.ended})"
        kind = "endless" if ran.ended == "timeout" else "crash"
        report.findings.append(Finding(kind, sentence))
    report.findings = distinct(report.findings)
    return report


def _undefined(ran: kernel_host.Ran, reader: Reader) -> list[Finding]:
    items = [f for f in ran.findings if f["kind"] == "warp_undefined"]
    return [reader.read(f) for f in items]


def _results(prepared: Prepared, ran: kernel_host.Ran) -> tuple[list, list, list[bytes]]:
    """Numbers, codes and bytes of the tensors after a run."""
    which, codes, contents = [], [], []
    for i, (value, extent, code) in enumerate(
        zip(prepared.values, prepared.extents, prepared.codes, strict=True)
    ):
        if not isinstance(value, torch.Tensor) or not extent:
            continue
        address, length = value.data_ptr(), extent * value.element_size()
        for start, size, after in ran.segments:
            if start <= address and address + length <= start + size:
                which.append(i)
                codes.append(code)
                contents.append(after[address - start : address - start + length])
                break
    return which, codes, contents


def _check_prepared(
    launch: Launch, prepared: Prepared, time_limit: float, both: bool
) -> tuple[Report, kernel_host.Ran]:
    mode = kernel_host.CHECKED
    ran, reader = _run(launch, prepared, mode, False, time_limit)
    report = _report(launch, ran, reader)
    undefined = _undefined(ran, reader)
    if ran.ended != "returned" or not (both or undefined):
        report.findings += undefined if ran.ended != "returned" else []
        return report, ran
    second, reader2 = _run(launch, prepared, mode, True, time_limit)
    if second.ended != "returned":
        for found in _report(launch, second, reader2).findings:
            sentence = f"with the threads from last to first, {found.sentence}"
            report.findings.append(Finding(found.kind, sentence, line=found.line))
        return report, ran
    for found in _report(launch, second, reader2).findings:
        known = (found.kind, found.array, set(found.lines))
        if all((f.kind, f.array, set(f.lines)) != known for f in report.findings):
            report.findings.append(found)
    report.findings = distinct(report.findings)
    which, codes, one = _results(prepared, ran)
    two = _results(prepared, second)[2]
    names = [launch.kernel.parameters[i].name for i in which]
    differ, notes = compare_orders(names, codes, one, two)
    report.notes += notes
    if undefined and differ:
        report.findings += undefined
    elif undefined:
        report.notes += [f"{f.sentence}; no result depends on it" for f in undefined]
    if differ and report.ok:
        report.findings.append(differ[0])
    return report, ran


def _on_cpu(prepared: Prepared) -> Prepared:
    """The same arguments as copies on the CPU, with what overlapped overlapping."""
    copies: dict[tuple[int, int], torch.Tensor] = {}
    values = []
    for value, extent in zip(prepared.values, prepared.extents, strict=True):
        if isinstance(value, torch.Tensor):
            key = (value.data_ptr(), extent)
            if key not in copies:
                flat = value.detach().as_strided((extent,), (1,), value.storage_offset())
                copies[key] = flat.cpu()
            value = copies[key]
        values.append(value)
    return Prepared(
        values,
        prepared.extents,
        prepared.codes,
        prepared.expressions,
        prepared.entry,
        torch.device("cpu"),
    )


def check(launch: Launch, args: Sequence[Any], time_limit: float) -> Report:
    """See `kernel_lab.check`."""
    prepared = prepare(launch, args)
    if prepared.device.type == "cuda":
        prepared = _on_cpu(prepared)
    return _check_prepared(launch, prepared, time_limit, True)[0]


_seen_on_gpu: set[Any] = set()


def _check_before_gpu(
    launch: Launch, prepared: Prepared, checked: bool | None, time_limit: float
) -> None:
    """Runs the checker on copies, so that a fault does not end CUDA's context."""
    total = sum(
        v.element_size() * n
        for v, n in zip(prepared.values, prepared.extents, strict=True)
        if isinstance(v, torch.Tensor)
    )
    shape = tuple(
        n if isinstance(v, torch.Tensor) else v
        for v, n in zip(prepared.values, prepared.extents, strict=True)
    )
    key = (launch.module.source, words(launch), tuple(prepared.expressions), shape)
    if checked is None and (key in _seen_on_gpu or total > CHECKED_BYTES):
        return
    _seen_on_gpu.add(key)
    if launch.module.parsed.missing and checked is None:
        return
    try:
        report = check(launch, prepared.values, time_limit)
    except KernelError:
        if checked:
            raise
        return  # the host can't run this kernel; a GPU may
    if not report.ok:
        raise KernelFault(report)


def call(
    launch: Launch, args: Sequence[Any], checked: bool | None, time_limit: float
) -> None:
    """See `kernel_lab.Launch`."""
    prepared = prepare(launch, args)
    few = math.prod(launch.grid) * math.prod(launch.block) <= CHECKED_THREADS
    wanted = few if checked is None else checked
    if prepared.device.type == "cuda":
        if wanted:
            _check_before_gpu(launch, prepared, checked, time_limit)
        pairs = zip(launch.kernel.parameters, prepared.values, strict=True)
        packed = [
            kernel_gpu.pack(value, code, parameter.type)
            for (parameter, value), code in zip(pairs, prepared.codes, strict=True)
        ]
        kernel_gpu.launch(
            launch.module.parsed,
            prepared.expressions,
            prepared.entry,
            launch.grid,
            launch.block,
            launch.dynamic,
            packed,
            prepared.device.index or 0,
        )
        return
    if wanted:
        report, ran = _check_prepared(launch, prepared, time_limit, False)
    else:
        ran, reader = _run(launch, prepared, kernel_host.PLAIN, False, time_limit)
        report = _report(launch, ran, reader)
    if ran.output:
        print(ran.output, end="" if ran.output.endswith("\n") else "\n")
    if not report.ok:
        raise KernelFault(report)
    kernel_host.write_back(ran)


def trace(launch: Launch, args: Sequence[Any], time_limit: float) -> Trace:
    """See `kernel_lab.trace`."""
    from course_utils.kernel_trace import Trace

    prepared = prepare(launch, args)
    if prepared.device.type == "cuda":
        prepared = _on_cpu(prepared)
    ran, reader = _run(launch, prepared, kernel_host.TRACED, False, time_limit)
    if ran.ended == "trace_full":
        raise KernelError(
            f"the launch makes more than {kernel_host.MOST_TRACED:,} accesses; trace a "
            "smaller grid"
        )
    if ran.ended != "returned":
        raise KernelFault(_report(launch, ran, reader))
    library = kernel_host.compile_library(
        launch.module.parsed, prepared.expressions, kernel_host.TRACED
    )
    return Trace.read(launch, prepared, ran, library)
