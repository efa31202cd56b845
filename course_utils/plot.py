"""The one look of all pictures, and the pieces that they share.

Colors mean the same in every lesson (Okabe-Ito, safe for color-blind readers).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

COLORS = {
    "pytorch": "#999999",  # PyTorch's own
    "ours": "#0072B2",  # what we wrote
    "cuda": "#009E73",
    "wrong": "#D55E00",  # wrong or slow
    "highlight": "#E69F00",
    "sky": "#56B4E9",
    "pink": "#CC79A7",
    "yellow": "#F0E442",
}
INK = "#222222"


def use() -> None:
    """Sets the course's style for all figures of this process."""
    import matplotlib.pyplot as plt

    plt.style.use(Path(__file__).with_name("course.mplstyle"))


def canvas(width: float, height: float) -> tuple[Any, Any]:
    """A figure without axes, in inches, y pointing down: for diagrams.

    Returns:
        (figure, axes) with data coordinates in inches, (0, 0) at the top left.
    """
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(width, height))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.axis("off")
    return figure, axes


def box(
    axes: Any,
    x: float,
    y: float,
    width: float,
    height: float,
    text: str = "",
    color: str = COLORS["pytorch"],
    strength: float = 0.22,
    size: float = 9,
    **text_options: Any,
) -> None:
    """A rounded box with its text in the middle; `strength` is how full its color."""
    from matplotlib.colors import to_rgb
    from matplotlib.patches import FancyBboxPatch

    fill = tuple(1 - strength * (1 - c) for c in to_rgb(color))
    axes.add_patch(
        FancyBboxPatch(
            (x, y),
            width,
            height,
            boxstyle="round,pad=0,rounding_size=0.06",
            facecolor=fill,
            edgecolor=color,
            linewidth=1.2,
        )
    )
    options = {"ha": "center", "va": "center", "color": INK, "fontsize": size}
    axes.text(x + width / 2, y + height / 2, text, **{**options, **text_options})


def arrow(axes: Any, start: tuple, end: tuple, color: str = "#555555") -> None:
    """A thin arrow from one point to another."""
    axes.annotate(
        "",
        xy=end,
        xytext=start,
        arrowprops={"arrowstyle": "-|>", "color": color, "lw": 1.1, "shrinkB": 0},
    )


def limit_line(axes: Any, value: float, label: str) -> None:
    """A dashed horizontal line for what cannot be passed, with its name on it."""
    axes.axhline(value, color=INK, linestyle="--", linewidth=1)
    axes.annotate(
        label,
        (1, value),
        xycoords=("axes fraction", "data"),
        ha="right",
        va="bottom",
        fontsize=9,
    )


def label_end(axes: Any, line: Any, text: str) -> None:
    """Writes a line's name at its right end, in its color, instead of a legend."""
    xs, ys = line.get_data()
    axes.annotate(
        text,
        (xs[-1], ys[-1]),
        xytext=(5, 0),
        textcoords="offset points",
        va="center",
        color=line.get_color(),
        fontsize=9,
    )
