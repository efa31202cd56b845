"""Draws a recorded call: Python on top, the library that computes at the bottom.

One column an operator, in the order they ran. The Python band is a tree lying down: a
bar covers the operators that ran inside it. In the dispatcher's band a dot says that
somebody sits at that key for this operator.
"""

from __future__ import annotations

from typing import Any

from course_utils import plot, recording

_LABELS = 1.55  # inches on the left
_COLORS = {"MKL": "sky", "oneDNN": "pink", "cuda": "cuda"}
_PHASES = {
    "forward": plot.COLORS["ours"],
    "backward": plot.COLORS["wrong"],
    "optimizer": plot.COLORS["highlight"],
}


def draw(record: Any) -> Any:
    """The figure of one `layers.Record`."""
    ops = record.ops
    if not ops:
        raise ValueError("expected a call that ran an operator; this one ran none")
    sideways = len(ops) > 6
    column = max(0.24, min(2.6, 7.4 / len(ops)))
    bars = _bars(record.events)
    depth = 1 + max((level for *_, level in bars), default=0)
    keys = _rows_of_keys(ops)
    heights = {
        "phase": 0.25 if len({op.phase for op in ops}) > 1 else 0.0,
        "python": 0.1 + 0.27 * depth,
        "dispatcher": 0.36 + 0.24 * len(keys),
        "operator": 1.5 if sideways else 0.62,
        "library": 0.36,
    }
    gap = 0.12
    height = sum(heights.values()) + gap * 5 + 0.1
    width = _LABELS + column * len(ops) + 0.15
    figure, axes = plot.canvas(width, height)
    y = gap
    if heights["phase"]:
        _phases(axes, ops, column, y)
        y += heights["phase"]
    spans = {}
    for name in ("python", "dispatcher", "operator", "library"):
        spans[name] = y
        _band(axes, name, y, heights[name], width)
        y += heights[name] + gap
    _python(axes, bars, column, spans["python"])
    _dispatcher(axes, ops, keys, column, spans["dispatcher"])
    _operators(axes, ops, column, spans["operator"], heights["operator"], sideways)
    _libraries(axes, record.libraries, column, spans["library"])
    return _close(figure)


def _close(figure: Any) -> Any:
    """Hands the figure over to the notebook, which would else show it twice."""
    import matplotlib.pyplot as plt

    plt.close(figure)
    return figure


_WORDS = {
    "python": "Python",
    "dispatcher": "dispatcher",
    "operator": "operator (ATen)",
    "library": "computed by",
}


def _band(axes: Any, name: str, y: float, height: float, width: float) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(
        Rectangle((0.06, y), width - 0.12, height, facecolor="#f5f5f5", linewidth=0)
    )
    axes.text(
        0.14,
        y + 0.05 if name == "dispatcher" else y + height / 2,
        _WORDS[name],
        va="top" if name == "dispatcher" else "center",
        fontsize=9,
        fontweight="bold",
        color=plot.INK,
    )


def _phases(axes: Any, ops: list[Any], column: float, y: float) -> None:
    for phase, first, last in _runs([op.phase for op in ops]):
        x = _LABELS + first * column
        wide = (last - first + 1) * column
        axes.plot(
            [x + 0.03, x + wide - 0.03],
            [y + 0.19] * 2,
            color=_PHASES[phase],
            lw=3,
            solid_capstyle="butt",
        )
        axes.text(
            x + wide / 2,
            y + 0.12,
            phase,
            ha="center",
            va="bottom",
            fontsize=8,
            color=_PHASES[phase],
        )


def _runs(items: list[str]) -> list[tuple[str, int, int]]:
    found: list[tuple[str, int, int]] = []
    for i, item in enumerate(items):
        if found and found[-1][0] == item:
            found[-1] = (item, found[-1][1], i)
        else:
            found.append((item, i, i))
    return found


def _bars(events: list[Any]) -> list[tuple[str, int, int, int]]:
    """(name, first, last, depth) of each frame that covers operators."""
    found, open_frames, number = [], [], 0

    def close_to(depth: int) -> None:
        while open_frames and open_frames[-1][1] >= depth:
            name, level, first = open_frames.pop()
            if number > first:
                found.append((name, first, number - 1, level))

    for event in events:
        close_to(event.depth)
        if isinstance(event, recording.Frame):
            open_frames.append((event.name, event.depth, number))
        else:
            number += 1
    close_to(0)
    return found


def _python(axes: Any, bars: list[tuple], column: float, y: float) -> None:
    for name, first, last, depth in bars:
        x = _LABELS + first * column + 0.02
        wide = (last - first + 1) * column - 0.04
        plot.box(
            axes,
            x,
            y + 0.06 + 0.27 * depth,
            wide,
            0.24,
            _fit(name, wide),
            plot.COLORS["pytorch"],
            size=8,
        )


def _fit(name: str, wide: float) -> str:
    """As much of a name as fits: its last part first."""
    room = int(wide / 0.068)
    for text in (name, name.removeprefix("torch.nn.functional."), name.split(".")[-1]):
        if len(text) <= room:
            return text
    last = name.split(".")[-1]
    return last[: room - 1] + "." if room >= 4 else ""


def _rows_of_keys(ops: list[Any]) -> list[str]:
    rows: list[str] = []
    for op in ops:
        at = 0
        for key in op.keys:
            if key in rows:
                at = rows.index(key) + 1
            else:
                rows.insert(at, key)
                at += 1
    return rows


def _dispatcher(
    axes: Any, ops: list[Any], keys: list[str], column: float, y: float
) -> None:
    for row, key in enumerate(keys):
        level = y + 0.38 + 0.24 * row
        axes.text(
            _LABELS - 0.08,
            level,
            key,
            ha="right",
            va="center",
            fontsize=8,
            color="#444",
        )
        axes.plot(
            [_LABELS, _LABELS + column * len(ops)], [level] * 2, color="#dddddd", lw=1
        )
    for i, op in enumerate(ops):
        x = _LABELS + (i + 0.5) * column
        levels = [y + 0.38 + 0.24 * keys.index(key) for key in op.keys]
        axes.plot([x] * len(levels), levels, color=plot.COLORS["ours"], lw=1.4)
        axes.scatter(
            [x] * len(levels), levels, s=34, color=plot.COLORS["ours"], zorder=3
        )


def _operators(
    axes: Any, ops: list[Any], column: float, y: float, height: float, sideways: bool
) -> None:
    for i, op in enumerate(ops):
        x = _LABELS + i * column
        name = op.short.removeprefix("aten.")
        if sideways:
            plot.box(
                axes,
                x + 0.02,
                y + 0.06,
                column - 0.04,
                height - 0.12,
                name,
                _PHASES[op.phase],
                size=8,
                rotation=90,
            )
        else:
            plot.box(
                axes,
                x + 0.04,
                y + 0.07,
                column - 0.08,
                height - 0.14,
                f"{name}\n{op.kernel}",
                _PHASES[op.phase],
                size=8.5,
            )


def _libraries(axes: Any, libraries: list[str], column: float, y: float) -> None:
    for name, first, last in _runs(libraries):
        x = _LABELS + first * column
        wide = (last - first + 1) * column
        color = plot.COLORS[_COLORS.get(name, "pytorch")]
        text = name if len(name) * 0.08 < wide else ""
        plot.box(
            axes, x + 0.02, y + 0.06, wide - 0.04, 0.24, text, color, 0.5, size=7.5
        )
