"""Compares what an answer returned with what it should be, and says how they differ.

Used by `exercise.Trial`. Values are compared exactly unless a tolerance is given; NaN
equals NaN, and +0.0 equals -0.0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch


@dataclass
class Difference:
    """The first thing that is wrong, in words, with the two values where there are."""

    sentence: str
    got: str = ""
    want: str = ""


def difference(
    got: Any,
    want: Any,
    rtol: float = 0.0,
    atol: float = 0.0,
    what: str = "the result",
    strict_strides: bool = False,
) -> Difference | None:
    """Returns how `got` differs from `want`, or None where they agree.

    Args:
        got, want: tensors, numbers, strings, None, or lists, tuples, sets and mappings
            of them. A list and a tuple with the same items agree.
        rtol, atol: as in `torch.testing.assert_close`, for numbers and tensors.
        what: names the value in the sentence.
        strict_strides: whether the strides of tensors must agree too.
    """
    if isinstance(want, torch.Tensor):
        return _tensors(got, want, rtol, atol, what, strict_strides)
    if got is None and want is not None:
        return Difference(f"{what} is None; is a `return` missing?", "None", show(want))
    if isinstance(want, Mapping):
        return _mappings(got, want, rtol, atol, what)
    if isinstance(want, list | tuple):
        return _sequences(got, want, rtol, atol, what, strict_strides)
    if isinstance(want, float) and _is_number(got):
        near = abs(got - want) <= atol + rtol * abs(want)
        if near or got == want or (got != got and want != want):
            return None
        return Difference(f"{what} is {show(got)}, expected {show(want)}")
    same_kind = type(got) is type(want) or (_is_number(got) and _is_number(want))
    if not same_kind:
        return Difference(
            f"{what} is a {type(got).__name__}, expected a {type(want).__name__}",
            show(got),
            show(want),
        )
    if got != want:
        return Difference(f"{what} is {show(got)}, expected {show(want)}")
    return None


def show(value: Any) -> str:
    """A short text of a value: tensors with shape and dtype, long ones cut."""
    if isinstance(value, torch.Tensor):
        name = str(value.dtype).removeprefix("torch.")
        head = f"{name}{list(value.shape)}"
        if value.numel() > 12 or value.layout is not torch.strided:
            return head
        try:
            return f"{head} {value.tolist()}"
        except (RuntimeError, NotImplementedError):  # fake and meta tensors
            return f"{head} on {value.device}"
    if callable(value) and hasattr(value, "__name__"):
        return f"the function {value.__name__}"
    text = repr(value)
    return text if len(text) <= 200 else text[:197] + "..."


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _tensors(
    got: Any, want: torch.Tensor, rtol: float, atol: float, what: str, strides: bool
) -> Difference | None:
    if not isinstance(got, torch.Tensor):
        tail = "; is a `return` missing?" if got is None else ""
        return Difference(
            f"{what} is {'None' if got is None else 'a ' + type(got).__name__}, "
            f"expected a tensor{tail}",
            show(got),
            show(want),
        )
    for name, mine, theirs in (
        ("shape", tuple(got.shape), tuple(want.shape)),
        ("dtype", got.dtype, want.dtype),
        ("device", got.device, want.device),
        ("layout", got.layout, want.layout),
    ):
        if mine != theirs:
            return Difference(
                f"{what} has {name} {mine}, expected {theirs}", show(got), show(want)
            )
    if strides and got.stride() != want.stride():
        return Difference(
            f"{what} has strides {got.stride()}, expected {want.stride()}"
        )
    if want.device.type == "meta":
        return None
    return _values(got.detach(), want.detach(), rtol, atol, what)


def _values(
    got: torch.Tensor, want: torch.Tensor, rtol: float, atol: float, what: str
) -> Difference | None:
    if got.layout is not torch.strided:
        got, want = got.to_dense(), want.to_dense()
    same = got == want
    if want.is_floating_point() or want.is_complex():
        same = same | (got.isnan() & want.isnan())
        if rtol or atol:
            same = same | torch.isclose(got, want, rtol=rtol, atol=atol)
    wrong = (~same).nonzero()
    if not len(wrong):
        return None
    index = tuple(wrong[0].tolist())
    mine, theirs = got[index].item(), want[index].item()
    where = f" at index {index}" if index else ""
    count = f" ({len(wrong)} of {want.numel()} values differ)" if len(wrong) > 1 else ""
    return Difference(
        f"{what}{where} is {mine:g}, expected {theirs:g}{count}"
        if not isinstance(theirs, bool | complex)
        else f"{what}{where} is {mine}, expected {theirs}{count}",
        show(got),
        show(want),
    )


def _sequences(
    got: Any, want: Any, rtol: float, atol: float, what: str, strides: bool
) -> Difference | None:
    if not isinstance(got, list | tuple):
        kind = type(want).__name__
        return Difference(
            f"{what} is a {type(got).__name__}, expected a {kind} of {len(want)}",
            show(got),
            show(want),
        )
    if len(got) != len(want):
        return Difference(
            f"{what} has {len(got)} items, expected {len(want)}", show(got), show(want)
        )
    for i, (mine, theirs) in enumerate(zip(got, want, strict=True)):
        name = f"item {i} of {what}"
        found = difference(mine, theirs, rtol, atol, name, strides)
        if found:
            return found
    return None


def _mappings(
    got: Any, want: Mapping, rtol: float, atol: float, what: str
) -> Difference | None:
    if not isinstance(got, Mapping):
        return Difference(f"{what} is a {type(got).__name__}, expected a dict")
    for key in want:
        if key not in got:
            return Difference(f"{what} has no entry {key!r}")
        found = difference(got[key], want[key], rtol, atol, f"{what}[{key!r}]")
        if found:
            return found
    extra = [key for key in got if key not in want]
    if extra:
        return Difference(f"{what} has an entry {extra[0]!r} that should not be there")
    return None
