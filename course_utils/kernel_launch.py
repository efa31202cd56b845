"""From `NAME[grid, block](x, y, n)` to a run.

The launch goes to the GPU or to the host, with or without the checker; what the runner
says becomes a report. Used by `kernel_lab`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch

from course_utils import kernel_gpu, kernel_host
from course_utils.kernel_arguments import Prepared, prepare
from course_utils.kernel_check import Report
from course_utils.kernel_compile import PLAIN, TRACED, compile_library
from course_utils.kernel_run import check_prepared, report_of, run, words
from course_utils.kernel_source import KernelError

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
    return check_prepared(launch, prepared, time_limit, True)[0]


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
        report = check_prepared(launch, _on_cpu(prepared), time_limit, False)[0]
    except KernelError:
        if checked:
            raise
        return  # the host can't run this kernel; a GPU may
    if not report.ok:
        raise KernelFault(report)


def call(
    launch: Launch, args: Sequence[Any], checked: bool | None, limit: float | None
) -> None:
    """See `kernel_lab.Launch`."""
    prepared = prepare(launch, args)
    threads = math.prod(launch.grid) * math.prod(launch.block)
    wanted = threads <= CHECKED_THREADS if checked is None else checked
    time_limit = 10.0 + threads / 1e6 if limit is None else limit
    if prepared.device.type == "cuda":
        if wanted:
            _check_before_gpu(launch, prepared, checked, time_limit)
        pairs = zip(launch.kernel.parameters, prepared.values, strict=True)
        packed = [
            kernel_gpu.pack(value, code, launch.kernel.name, parameter)
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
        report, ran = check_prepared(launch, prepared, time_limit, False)
    else:
        ran, reader = run(launch, prepared, PLAIN, False, time_limit)
        report = report_of(launch, ran, reader)
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
    ran, reader = run(launch, prepared, TRACED, False, time_limit)
    if ran.ended == "trace_full":
        raise KernelError(
            f"the launch makes more than {kernel_host.MOST_TRACED:,} accesses; trace a "
            "smaller grid"
        )
    if ran.ended != "returned":
        raise KernelFault(report_of(launch, ran, reader))
    library = compile_library(launch.module.parsed, prepared.expressions, TRACED)
    return Trace.read(launch, prepared, ran, library)
