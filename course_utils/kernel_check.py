"""What the checker found in a kernel, in sentences.

The runner in `csrc/host_cuda` reports numbers; here they become a `Report`: what is
wrong, by which thread, in which line. Used by `kernel_lab.check` and by every checked
launch.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field

import torch

from course_utils.kernel_types import DTYPES

MOST_ALIKE = 3  # findings of one kind for one array that are kept

LEGEND = {
    "bounds": "outside its array",
    "race": "two threads, one place, no order",
    "barrier": "a barrier that not all threads reach",
    "uninitialized": "read before it was written",
    "misaligned": "a vector at an address it can't have",
    "warp": "a warp operation without some of its lanes",
    "order": "the result depends on which thread comes first",
    "limit": "more than a GPU allows",
    "crash": "the kernel ended its process",
    "endless": "the kernel did not end",
    "assert": "an assertion failed",
}


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong.

    Attributes:
        kind: a key of `LEGEND`.
        sentence: what is wrong, with thread, place and line.
        array: the parameter's or shared array's name, "" where none is meant.
        index: the element, None where none is meant.
        thread, block: whose turn it was, (x, y, z).
        line: of the source, 0 if unknown.
        lines: `line`, and the other thread's in a race.
        length: elements of the array whose end was passed.
        count: how often it happened in this launch.
    """

    kind: str
    sentence: str
    array: str = ""
    index: int | None = None
    thread: tuple[int, int, int] | None = None
    block: tuple[int, int, int] | None = None
    line: int = 0
    lines: tuple[int, ...] = ()
    length: int | None = None
    count: int = 1


@dataclass
class Report:
    """What one checked launch showed.

    Attributes:
        findings: what is wrong, nothing if `ok`.
        notes: what is worth knowing and not wrong.
        launch: the launch in words.
        output: what the kernel printed.
    """

    launch: str
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    output: str = ""

    @property
    def ok(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        if self.ok:
            head = f"{self.launch}: no errors found"
        else:
            count = len(self.findings)
            head = f"{self.launch}: {count} error{'s' if count > 1 else ''} found"
        lines = [f"  {f.kind}: {f.sentence}" for f in self.findings]
        return "\n".join([head, *lines, *(f"  note: {n}" for n in self.notes)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        color = "#0072B2" if self.ok else "#D55E00"
        rows = [
            f"<tr><td style='color:{color};vertical-align:top'><b>{f.kind}</b></td>"
            f"<td style='text-align:left'>{html.escape(f.sentence)}</td></tr>"
            for f in self.findings
        ]
        rows += [
            "<tr><td style='vertical-align:top'>note</td>"
            f"<td style='text-align:left'>{html.escape(n)}</td></tr>"
            for n in self.notes
        ]
        head = html.escape(str(self).splitlines()[0])
        bold = f"<b style='color:{color}'>{head}</b>"
        return f"<div>{bold}<table>{''.join(rows)}</table></div>"


def distinct(findings: Sequence[Finding]) -> list[Finding]:
    """Without those that say again, of the same lines, what one before them said."""
    kept: list[Finding] = []
    seen: set[tuple] = set()
    alike: dict[tuple[str, str], int] = {}
    located = {(f.array, f.line) for f in findings if f.length is not None}
    for f in findings:
        key = (f.kind, f.array, frozenset(f.lines))
        again = f.kind in ("race", "uninitialized", "misaligned") and key in seen
        index_too = f.kind == "bounds" and f.length is None
        if again or (index_too and (f.array, f.line) in located):
            continue
        seen.add(key)
        alike[f.kind, f.array] = alike.get((f.kind, f.array), 0) + 1
        if alike[f.kind, f.array] <= MOST_ALIKE:
            kept.append(f)
    return kept


def compare_orders(
    names: Sequence[str],
    codes: Sequence[str],
    forward: Sequence[bytes],
    reverse: Sequence[bytes],
) -> tuple[list[Finding], list[str]]:
    """Compares what the arguments held after the two orders.

    Returns:
        Findings where values differ, and notes where they differ by rounding only.
    """
    findings, notes = [], []
    for name, code, one, two in zip(names, codes, forward, reverse, strict=True):
        if one == two:
            continue
        a, b = (torch.frombuffer(bytearray(x), dtype=DTYPES[code]) for x in (one, two))
        if a.is_floating_point():
            a, b = a.double(), b.double()
            same = (a == b) | (a.isnan() & b.isnan())
            limit = {"f8": 1e-9, "f4": 1e-4}.get(code, 3e-2)
            scale = a.nan_to_num(0, 0, 0).abs().max().item()
            near = (a - b).abs() <= limit * max(scale, 1e-30)
            if bool((same | near).all()):
                if not bool(same.all()):
                    notes.append(
                        f"the last digits of {name} depend on the order of the "
                        "threads, as sums by floating-point atomics do"
                    )
                continue
            differ = ~(same | near)
        else:
            differ = a != b
        at = int(differ.nonzero()[0])
        findings.append(
            Finding(
                "order",
                f"{name}[{at}] is {a[at].item():.6g} when the threads run from first "
                f"to last and {b[at].item():.6g} when they run from last to first; "
                f"{int(differ.sum()):,} elements differ",
                name,
                at,
            )
        )
    return findings, notes
