"""Draws storages as strips of cells and tensors as grids; knows nothing of torch.

Used by `layout`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import matplotlib
from matplotlib.patches import Rectangle

from course_utils import plot

_CELL = 0.36  # inches
_WIDE = 8.8  # inches that a line of cells may take
_LINE = 16  # cells in a line of a strip that does not fit into one
_MOST_IN_LINE = int(_WIDE / _CELL)
_LABEL = 0.2  # a line of small text
_SPACE = 0.35  # between neighbors
_LEFT = 0.15


@dataclass
class Grid:
    """A tensor: the last two dimensions as rows and columns, the others as blocks.

    Attributes:
        about: a line under its name. values, places: for each element, in order.
    """

    name: str
    about: str
    shape: tuple[int, ...]
    values: list[Any]
    places: list[int]

    def blocks(self) -> Iterator[tuple[str, list[list[int]]]]:
        """(its leading indices, numbers of its elements row by row) of each block."""
        columns = self.shape[-1] if self.shape else 1
        rows = self.shape[-2] if len(self.shape) > 1 else 1
        leading = self.shape[:-2]
        for number, index in enumerate(itertools.product(*map(range, leading))):
            first = number * rows * columns
            lines = []
            for row in range(rows):
                line = range(first + row * columns, first + (row + 1) * columns)
                step = max(1, columns) if columns <= _MOST_IN_LINE else _LINE
                lines += [list(line[i : i + step]) for i in range(0, columns, step)]
            label = ", ".join(map(str, index))
            yield (f"[{label}]" if index else ""), lines


@dataclass
class Strip:
    """A storage, with the tensors that lie in it."""

    title: str
    values: list[Any]
    grids: list[Grid] = field(default_factory=list)


@dataclass
class _Piece:
    """Something placed in the picture; sizes in inches, y pointing down."""

    width: float
    height: float
    draw: Any
    x: float = 0.0
    y: float = 0.0


def picture(strips: list[Strip]) -> plot.Picture:
    """The strips below each other, each with its grids side by side below it."""
    pieces: list[_Piece] = []
    y = 0.12
    for strip in strips:
        placed = [_strip_piece(strip)]
        bottom = _flow(placed, y)
        grids = [_grid_piece(grid, len(strip.values)) for grid in strip.grids]
        y = _flow(grids, bottom + 0.16) + 0.3
        pieces += placed + grids
    width = max(4.0, 2 * _LEFT + max(p.x - _LEFT + p.width for p in pieces))
    made, axes = plot.canvas(width, y - 0.16)
    for piece in pieces:
        piece.draw(axes, piece.x, piece.y)
    return made


def _flow(pieces: list[_Piece], y: float) -> float:
    """Places pieces from left to right and line by line; returns where they end."""
    x, tallest = _LEFT, 0.0
    for piece in pieces:
        if x > _LEFT and x + piece.width > _LEFT + _WIDE:
            y += tallest + 0.22
            x, tallest = _LEFT, 0.0
        piece.x, piece.y = x, y
        x += piece.width + _SPACE
        tallest = max(tallest, piece.height)
    return y + tallest


def color(place: int, count: int) -> tuple[float, float, float]:
    """The color of a storage element: neighbors differ a little, the ends a lot."""
    scale = matplotlib.colormaps["turbo"]
    *rgb, _ = scale(0.08 + 0.84 * place / max(1, count - 1))
    return plot.tint(tuple(rgb), 0.55)


def _strip_piece(strip: Strip) -> _Piece:
    count = len(strip.values)
    in_line = count if count <= _MOST_IN_LINE else _LINE
    reached = {place for grid in strip.grids for place in grid.places}
    wide = max(in_line * _CELL, plot.text_width(strip.title, 9.5) * 1.06)
    line = _CELL + _LABEL + 0.02

    def draw(axes: Any, x: float, y: float) -> None:
        axes.text(x, y + 0.1, strip.title, fontsize=9.5, weight="bold", va="center")
        for place, value in enumerate(strip.values):
            left = x + place % in_line * _CELL
            top = y + 0.26 + place // in_line * line
            face = color(place, count) if place in reached else None
            _cell(axes, left, top, value, face)
            axes.text(
                left + _CELL / 2,
                top + _CELL + 0.1,
                str(place),
                ha="center",
                va="center",
                fontsize=6.5,
                color="#666666",
            )

    return _Piece(wide, 0.26 + math.ceil(count / max(1, in_line)) * line, draw)


def _grid_piece(grid: Grid, count: int) -> _Piece:
    blocks = []
    for label, lines in grid.blocks():
        tall = (_LABEL if label else 0) + len(lines) * _CELL
        wide = max((len(line) for line in lines), default=0) * _CELL
        blocks.append(_Piece(wide, tall, _block(grid, label, lines, count)))
    inner = _flow(blocks, 0.0)
    wide = max((b.x - _LEFT + b.width for b in blocks), default=0.0)
    texts = max(plot.text_width(grid.name, 9) * 1.1, plot.text_width(grid.about, 8))
    empty = "" if grid.values else "no elements"

    def draw(axes: Any, x: float, y: float) -> None:
        axes.text(x, y + 0.09, grid.name, fontsize=9, weight="bold", va="center")
        axes.text(x, y + 0.26, grid.about, fontsize=8, va="center")
        axes.text(x, y + 0.46, empty, fontsize=8, va="center", color="#666666")
        for block in blocks:
            block.draw(axes, x + block.x - _LEFT, y + 0.4 + block.y)

    return _Piece(max(wide, texts), 0.4 + max(inner, _LABEL), draw)


def _block(grid: Grid, label: str, lines: list[list[int]], count: int) -> Any:
    def draw(axes: Any, x: float, y: float) -> None:
        if label:
            axes.text(x, y + 0.09, label, fontsize=7.5, va="center", color="#666666")
            y += _LABEL
        for row, line in enumerate(lines):
            for column, number in enumerate(line):
                face = color(grid.places[number], count)
                left, top = x + column * _CELL, y + row * _CELL
                _cell(axes, left, top, grid.values[number], face)

    return draw


def _cell(axes: Any, x: float, y: float, value: Any, face: Any) -> None:
    """One element; without a color of its own it is one that no tensor reaches."""
    reached = face is not None
    axes.add_patch(
        Rectangle(
            (x, y),
            _CELL,
            _CELL,
            facecolor=face if reached else "white",
            edgecolor="white" if reached else "#c4c4c4",
            linewidth=1.5 if reached else 0.5,
            hatch=None if reached else "/////",
        )
    )
    text, size = plot.fit(_text(value), _CELL - 0.05, 8, least=5)
    axes.text(
        x + _CELL / 2,
        y + _CELL / 2,
        text,
        ha="center",
        va="center",
        fontsize=size,
        color=plot.INK if reached else "#777777",
    )


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "T" if value else "F"
    return f"{value:.3g}" if isinstance(value, float | complex) else str(value)
