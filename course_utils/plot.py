"""The one look of all pictures, and the pieces that they share.

Used by every module that draws, and by lessons that plot. Colors mean the same in every
lesson (Okabe-Ito, safe for color-blind readers).
"""

from __future__ import annotations

import functools
import io
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.patches import FancyBboxPatch, Rectangle
from matplotlib.textpath import TextPath
from PIL import Image

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
    import matplotlib.style

    matplotlib.style.use(Path(__file__).with_name("course.mplstyle"))


class Picture(Figure):
    """A figure that a notebook shows once, as PNG, and prints as its size.

    It is unknown to pyplot, which would show it a second time at the end of the cell.
    """

    def _repr_png_(self) -> bytes:
        drawn, kept = io.BytesIO(), io.BytesIO()
        # Without the name of the program that drew it: the bytes depend on the picture.
        self.savefig(drawn, format="png", metadata={"Software": None})
        drawn.seek(0)
        # Flat colors need no more than a palette, and a third of the bytes.
        image = Image.open(drawn).convert("RGB").quantize(256)
        image.save(kept, format="png", optimize=True)
        return kept.getvalue()


def figure(width: float = 6.4, height: float = 3.6) -> tuple[Picture, Axes]:
    """A picture of this size in inches, with one pair of axes, in the course's style.

    Returns:
        (picture, axes), for curves and bars.
    """
    use()
    made = Picture(figsize=(width, height), layout="constrained")
    return made, made.subplots()


def canvas(width: float, height: float) -> tuple[Picture, Axes]:
    """A figure without axes, in inches, y pointing down: for diagrams.

    Returns:
        (picture, axes) with data coordinates in inches, (0, 0) at the top left.
    """
    use()
    made = Picture(figsize=(width, height))
    axes = made.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.axis("off")
    return made, axes


def tint(color: Any, strength: float) -> tuple[float, float, float]:
    """A color mixed with white; strength 0 is white, 1 the color itself."""
    return tuple(1 - strength * (1 - c) for c in to_rgb(color))


@functools.cache
def text_width(text: str, size: float, family: str = "sans-serif") -> float:
    """How wide a line of text is, in inches, at `size` points."""
    if not text.strip():
        return 0.0
    font = FontProperties(family=family, size=size)
    return TextPath((0, 0), text, prop=font).get_extents().x1 / 72


def shorten(name: str, width: float, size: float) -> str:
    """A dotted name, without its first parts where it would be too wide."""
    for text in (name, name.replace("torch.nn.functional.", "F.")):
        if text_width(text, size) <= width:
            return text
    return name.split(".")[-1].split("::")[-1]


def fit(text: str, width: float, size: float, least: float = 6.5) -> tuple[str, float]:
    """Text that fits into `width` inches: first smaller, then cut with an ellipsis.

    Returns:
        (text, size); the text is "" where not even one letter fits.
    """
    while size > least and text_width(text, size) > width:
        size -= 0.5
    if text_width(text, size) <= width:
        return text, size
    while text and text_width(text + "…", size) > width:
        text = text[:-1]
    return (text + "…" if text else ""), size


def box(
    axes: Axes,
    x: float,
    y: float,
    width: float,
    height: float,
    text: str = "",
    color: str = COLORS["pytorch"],
    strength: float = 0.22,
    size: float = 9,
    ink: str = INK,
    **text_options: Any,
) -> None:
    """A rounded box with its text in the middle; `strength` is how full its color."""
    axes.add_patch(
        FancyBboxPatch(
            (x, y),
            width,
            height,
            boxstyle="round,pad=0,rounding_size=0.06",
            facecolor=tint(color, strength),
            edgecolor=color,
            linewidth=1.2,
        )
    )
    options = {"ha": "center", "va": "center", "color": ink, "fontsize": size}
    axes.text(x + width / 2, y + height / 2, text, **{**options, **text_options})


def band(axes: Axes, x: float, y: float, width: float, height: float) -> None:
    """A pale ground for things that belong together."""
    axes.add_patch(
        Rectangle((x, y), width, height, facecolor="#f4f4f4", linewidth=0, zorder=0)
    )


def library_color(name: str) -> str:
    """The color of what computes: PyTorch's own, CUDA, or a library it calls."""
    if name.startswith("CUDA"):
        return COLORS["cuda"]
    if name == "a view":
        return "#ffffff"
    return COLORS["pytorch"] if name.startswith("ATen") else COLORS["highlight"]


def arrow(axes: Axes, start: tuple, end: tuple, color: str = "#555555") -> None:
    """A thin arrow from one point to another."""
    axes.annotate(
        "",
        xy=end,
        xytext=start,
        arrowprops={"arrowstyle": "-|>", "color": color, "lw": 1.1, "shrinkB": 0},
    )


def limit_line(axes: Axes, value: float, label: str) -> None:
    """A dashed horizontal line for what cannot be passed, with its name on it.

    Args:
        value: on the y axis, in its unit; a roofline or the library's own speed.
    """
    axes.axhline(value, color=INK, linestyle="--", linewidth=1)
    axes.annotate(
        label,
        (1, value),
        xycoords=("axes fraction", "data"),
        ha="right",
        va="bottom",
        fontsize=9,
    )


def label_end(axes: Axes, line: Line2D, text: str) -> None:
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
