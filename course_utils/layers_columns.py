"""Draws many operators side by side: a training step at one glance.

Used by `layers_draw`. Each column is an operator. Bars above cover the operators that
ran inside a Python function, a composite operator or an autograd node; dots below say
which keys, which kernel file and which library an operator met.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from course_utils import plot
from course_utils.operators import Op
from course_utils.plot import COLORS

MOST = 60  # operators in one picture
PHASE_COLORS = {
    "forward": COLORS["sky"],
    "backward": COLORS["pink"],
    "optimizer": COLORS["yellow"],
}
_LEFT = 1.72
_BAR, _ROW, _TITLE, _PAD, _GAP = 0.25, 0.2, 0.2, 0.07, 0.07


def columns(record: Any) -> plot.Picture:
    """The figure of a `layers.Record` of several operators."""
    ops = record.ops[:MOST]
    paths = [
        path
        for event, path in zip(record.events, record.paths(), strict=True)
        if isinstance(event, Op)
    ][:MOST]
    python = _bars([[s for s in path if _is_python(s)] for path in paths])
    callers = _bars([[s for s in path if not _is_python(s)] for path in paths])
    keys = _order([op.keys for op in ops])
    kernels = _order([[_kernel(op)] for op in ops])
    libraries = _order([[name] for name in record.libraries[:MOST]])
    column = max(0.118, min(2.2, 7.1 / len(ops)))
    names = _heights(ops, column)
    bands = [
        ("Python", sum(_levels(python, column))),
        ("called by", sum(_levels(callers, column))),
        ("operator", names),
        ("dispatch keys", _TITLE + _ROW * len(keys)),
        ("kernel from", _TITLE + _ROW * len(kernels)),
        ("computed by", _TITLE + _ROW * len(libraries)),
    ]
    bands = [band for band in bands if band[1] > 0]
    head = 0.32
    width = max(6.4, _LEFT + column * len(ops) + 0.2)
    height = head + sum(h + 2 * _PAD + _GAP for _, h in bands) + 0.04
    figure, axes = plot.canvas(width, height)
    _phases(axes, ops, column, len(record.ops))
    y, tops = head, {}
    for title, tall in bands:
        plot.band(axes, 0.06, y, width - 0.12, tall + 2 * _PAD)
        axes.text(0.14, y + _PAD + 0.1, title, va="center", fontsize=9, weight="bold")
        tops[title] = y + _PAD
        y += tall + 2 * _PAD + _GAP
    for title, bars in (("Python", python), ("called by", callers)):
        levels = _levels(bars, column)
        for bar in bars:
            _bar(axes, bar, column, tops[title], levels)
    _names(axes, ops, column, tops["operator"], names)
    met = [op.keys for op in ops]
    _dots(axes, keys, met, column, tops["dispatch keys"], join=True)
    met = [[_kernel(op)] for op in ops]
    _dots(axes, kernels, met, column, tops["kernel from"])
    met = [[name] for name in record.libraries[:MOST]]
    _dots(axes, libraries, met, column, tops["computed by"], libraries=True)
    return figure


def _is_python(step: tuple[Any, str]) -> bool:
    return isinstance(step[0], tuple)


def _kernel(op: Op) -> str:
    """The registering file, without what all of them have in common."""
    name = op.kernel.removesuffix(".cpp").removeprefix("Register")
    return name or "not in the table"


def _bars(paths: list[list[tuple[Any, str]]]) -> list[tuple[str, int, int, int]]:
    """(name, first column, last column, depth) of each thing that encloses operators.

    An operator that two autograd nodes in a row called belongs to two bars, since a
    bar is one call and not one name.
    """
    bars: dict[tuple[Any, int], list[Any]] = {}
    for column, path in enumerate(paths):
        for depth, (key, name) in enumerate(path):
            bar = bars.setdefault((key, depth), [name, column, column, depth])
            bar[2] = column
    return [tuple(bar) for bar in bars.values()]


def _levels(bars: list[tuple[str, int, int, int]], column: float) -> list[float]:
    """The height of each level of bars; taller where a name has to stand upright."""
    levels = [_BAR] * max((depth + 1 for *_, depth in bars), default=0)
    for name, first, last, depth in bars:
        text, wide = _label(name, (last - first + 1) * column)
        if plot.text_width(text, 8) > wide:
            tall = min(1.25, plot.text_width(text, 7.5) + 0.16)
            levels[depth] = max(levels[depth], tall)
    return levels


def _label(name: str, wide: float) -> tuple[str, float]:
    """What to write on a bar, and the inches there are for it."""
    room = wide - 0.08
    name = name.split(",")[0]  # "engine", of "engine, after AddmmBackward0"
    return plot.shorten(name, room, 8), room


def _order(lists: Sequence[Sequence[str]]) -> list[str]:
    """All names, in an order that keeps that of each list."""
    rows: list[str] = []
    for names in lists:
        at = 0
        for name in names:
            if name in rows:
                at = rows.index(name) + 1
            else:
                rows.insert(at, name)
                at += 1
    return rows


def _phases(axes: Any, ops: list[Op], column: float, count: int) -> None:
    phases = [op.phase for op in ops]
    for phase in dict.fromkeys(phases):
        first = phases.index(phase)
        number = phases.count(phase)
        x, wide = _LEFT + first * column, number * column
        text = f"{phase}: {number}"
        if plot.text_width(text, 9) > wide:
            text = phase
        text, size = plot.fit(text, wide, 9)
        axes.text(x + wide / 2, 0.15, text, fontsize=size, ha="center", va="center")
        axes.plot(
            [x + 0.02, x + wide - 0.02],
            [0.26, 0.26],
            color=PHASE_COLORS[phase],
            lw=3.5,
            solid_capstyle="butt",
        )
    text = f"{count} operators" if count <= MOST else f"{MOST} of {count} operators"
    axes.text(0.14, 0.16, text, fontsize=9, va="center")


def _bar(axes: Any, bar: tuple, column: float, y: float, levels: list[float]) -> None:
    name, first, last, depth = bar
    x = _LEFT + first * column + 0.012
    wide = (last - first + 1) * column - 0.024
    top, tall = y + sum(levels[:depth]), levels[depth] - 0.03
    text, room = _label(name, (last - first + 1) * column)
    upright = plot.text_width(text, 8) > room
    text, size = plot.fit(text, tall - 0.08 if upright else room, 7.5 if upright else 8)
    color = COLORS["pytorch"]
    angle = 90 if upright else 0
    plot.box(axes, x, top, wide, tall, text, color, 0.2, size, rotation=angle)


def _heights(ops: list[Op], column: float) -> float:
    """How tall the row of operator names is: 0.26 inches if they can lie flat."""
    widest = max(plot.text_width(_short(op), 8) for op in ops)
    return 0.26 if widest + 0.12 < column else widest + 0.16


def _short(op: Op) -> str:
    return op.short.removeprefix("aten.")


def _names(axes: Any, ops: list[Op], column: float, y: float, height: float) -> None:
    for i, op in enumerate(ops):
        plot.box(
            axes,
            _LEFT + i * column + 0.012,
            y,
            column - 0.024,
            height,
            _short(op),
            PHASE_COLORS[op.phase],
            0.45,
            8 if column > 0.15 else 6.5,
            rotation=0 if height < 0.3 else 90,
        )


def _dots(
    axes: Any,
    rows: list[str],
    met: Sequence[Sequence[str]],
    column: float,
    y: float,
    join: bool = False,
    libraries: bool = False,
) -> None:
    """A row for each name, and a dot where a column meets it."""
    levels = {name: y + _TITLE + (i + 0.5) * _ROW for i, name in enumerate(rows)}
    right = _LEFT + column * len(met)
    for name, level in levels.items():
        text, size = plot.fit(name, _LEFT - 0.2, 8)
        axes.text(_LEFT - 0.07, level, text, ha="right", va="center", fontsize=size)
        axes.plot([_LEFT, right], [level, level], color="#dddddd", lw=0.8, zorder=1)
    for i, names in enumerate(met):
        x = _LEFT + (i + 0.5) * column
        ys = [levels[name] for name in names]
        color = plot.library_color(names[0]) if libraries else COLORS["pytorch"]
        if join:
            axes.plot([x] * len(ys), ys, color="#666666", lw=1.2, zorder=2)
        axes.scatter(
            [x] * len(ys),
            ys,
            s=26,
            color=color if libraries else "#666666",
            edgecolors="#666666",
            linewidths=0.7,
            zorder=3,
        )
