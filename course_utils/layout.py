"""Draws how tensors lie in memory: one storage as a strip, each tensor as a grid.

Used by lesson 11. The same storage element has the same color everywhere, so a view is
seen to be one.
"""

from __future__ import annotations

import itertools
from typing import Any

import torch

from course_utils import plot
from course_utils.table import Table

MOST = 64  # elements of a storage or a tensor that a picture can show
_CELL = 0.42  # inches


def describe(tensor: torch.Tensor) -> Table:
    """How a tensor lies in its storage, as a table.

    Raises:
        ValueError: if it has no storage (sparse tensors, for example).
    """
    storage = _storage(tensor)
    base = tensor._base
    rows = [
        ("shape", tuple(tensor.shape)),
        ("strides", tensor.stride()),
        ("offset", tensor.storage_offset()),
        ("dtype", str(tensor.dtype).removeprefix("torch.")),
        ("elements", tensor.numel()),
        ("bytes of the elements", tensor.numel() * tensor.element_size()),
        ("bytes of the storage", storage.nbytes()),
        ("contiguous", tensor.is_contiguous()),
        (
            "a view of",
            f"a tensor of shape {tuple(base.shape)}" if base is not None else "-",
        ),
        ("version", _version(tensor)),
    ]
    return Table([(k, str(v)) for k, v in rows], ["", "value"])


def same_storage(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two tensors lie in one storage, wherever in it they start.

    Raises:
        ValueError: if one of them has no storage.
    """
    return _storage(a)._cdata == _storage(b)._cdata


def positions(tensor: torch.Tensor) -> list[int]:
    """For each element in order, its place in the storage, in elements."""
    places = []
    for index in itertools.product(*(range(n) for n in tensor.shape)):
        steps = sum(i * s for i, s in zip(index, tensor.stride(), strict=True))
        places.append(tensor.storage_offset() + steps)
    return places


def draw(*tensors: torch.Tensor, names: list[str] | None = None) -> Any:
    """A figure: each storage as a strip, and below it the tensors that lie in it.

    Args:
        tensors: strided, each with at most 64 elements, as its storage.
        names: what to call them; "tensor 1" and so on if not given.

    Raises:
        ValueError: if a tensor or its storage is too large, or has no storage.
    """
    if not tensors:
        raise ValueError("expected at least one tensor, got none")
    names = names or [f"tensor {i + 1}" for i in range(len(tensors))]
    if len(names) != len(tensors):
        raise ValueError(f"expected {len(tensors)} names, got {len(names)}")
    groups: dict[int, list[int]] = {}
    for i, tensor in enumerate(tensors):
        count = _storage(tensor).nbytes() // tensor.element_size()
        if max(tensor.numel(), count) > MOST:
            raise ValueError(
                f"expected at most {MOST} elements to draw, got a tensor of "
                f"{tensor.numel()} in a storage of {count}"
            )
        groups.setdefault(_storage(tensor)._cdata, []).append(i)
    plans = [[_plan(tensors[i], names[i]) for i in group] for group in groups.values()]
    return _figure(plans)


def _storage(tensor: torch.Tensor) -> Any:
    try:
        return tensor.untyped_storage()
    except (RuntimeError, NotImplementedError) as error:
        raise ValueError(
            f"expected a tensor with a storage, got one of layout {tensor.layout}"
        ) from error


def _version(tensor: torch.Tensor) -> str:
    try:
        return str(tensor._version)
    except RuntimeError:  # inference tensors keep none
        return "-"


class _Plan:
    """A tensor as blocks of a grid: the last two dimensions are rows and columns."""

    def __init__(self, tensor: torch.Tensor, name: str) -> None:
        self.name = name
        self.values = tensor.detach().flatten().tolist() if tensor.numel() else []
        self.places = positions(tensor)
        shape = tuple(tensor.shape)
        self.rows = shape[-2] if len(shape) > 1 else 1
        self.columns = shape[-1] if shape else 1
        self.blocks = max(1, tensor.numel() // max(1, self.rows * self.columns))
        self.per_line = 1 if len(shape) < 3 else shape[-3]
        self.lines = -(-self.blocks // max(1, self.per_line))
        self.title = f"{name}: shape {shape}, strides {tensor.stride()}"
        if tensor.storage_offset():
            self.title += f", offset {tensor.storage_offset()}"
        self.strip = _strip(tensor)
        self.width = self.per_line * (self.columns + 0.6) * _CELL
        self.height = 0.45 + self.lines * (self.rows + 0.5) * _CELL


def _plan(tensor: torch.Tensor, name: str) -> _Plan:
    return _Plan(tensor, name)


def _strip(tensor: torch.Tensor) -> list[Any]:
    count = _storage(tensor).nbytes() // tensor.element_size()
    flat = torch.as_strided(tensor.detach(), (count,), (1,), 0)
    return flat.tolist()


def _figure(groups: list[list[_Plan]]) -> Any:
    import matplotlib.pyplot as plt

    widest = max(
        max(len(plans[0].strip) * _CELL, *(p.width for p in plans)) for plans in groups
    )
    per_row = max(1, int(9 / _CELL))
    width = max(
        4.6,
        min(widest, 9.0) + 0.4,
        *(len(p.title) * 0.078 + 0.4 for g in groups for p in g),
    )
    height = 0.1
    for plans in groups:
        height += 0.45 + -(-len(plans[0].strip) // per_row) * (_CELL + 0.26)
        height += sum(p.height for p in plans) + 0.2
    figure, axes = plot.canvas(width, height)
    y = 0.1
    for plans in groups:
        y = _draw_strip(axes, plans, y, per_row)
        for plan in plans:
            y = _draw_grid(axes, plan, y)
        y += 0.2
    plt.close(figure)
    return figure


def color(place: int, count: int) -> Any:
    """The color of a storage element: neighbors differ a little, ends a lot."""
    import matplotlib

    scale = matplotlib.colormaps["turbo"]
    r, g, b, _ = scale(0.08 + 0.84 * place / max(1, count - 1))
    return tuple(1 - 0.55 * (1 - c) for c in (r, g, b))


def _draw_strip(axes: Any, plans: list[_Plan], y: float, per_row: int) -> float:
    strip = plans[0].strip
    reached = {place for plan in plans for place in plan.places}
    axes.text(
        0.2, y + 0.16, f"storage, {len(strip)} elements", fontsize=9, fontweight="bold"
    )
    y += 0.34
    for place, value in enumerate(strip):
        x = 0.2 + place % per_row * _CELL
        top = y + place // per_row * (_CELL + 0.26)
        _cell(axes, x, top, value, place, len(strip), place in reached)
        axes.text(
            x + _CELL / 2,
            top + _CELL + 0.13,
            str(place),
            ha="center",
            fontsize=6.5,
            color="#777777",
        )
    return y + -(-len(strip) // per_row) * (_CELL + 0.26) + 0.06


def _draw_grid(axes: Any, plan: _Plan, y: float) -> float:
    axes.text(0.2, y + 0.18, plan.title, fontsize=9)
    y += 0.3
    cells = iter(zip(plan.values, plan.places, strict=True))
    for block in range(plan.blocks):
        left = 0.2 + block % plan.per_line * (plan.columns + 0.6) * _CELL
        top = y + block // plan.per_line * (plan.rows + 0.5) * _CELL
        for row in range(plan.rows):
            for column in range(plan.columns):
                item = next(cells, None)
                if item is not None:
                    _cell(
                        axes,
                        left + column * _CELL,
                        top + row * _CELL,
                        *item,
                        len(plan.strip),
                        True,
                    )
    return y + plan.height - 0.3


def _cell(
    axes: Any, x: float, y: float, value: Any, place: int, count: int, reached: bool
) -> None:
    from matplotlib.patches import Rectangle

    axes.add_patch(
        Rectangle(
            (x, y),
            _CELL,
            _CELL,
            facecolor=color(place, count) if reached else "white",
            edgecolor="#ffffff" if reached else "#bbbbbb",
            linewidth=1.5 if reached else 0.6,
            hatch=None if reached else "////",
        )
    )
    text = f"{value:g}" if isinstance(value, int | float) else str(value)
    axes.text(
        x + _CELL / 2,
        y + _CELL / 2,
        text if len(text) < 6 else f"{value:.1f}",
        ha="center",
        va="center",
        fontsize=8,
        color=plot.INK if reached else "#999999",
    )
