"""What a launch does to memory, access by access.

`kernel_lab.trace` keeps every access of every thread; here the accesses of a warp's
lanes come together as a GPU sees them: one request, so many sectors of 32 bytes. Used
by lessons 22 and 23.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from course_utils.kernel_compile import lines_of
from course_utils.kernel_host import Ran
from course_utils.kernel_requests import (
    RECORD,
    SECTOR,
    WRITE,
    Array,
    Request,
    requests_of,
)
from course_utils.table import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from course_utils.kernel_lab import Launch
    from course_utils.kernel_launch import Prepared


class Trace:
    """All accesses of one launch.

    Attributes:
        launch: in words.
        arrays: by name.
        accesses: a numpy array with the fields of `RECORD`.
        requests: in the order of block, warp and time.
    """

    def __init__(
        self,
        launch: str,
        arrays: list[Array],
        numbers: np.ndarray,
        accesses: np.ndarray,
        lines: np.ndarray,
    ) -> None:
        self.launch, self.accesses, self.lines = launch, accesses, lines
        self.arrays = {a.name: a for a in arrays}
        self._list, self._number = arrays, numbers
        self.requests = requests_of(accesses, numbers, arrays, lines)

    @classmethod
    def read(cls, launch: Launch, prepared: Prepared, ran: Ran, library: Path) -> Trace:
        """Reads the log of a run."""
        from course_utils.kernel_launch import words

        accesses = np.frombuffer(ran.traced, dtype=RECORD)
        arrays: list[Array] = []
        place: dict[int, int] = {}
        for i, (p, value, extent) in enumerate(
            zip(
                launch.kernel.parameters, prepared.values, prepared.extents, strict=True
            )
        ):
            if isinstance(value, torch.Tensor):
                size = value.element_size()
                skew = value.storage_offset() * size % 256
                place[i] = len(arrays)
                arrays.append(Array(p.name, False, size, extent * size, skew))
        for i, s in enumerate(ran.shared):
            mine = accesses[accesses["array"] == -1 - i]
            size = int(mine["size"].min()) if len(mine) else 4
            place[-1 - i] = len(arrays)
            arrays.append(Array(s["name"], True, size, s["bytes"]))
        numbers = np.array([place[int(a)] for a in accesses["array"]], dtype=np.int64)
        wheres = np.unique(accesses["where"])
        offsets = tuple(int(w) for w in wheres if not int(w) >> 31)
        found = lines_of(library, offsets)
        known = {
            int(w): int(w) & 0x7FFFFFFF
            if int(w) >> 31
            else found.get(int(w), ("", 0))[1]
            for w in wheres
        }
        lines = np.array([known[int(w)] for w in accesses["where"]], dtype=np.int64)
        return cls(words(launch), arrays, numbers, accesses, lines)

    def efficiency(self, kind: str = "load", array: str | None = None) -> float:
        """The part of the moved bytes that the kernel uses, in global memory.

        Args:
            kind: "load" or "store".
            array: one array only.
        """
        mine = [
            r
            for r in self.requests
            if r.kind == kind and not r.shared and array in (None, r.array)
        ]
        moved = sum(r.sectors for r in mine) * SECTOR
        return sum(self._used(r) for r in mine) / moved if moved else float("nan")

    def _used(self, r: Request) -> int:
        size = self.arrays[r.array].itemsize
        many = max(r.bytes // size, 1)
        elements = {e + k for e in r.elements for k in range(many)}
        return len(elements) * min(size, r.bytes)

    @property
    def bank_conflicts(self) -> int:
        """Passes through shared memory beyond those without conflicts."""
        return sum(r.passes - r.least for r in self.requests if r.shared)

    def sectors(self, kind: str | None = None, array: str | None = None) -> int:
        """Sectors of 32 bytes that all requests need together."""
        return sum(
            r.sectors
            for r in self.requests
            if kind in (None, r.kind) and array in (None, r.array)
        )

    def table(self) -> Table:
        """One row for each array, line and kind of access."""
        groups: dict[tuple, list[Request]] = {}
        for r in self.requests:
            groups.setdefault((r.shared, r.array, r.line, r.kind), []).append(r)
        rows: list[list[Any]] = []
        for (shared, array, line, kind), requests in sorted(
            groups.items(), key=lambda g: (g[0][2], g[0][3] != "load", g[0][0])
        ):
            count = len(requests)
            cost = sum(r.passes if shared else r.sectors for r in requests)
            least = sum(r.least for r in requests)
            rows.append(
                [
                    f"{array} (shared)" if shared else array,
                    line,
                    f"{kind} {requests[0].bytes} B",
                    count,
                    f"{cost / count:.4g} {'passes' if shared else 'sectors'}",
                    f"{least / count:.4g}",
                    f"{least / cost:.0%}",
                ]
            )
        columns = ["array", "line", "access", "requests", "each needs", "could be"]
        columns.append("efficiency")
        return Table(rows, columns, self.launch)

    def __repr__(self) -> str:
        return repr(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    def touches(self, array: str) -> list[tuple[int, int, int, str]]:
        """Who touched which element: (block, thread, element, kind), in order.

        A vector access is one entry for each of its elements.
        """
        which = self.arrays[array]
        mine = self._number == self._list.index(which)
        found = []
        for a in self.accesses[mine]:
            kind = "store" if a["flags"] & WRITE else "load"
            first = int(a["offset"]) // which.itemsize
            for k in range(max(int(a["size"]) // which.itemsize, 1)):
                found.append((int(a["block"]), int(a["thread"]), first + k, kind))
        return found

    def draw(self, array: str, kind: str | None = None) -> Figure:
        """Draws the array with the thread that touched each element."""
        from course_utils import kernel_draw

        return kernel_draw.owners(self, array, kind)

    def draw_sectors(
        self, array: str, kind: str | None = None, most: int = 8
    ) -> Figure:
        """Draws which bytes of which sectors the first requests of a warp use."""
        from course_utils import kernel_draw

        return kernel_draw.sectors(self, array, kind, most)

    def draw_banks(self, array: str, most: int = 4) -> Figure:
        """Draws which lanes meet in which bank of shared memory."""
        from course_utils import kernel_draw

        return kernel_draw.banks(self, array, most)
