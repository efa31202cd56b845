"""From `NAME[grid, block](x, y, n)` to a run.

The launch goes to the GPU or to the host, with or without the checker; what the runner
says becomes a report. Used by `kernel_lab`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from course_utils import kernel_gpu, kernel_host
from course_utils.kernel_arguments import Prepared, prepare, short
from course_utils.kernel_check import Finding, Report, compare_orders, distinct
from course_utils.kernel_compile import (
    CHECKED,
    PLAIN,
    TRACED,
    compile_library,
    lines_of,
)
from course_utils.kernel_sentences import Reader
from course_utils.kernel_source import KernelError
from course_utils.kernel_types import DTYPES, Parameter

if TYPE_CHECKING:
    from course_utils.kernel_lab import Launch
    from course_utils.kernel_trace import Trace

CHECKED_THREADS = 100_000
CHECKED_BYTES = 64 * 2**20  # that a GPU launch may copy to be checked first


class KernelFault(KernelError):
    """A kernel did something wrong; `report` holds all findings."""

    def __init__(self, report: Report) -> None:
        super().__init__(str(report))
        self.report = report


def words(launch: Launch) -> str:
    """The launch as one would write it."""
    sizes = [s[0] if s[1:] == (1, 1) else s for s in (launch.grid, launch.block)]
    inside = ", ".join(map(str, [*sizes, launch.dynamic][: 3 if launch.dynamic else 2]))
    return f"{launch.kernel.name}[{inside}]"


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


def _check_prepared(
    launch: Launch, prepared: Prepared, time_limit: float, both: bool
) -> tuple[Report, kernel_host.Ran]:
    mode = CHECKED
    ran, reader = _run(launch, prepared, mode, False, time_limit)
    report = _report(launch, ran, reader)
    undefined = _undefined(ran, reader)
    if ran.ended != "returned" or not both:
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
                flat = value.detach().as_strided(
                    (extent,), (1,), value.storage_offset()
                )
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
            launch.module.symbols,
        )
        return
    if wanted:
        report, ran = _check_prepared(launch, prepared, time_limit, False)
    else:
        ran, reader = _run(launch, prepared, PLAIN, False, time_limit)
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
    ran, reader = _run(launch, prepared, TRACED, False, time_limit)
    if ran.ended == "trace_full":
        raise KernelError(
            f"the launch makes more than {kernel_host.MOST_TRACED:,} accesses; trace a "
            "smaller grid"
        )
    if ran.ended != "returned":
        raise KernelFault(_report(launch, ran, reader))
    library = compile_library(launch.module.parsed, prepared.expressions, TRACED)
    return Trace.read(launch, prepared, ran, library)
