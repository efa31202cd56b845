"""Draws how tensors lie in memory: one storage as a strip, each tensor as a grid.

Used by lesson 11. The same storage element has the same color everywhere, so a view is
seen to be one.
"""

from __future__ import annotations

import itertools
from typing import Any

import torch

from course_utils.layout_draw import Grid, Strip, picture
from course_utils.table import Table

MOST = 64  # elements of a storage or a tensor that a picture can show


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
    """A picture: each storage as a strip, and below it the tensors that lie in it.

    The same element of a storage has the same color in the strip and in every tensor;
    elements that no tensor reaches are hatched. A storage that is read as two dtypes
    is drawn once for each.

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
        raise ValueError(
            f"expected a name for each of {len(tensors)} tensors, got {len(names)}"
        )
    strips: dict[Any, Strip] = {}
    for tensor, name in zip(tensors, names, strict=True):
        key = _storage(tensor)._cdata, tensor.dtype
        if key not in strips:
            strips[key] = _strip(tensor, name)
        strips[key].grids.append(_grid(tensor, name))
    return picture(list(strips.values()))


def _strip(tensor: torch.Tensor, name: str) -> Strip:
    storage = _storage(tensor)
    count = storage.nbytes() // tensor.element_size()
    if max(tensor.numel(), count) > MOST:
        raise ValueError(
            f"expected at most {MOST} elements to draw, got {name} of {tensor.numel()} "
            f"in a storage of {count}; draw a smaller one, or a clone of a part of it"
        )
    flat = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
    flat.set_(storage, 0, (count,), (1,))
    what = "element" if count == 1 else "elements"
    kind = str(tensor.dtype).removeprefix("torch.")
    title = f"storage: {count} {what} of {kind}, {storage.nbytes()} bytes"
    return Strip(title, _values(flat))


def _grid(tensor: torch.Tensor, name: str) -> Grid:
    if tensor.numel() > MOST:
        raise ValueError(
            f"expected at most {MOST} elements to draw, got {name} of "
            f"{tensor.numel()}; draw a part of it"
        )
    about = f"shape {tuple(tensor.shape)}, strides {tensor.stride()}"
    if tensor.storage_offset():
        about += f", offset {tensor.storage_offset()}"
    values = _values(tensor.detach())
    return Grid(name, about, tuple(tensor.shape), values, positions(tensor))


def _values(tensor: torch.Tensor) -> list[Any]:
    """The elements in order; meta tensors have none to show."""
    if tensor.device.type == "meta":
        return [""] * tensor.numel()
    return tensor.reshape(-1).tolist()


def _storage(tensor: torch.Tensor) -> Any:
    try:
        return tensor.untyped_storage()
    except (RuntimeError, NotImplementedError) as error:
        raise ValueError(
            f"expected a tensor with a storage, got one of layout {tensor.layout}, "
            "which keeps its elements elsewhere"
        ) from error


def _version(tensor: torch.Tensor) -> str:
    try:
        return str(tensor._version)
    except RuntimeError:  # inference tensors keep none
        return "-"
