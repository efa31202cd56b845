"""Runs a launch on the host, with the checker or without, and reports what it found.

Used by `kernel_launch`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import torch

from course_utils import kernel_host
from course_utils.kernel_arguments import Prepared, short
from course_utils.kernel_check import Finding, Report, compare_orders, distinct
from course_utils.kernel_compile import CHECKED, compile_library, lines_of
from course_utils.kernel_sentences import Reader
from course_utils.kernel_source import KernelError
from course_utils.kernel_types import DTYPES, Parameter

if TYPE_CHECKING:
    from course_utils.kernel_lab import Launch


def words(launch: Launch) -> str:
    """The launch as one would write it."""
    shown: list[Any] = []
    for x, y, z in (launch.grid, launch.block):
        shown.append((x, y, z) if z > 1 else (x, y) if y > 1 else x)
    if launch.dynamic:
        shown.append(launch.dynamic)
    return f"{launch.kernel.name}[{', '.join(map(str, shown))}]"


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


def run(
    launch: Launch, prepared: Prepared, mode: int, reverse: bool, time_limit: float
) -> tuple[kernel_host.Ran, Reader]:
    module = launch.module
    library = compile_library(module.parsed, prepared.expressions, mode)
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
        module.symbols,
    )
    for item in ran.findings:
        if item["kind"] == "parameter":
            p = launch.kernel.parameters[item["mask"]]
            _refuse(launch.kernel.name, p, item, prepared.values[item["mask"]])
        if item["kind"] == "refused":
            raise KernelError(f"{launch.kernel.name}: {item['text']}")
    wheres = {f[k] for f in ran.findings for k in ("where", "other_where")}
    offsets = tuple(sorted(w for w in wheres if w and not w >> 31))
    lines = lines_of(library, offsets)

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
    raise KernelError(f"{kernel}: {short(value)} does not fit `{p}`")


def report_of(launch: Launch, ran: kernel_host.Ran, reader: Reader) -> Report:
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


def _results(
    prepared: Prepared, ran: kernel_host.Ran
) -> tuple[list, list, list[bytes]]:
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


def check_prepared(
    launch: Launch, prepared: Prepared, time_limit: float, both: bool
) -> tuple[Report, kernel_host.Ran]:
    mode = CHECKED
    ran, reader = run(launch, prepared, mode, False, time_limit)
    report = report_of(launch, ran, reader)
    undefined = _undefined(ran, reader)
    if ran.ended != "returned" or not both:
        return report, ran
    second, reader2 = run(launch, prepared, mode, True, time_limit)
    if second.ended != "returned":
        for found in report_of(launch, second, reader2).findings:
            sentence = f"with the threads from last to first, {found.sentence}"
            report.findings.append(Finding(found.kind, sentence, line=found.line))
        return report, ran
    for found in report_of(launch, second, reader2).findings:
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
