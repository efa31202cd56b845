"""Brings the accesses of a warp's lanes together, as a GPU sees them.

Note [What is counted]
Accesses belong to one request if the same warp makes them in the same instruction, for
the same time since the last barrier, by that lane. Arrays are taken to begin at a
multiple of 256 bytes, as torch allocates them. Caches are not modelled: sectors are
what the warp asks the first cache for. Shared memory has 32 banks of 4 bytes; lanes
that need different words of one bank take turns; 8-byte accesses are served in two
halves of the warp, 16-byte ones in four quarters.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SECTOR, LINE, BANKS, WARP = 32, 128, 32, 32
RECORD = np.dtype(
    [
        ("offset", "<i8"),
        ("block", "<u4"),
        ("where", "<u4"),
        ("thread", "<u2"),
        ("array", "<i2"),
        ("size", "u1"),
        ("flags", "u1"),
        ("epoch", "<u2"),
    ]
)
WRITE, ATOMIC, INSIDE = 1, 2, 4


@dataclass(frozen=True)
class Array:
    """An array that the kernel touched.

    Attributes:
        skew: bytes from a multiple of 256 to its first element.
    """

    name: str
    shared: bool
    itemsize: int
    bytes: int
    skew: int = 0


@dataclass(frozen=True)
class Request:
    """One instruction of one warp.

    Attributes:
        kind: "load", "store" or "atomic".
        lanes: of the warp, in the order of `elements`.
        elements: the first element that each lane touches.
        bytes: that one lane moves.
        sectors, lines: of 32 and 128 bytes that the warp needs; 0 for shared memory.
        passes: times that shared memory is asked; 0 for global memory.
        least: sectors or passes that would do for as many bytes.
    """

    array: str
    shared: bool
    kind: str
    line: int
    block: int
    warp: int
    lanes: tuple[int, ...]
    elements: tuple[int, ...]
    bytes: int
    sectors: int
    lines: int
    passes: int
    least: int


def requests_of(
    a: np.ndarray, numbers: np.ndarray, arrays: list[Array], lines: np.ndarray
) -> list[Request]:
    """Brings the accesses of a warp together; see Note [What is counted].

    Args:
        a: accesses, as `RECORD` says.
        numbers: for each the number of its array in `arrays`; `lines` its line.
    """
    if not len(a):
        return []
    order = np.lexsort((a["where"], a["epoch"], a["thread"], a["block"]))
    turn = np.zeros(len(a), dtype=np.int64)
    s = a[order]
    changed = np.zeros(len(a), dtype=bool)
    changed[0] = True
    for key in ("block", "thread", "epoch", "where"):
        changed[1:] |= s[key][1:] != s[key][:-1]
    starts = np.maximum.accumulate(np.where(changed, np.arange(len(a)), 0))
    turn[order] = np.arange(len(a)) - starts
    warp = a["thread"] // WARP
    order = np.lexsort((a["thread"], a["where"], turn, a["epoch"], warp, a["block"]))
    keys = np.stack([a["block"], warp, a["epoch"], a["where"], turn, numbers], axis=1)[
        order
    ]
    cuts = np.flatnonzero((keys[1:] != keys[:-1]).any(axis=1)) + 1
    groups = np.split(order, cuts)
    groups.sort(key=lambda g: (a["block"][g[0]], warp[g[0]], a["epoch"][g[0]], g.min()))
    return [
        _request(a[group], arrays[int(numbers[group[0]])], int(lines[group[0]]))
        for group in groups
    ]


def _request(a: np.ndarray, array: Array, line: int) -> Request:
    size, flags = int(a["size"][0]), int(a["flags"][0])
    kind = "atomic" if flags & ATOMIC else "store" if flags & WRITE else "load"
    addresses = a["offset"] + array.skew
    touched = np.unique((addresses[:, None] + np.arange(size)).ravel())
    sectors = lines = passes = 0
    if array.shared:
        passes, least = _passes(addresses, size)
    else:
        sectors = len(np.unique(touched // SECTOR))
        lines = len(np.unique(touched // LINE))
        least = -(-len(touched) // SECTOR)
    return Request(
        array.name,
        array.shared,
        kind,
        line,
        int(a["block"][0]),
        int(a["thread"][0]) // WARP,
        tuple((a["thread"] % WARP).tolist()),
        tuple((a["offset"] // array.itemsize).tolist()),
        size,
        sectors,
        lines,
        passes,
        least,
    )


def _passes(addresses: np.ndarray, size: int) -> tuple[int, int]:
    """Times that shared memory is asked for these lanes, and the least for them."""
    lanes = WARP * 4 // max(size, 4)  # served together
    passes = least = 0
    for start in range(0, len(addresses), lanes):
        part = addresses[start : start + lanes]
        words = np.unique((part[:, None] + np.arange(0, size, min(4, size))) // 4)
        passes += int(np.bincount(words % BANKS).max())
        least += 1
    return passes, least
