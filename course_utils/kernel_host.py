"""Runs a compiled kernel in a process of its own.

The caller's arrays travel in shared memory, what was found comes back as JSON; nothing
that a kernel does reaches this process. Used by `kernel_launch`.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch

from course_utils.kernel_compile import CHECKED, TRACED, runner

PAGE = 64 * 1024  # a multiple of every page size in use
MOST_TRACED = 4_000_000  # accesses


@dataclass
class Argument:
    """What one parameter gets: a tensor's memory, a number, or a null pointer."""

    kind: str  # "pointer", "integer", "real" or "null"
    value: float | int = 0
    code: str = ""  # of the elements; "" for any
    address: int = 0
    bytes: int = 0
    itemsize: int = 1


@dataclass
class Ran:
    """What the runner said.

    Attributes:
        ended: "returned", "deadlock", "crash", "timeout", "refused", ...
        findings: as the runner wrote them; `line` is added by `kernel_check`.
        memory: the contents of each segment after the run.
        shared: the shared arrays, with names and bytes.
        traced: the log's bytes.
    """

    ended: str
    findings: list[dict]
    output: str
    seconds: float
    segments: list[tuple[int, int, bytes]] = field(default_factory=list)
    shared: list[dict] = field(default_factory=list)
    traced: bytes = b""


def _segments(arguments: Sequence[Argument]) -> list[tuple[int, int, list[int]]]:
    """Address, length and arguments of each piece of memory; overlaps are joined."""
    order = sorted(
        (i for i, a in enumerate(arguments) if a.kind == "pointer"),
        key=lambda i: arguments[i].address,
    )
    joined: list[tuple[int, int, list[int]]] = []
    for i in order:
        a = arguments[i]
        if joined and a.bytes and a.address < joined[-1][0] + joined[-1][1]:
            start, length, members = joined[-1]
            joined[-1] = (
                start,
                max(length, a.address + a.bytes - start),
                [*members, i],
            )
        else:
            joined.append((a.address, a.bytes, [i]))
    return joined


def _memory_file(name: str) -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create(name)
    with tempfile.TemporaryFile() as f:
        return os.dup(f.fileno())


def run(
    library: Path,
    kernel: int,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    dynamic: int,
    arguments: Sequence[Argument],
    mode: int = CHECKED,
    reverse: bool = False,
    grain: int = 4,
    time_limit: float = 10.0,
    symbols: dict[str, bytes] | None = None,
) -> Ran:
    """Runs a grid in a child process and waits for it.

    Args:
        library, kernel: from `compile_library`, and the entry's number.
        dynamic: bytes of dynamic shared memory.
        reverse: run threads and blocks from the last to the first.
        grain: bytes of shared memory that the checker tells apart.
        time_limit: seconds.
        symbols: what variables of the device hold, by name.
    """
    pieces = _segments(arguments)
    offsets, total = [], 0
    for start, length, _ in pieces:
        offsets.append(total)
        total += -(-(start % 512 + length) // PAGE) * PAGE or PAGE
    symbols = symbols or {}
    arrays = total
    total += sum(len(value) for value in symbols.values())
    files = [_memory_file(n) for n in ("data", "report", "log")]
    try:
        data, report, log = files
        os.ftruncate(data, max(total, PAGE))
        view = mmap.mmap(data, max(total, PAGE))
        lines = [f"library {kernel} {library}", f"data {data}", f"report {report}"]
        lines += [f"mode {mode}", f"reverse {int(reverse)}", f"grain {grain}"]
        lines += [f"limit {max(1, round(time_limit * 1000))}", f"dynamic {dynamic}"]
        lines += [
            f"grid {' '.join(map(str, grid))}",
            f"block {' '.join(map(str, block))}",
        ]
        if mode == TRACED:
            lines.append(f"log {log} {MOST_TRACED}")
        for name, value in symbols.items():
            view[arrays : arrays + len(value)] = value
            lines.append(f"symbol {name} {arrays} {len(value)}")
            arrays += len(value)
        place: dict[int, tuple[int, int]] = {}
        for number, ((start, length, members), at) in enumerate(
            zip(pieces, offsets, strict=True)
        ):
            skew = start % 512
            if length:
                view[at + skew : at + skew + length] = _bytes_at(start, length)
            size = min([4, *(arguments[i].itemsize for i in members)])
            lines.append(f"segment {at} {skew} {length} {size}")
            for i in members:
                place[i] = (number, arguments[i].address - start)
                lines.append(f"array {i} {place[i][1]} {arguments[i].bytes}")
        for i, a in enumerate(arguments):
            if a.kind == "pointer":
                number, offset = place[i]
                lines.append(f"pointer {a.code or 'any'} {number} {offset}")
            elif a.kind == "real":
                lines.append(f"real {float(a.value).hex()}")
            else:
                lines.append(f"{a.kind} {a.value if a.kind == 'integer' else ''}")
        ended, output = _follow("\n".join(lines), files, time_limit)
        ran = _read_report(report, ended, output)
        ran.traced = _contents(log) if mode == TRACED else b""
        for (start, length, _), at in zip(pieces, offsets, strict=True):
            skew = start % 512
            ran.segments.append((start, length, view[at + skew : at + skew + length]))
        view.close()
        return ran
    finally:
        for f in files:
            os.close(f)


def _bytes_at(address: int, length: int) -> memoryview:
    return memoryview((ctypes.c_char * length).from_address(address)).cast("B")


def _follow(request: str, files: list[int], time_limit: float) -> tuple[str, str]:
    process = subprocess.Popen(
        [str(runner())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=files,
    )
    try:
        output, _ = process.communicate(request.encode(), timeout=time_limit + 5)
    except BaseException as error:
        process.kill()
        process.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            return "timeout", ""
        raise
    text = output.decode(errors="replace")[:20_000]
    return ("" if process.returncode == 0 else f"exit {process.returncode}"), text


def _contents(file: int) -> bytes:
    size = os.lseek(file, 0, os.SEEK_END)
    return os.pread(file, size, 0) if size else b""


def _read_report(report: int, ended: str, output: str) -> Ran:
    ran = Ran(ended or "exit", [], output, 0.0)
    for line in _contents(report).decode(errors="replace").splitlines():
        item = json.loads(line)
        if "finding" in item:
            ran.findings.append(item)
        elif "shared" in item:
            ran.shared.append(item)
        else:
            ran.ended, ran.seconds = item["ended"], item["ns"] / 1e9
    return ran


def write_back(ran: Ran) -> None:
    """Copies what the kernel wrote into the caller's tensors."""
    for start, length, after in ran.segments:
        if length:
            before = _bytes_at(start, length)
            if before != after:
                before[:] = after


def tensor_argument(tensor: torch.Tensor, code: str, extent: int) -> Argument:
    """The memory of a tensor: `extent` elements from its first."""
    size = tensor.element_size()
    return Argument("pointer", 0, code, tensor.data_ptr(), extent * size, size)
