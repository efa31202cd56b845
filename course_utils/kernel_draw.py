"""Pictures of a trace: who touches which element, sector and bank.

Used through `Trace.draw`, `draw_sectors` and `draw_banks` in lessons 22 and 23.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from course_utils import plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from course_utils.kernel_requests import Request
    from course_utils.kernel_trace import Trace

COLUMNS = 32  # elements in a row of the picture
MOST_ROWS = 32
SHADES = 8  # warps that can be told apart before shades repeat


def _figure(height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    plot.use()
    figure = Figure(figsize=(8.0, height), layout="constrained")
    return figure, figure.subplots()


def _bare(axes: Axes) -> None:
    axes.set_xticks([])
    axes.set_yticks([])
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(False)


def owners(trace: Trace, array: str, kind: str | None = None) -> Figure:
    """The array as a grid of elements, each with the thread that touches it.

    A thread is written as its number in the grid, a shade stands for its warp; an
    element that several threads touch says how many.
    """
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle

    which = trace.arrays[array]
    length = which.bytes // which.itemsize
    by_element: dict[int, set[tuple[int, int]]] = {}
    for block, thread, element, what in trace.touches(array):
        if kind in (None, what):
            by_element.setdefault(element, set()).add((block, thread))
    beyond = sorted(e for e in by_element if not 0 <= e < length)
    shown = min(length, COLUMNS * MOST_ROWS)
    rows = -(-shown // COLUMNS)
    figure, axes = _figure(0.7 + 0.27 * (rows + bool(beyond)))
    shades = colormaps["Greens"]

    def box(column: int, row: int, text: str, face: object, edge: str) -> None:
        axes.add_patch(
            Rectangle((column, row), 0.94, 0.9, facecolor=face, edgecolor=edge)
        )
        axes.text(column + 0.47, row + 0.47, text, ha="center", va="center", fontsize=6)

    threads = 1 + max((t for s in by_element.values() for _, t in s), default=0)
    for element in range(shown):
        who = by_element.get(element, set())
        text, face = "", "white"
        if len(who) == 1:
            block, thread = next(iter(who))
            text = f"{thread}" if not block else f"{block}:{thread}"
            warp = block * -(-threads // 32) + thread // 32
            face = shades(0.15 + 0.6 * (warp % SHADES) / SHADES)
        elif who:
            text, face = f"{len(who)}x", plot.COLORS["highlight"]
        box(element % COLUMNS, element // COLUMNS, text, face, plot.COLORS["pytorch"])
    for n, element in enumerate(beyond[:COLUMNS]):
        block, thread = min(by_element[element])
        box(n, rows, f"[{element}]", "white", plot.COLORS["wrong"])
    axes.set_xlim(-0.1, COLUMNS)
    axes.set_ylim(rows + bool(beyond) + 0.1, -0.1)
    _bare(axes)
    axes.set_title(_owners_title(array, by_element, length, len(beyond), shown))
    return figure


def _owners_title(
    array: str, by_element: dict, length: int, beyond: int, shown: int
) -> str:
    touched = sum(1 for e in by_element if 0 <= e < length)
    several = sum(1 for s in by_element.values() if len(s) > 1)
    parts = [f"{array}: {touched:,} of {length:,} elements touched"]
    if several:
        parts.append(f"{several:,} by several threads")
    if beyond:
        parts.append(f"{beyond:,} outside the array")
    if shown < length:
        parts.append(f"the first {shown:,} drawn")
    return ", ".join(parts)


def _first_requests(trace: Trace, array: str, kind: str | None) -> list[Request]:
    mine = [r for r in trace.requests if r.array == array and kind in (None, r.kind)]
    if not mine:
        raise ValueError(
            f"expected an array that the kernel {kind or 'touch'}s, got {array!r}; the "
            f"trace has {', '.join(trace.arrays)}"
        )
    return [r for r in mine if (r.block, r.warp) == (mine[0].block, mine[0].warp)]


def sectors(trace: Trace, array: str, kind: str | None = None, most: int = 8) -> Figure:
    """One row a request of the first warp: the sectors it moves, and what it uses."""
    from matplotlib.patches import Rectangle

    which = trace.arrays[array]
    requests = _first_requests(trace, array, kind)[:most]
    figure, axes = _figure(0.9 + 0.45 * len(requests))
    widest = 1
    for row, r in enumerate(requests):
        used: dict[int, set[int]] = {}
        for element in r.elements:
            first = element * which.itemsize + which.skew
            for byte in range(first, first + r.bytes, min(which.itemsize, 4)):
                used.setdefault(byte // 32, set()).add(byte % 32)
        for column, sector in enumerate(sorted(used)[:64]):
            axes.add_patch(
                Rectangle(
                    (column, row),
                    0.92,
                    0.75,
                    facecolor="white",
                    edgecolor=plot.COLORS["pytorch"],
                )
            )
            step = min(which.itemsize, 4)
            for byte in used[sector]:
                axes.add_patch(
                    Rectangle(
                        (column + byte / 32 * 0.92, row),
                        step / 32 * 0.92,
                        0.75,
                        facecolor=plot.COLORS["cuda"],
                        edgecolor="white",
                        linewidth=0.3,
                    )
                )
        widest = max(widest, min(len(used), 64))
        label = f"line {r.line}, {r.kind}: {r.sectors} sectors"
        axes.text(-0.4, row + 0.4, label, ha="right", va="center", fontsize=8)
    axes.set_xlim(-0.2, max(widest, 8))
    axes.set_ylim(len(requests), -0.2)
    _bare(axes)
    first = requests[0]
    used_part = trace._used(first) / (first.sectors * 32) if first.sectors else 1.0
    axes.set_title(
        f"{array}: a warp's {first.kind} moves {first.sectors} sectors of 32 bytes and "
        f"uses {used_part:.0%} of them"
    )
    axes.set_xlabel("sectors of 32 bytes; green: bytes that a lane uses")
    return figure


def banks(trace: Trace, array: str, most: int = 4) -> Figure:
    """One row a request of the first warp: how many words each bank must give."""
    from matplotlib.patches import Rectangle

    which = trace.arrays[array]
    requests = _first_requests(trace, array, None)[:most]
    figure, axes = _figure(0.9 + 0.5 * len(requests))
    for row, r in enumerate(requests):
        words = {
            (e * which.itemsize + k) // 4 for e in r.elements for k in range(r.bytes)
        }
        for bank in range(32):
            count = sum(1 for w in words if w % 32 == bank)
            face = "white" if not count else plot.COLORS["cuda"]
            face = plot.COLORS["wrong"] if count > max(r.bytes // 4, 1) else face
            axes.add_patch(
                Rectangle(
                    (bank, row),
                    0.92,
                    0.75,
                    facecolor=face,
                    edgecolor=plot.COLORS["pytorch"],
                )
            )
            if count:
                axes.text(
                    bank + 0.46,
                    row + 0.4,
                    str(count),
                    ha="center",
                    va="center",
                    fontsize=7,
                    color="white",
                )
        label = f"line {r.line}, {r.kind}: {r.passes} passes"
        axes.text(-0.4, row + 0.4, label, ha="right", va="center", fontsize=8)
    axes.set_xlim(-0.2, 32)
    axes.set_ylim(len(requests), -0.2)
    _bare(axes)
    worst = max(requests, key=lambda r: r.passes)
    axes.set_title(
        f"{array}: a warp's {worst.kind} takes {worst.passes} passes where "
        f"{worst.least} would do"
    )
    axes.set_xlabel("the 32 banks of shared memory; words that each must give")
    return figure
