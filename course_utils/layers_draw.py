"""Draws a recorded call: Python on top, the library that computes at the bottom.

Used through `layers.Record.draw`. One operator is drawn as a way down, stop by stop;
several are drawn side by side, one column each, in the order they ran.
"""

from __future__ import annotations

from typing import Any

from course_utils import plot
from course_utils.layers_columns import columns
from course_utils.operators import Op, describe_input
from course_utils.plot import COLORS, INK

_ROLES = {
    "Autocast": "casts the arguments",
    "Autograd": "sees whether a gradient must be recorded",
    "ADInplaceOrView": "keeps account of views and changes in place",
    "BackendSelect": "chooses the backend by the device that was asked for",
    "Conjugate": "conjugates what was left lazy",
    "Negative": "negates what was left lazy",
    "Python": "a Python class answers for the tensor",
    "Meta": "works out shapes, without numbers",
}
_LEFT, _WIDE = 1.35, 6.4


def draw(record: Any) -> plot.Picture:
    """The figure of one `layers.Record`.

    Raises:
        ValueError: if the call ran no operator.
    """
    if not record.ops:
        raise ValueError(
            "expected a call that ran at least one operator to draw, this one ran none"
        )
    if len(record.ops) > 1:
        return columns(record)
    number = next(i for i, e in enumerate(record.events) if isinstance(e, Op))
    names = [name for _, name in record.paths()[number]]
    return _way_down(record.ops[0], names, record.libraries[0])


def _way_down(op: Op, names: list[str], library: str) -> plot.Picture:
    stops = 0.3 * max(1, len(op.way)) + 0.16
    inside = list(dict.fromkeys(op.inside))
    heights = [0.5, 0.5, stops, 0.5 + 0.22 * bool(inside), 0.5]
    gap = 0.24
    figure, axes = plot.canvas(_WIDE, sum(heights) + gap * len(heights))
    y = gap / 2
    tops = []
    for height in heights:
        tops.append(y)
        y += height + gap
    titles = ("Python", "operator", "dispatcher", "kernel", "computed by")
    for title, top, height in zip(titles, tops, heights, strict=True):
        plot.band(axes, 0.08, top, _WIDE - 0.16, height)
        axes.text(
            0.2, top + height / 2, title, va="center", fontsize=10, fontweight="bold"
        )
    middle = _LEFT + 0.75
    for top in tops[1:]:
        plot.arrow(axes, (middle, top - gap + 0.02), (middle, top - 0.02))
    _chain(axes, names or ["(called from C++)"], tops[0])
    _line(axes, tops[1], f"{op.short}   {describe_input(op)}", COLORS["sky"])
    _stops(axes, op, tops[2])
    _line(axes, tops[3], op.kernel or "not in the table", COLORS["pytorch"])
    if inside:
        text, size = plot.fit(f"which calls {', '.join(inside)}", 4.7, 9)
        axes.text(_LEFT + 0.08, tops[3] + 0.56, text, fontsize=size, va="center")
    cuda = f": {op.cuda[0]}" if op.cuda else ""
    _line(axes, tops[4], library + cuda, plot.library_color(library))
    return figure


def _line(axes: Any, top: float, text: str, color: str) -> None:
    text, size = plot.fit(text, _WIDE - _LEFT - 0.5, 9.5)
    wide = min(_WIDE - _LEFT - 0.2, max(1.5, plot.text_width(text, size) + 0.3))
    plot.box(axes, _LEFT, top + 0.09, wide, 0.32, text, color, 0.35, size)


def _chain(axes: Any, names: list[str], top: float) -> None:
    """Frames side by side, the outermost at the left, as far as there is room."""
    room = (_WIDE - _LEFT - 0.2 - 0.18 * (len(names) - 1)) / len(names)
    x = _LEFT
    for i, name in enumerate(names):
        text, size = plot.fit(plot.shorten(name, room - 0.16, 9.5), room - 0.16, 9.5)
        wide = max(1.5 / len(names), plot.text_width(text, size) + 0.24)
        plot.box(axes, x, top + 0.09, wide, 0.32, text, COLORS["pytorch"], 0.2, size)
        if i:
            plot.arrow(axes, (x - 0.17, top + 0.25), (x - 0.01, top + 0.25))
        x += wide + 0.18


def _stops(axes: Any, op: Op, top: float) -> None:
    last = max((i for i, stop in enumerate(op.way) if stop.works), default=-1)
    for i, stop in enumerate(op.way):
        y = top + 0.1 + 0.3 * i
        color = COLORS["pytorch"]
        if stop.works:
            color = COLORS["cuda"] if stop.key == "CUDA" else COLORS["sky"]
        text, size = plot.fit(stop.key, 1.4, 8.5)
        ink = INK if stop.works else "#888888"
        strength = 0.35 if stop.works else 0.0
        plot.box(axes, _LEFT, y, 1.5, 0.24, text, color, strength, size, ink)
        role = next((v for k, v in _ROLES.items() if stop.key.startswith(k)), "")
        if i == last:
            role = "holds the kernel"
            if stop.what == "composite":
                role = "holds a composite: the operator is taken apart here"
        elif not stop.works:
            role = "nobody sits there; stepped over"
        axes.text(
            _LEFT + 1.62,
            y + 0.125,
            role,
            va="center",
            fontsize=8.5,
            color=ink,
        )
