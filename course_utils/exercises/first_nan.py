"""The contract of exercise 12.4: a mode that finds who made the first NaN."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.utils._python_dispatch import (
    TorchDispatchMode,
    _get_current_dispatch_mode_stack,
)

from course_utils.exercise import Trial, exercise


@exercise(
    "12.4",
    "Which operator made the first NaN?",
    difficulty=3,
    minutes=15,
    kind="class",
    hints=(
        "In `__torch_dispatch__` you have the arguments before the call and the result "
        "after it. The operator made a NaN if its result holds one and none of its "
        "arguments did.",
        "Look at the arguments before you call `func`: an in-place operator writes its "
        "NaN into an argument.",
        "Tensors hide in lists, tuples and keyword arguments. "
        "`torch.utils._pytree.tree_leaves((args, kwargs))` flattens them all. Keep "
        "`str(func)` once, when `self.op` is still None.",
    ),
)
def FirstNaN(answer: type, t: Trial) -> None:
    """A TorchDispatchMode; its `op` is None, or names the operator that made a NaN.

    An operator makes a NaN if a tensor among its results holds one and no tensor among
    its arguments, lists and keyword arguments included, did before the call. The name
    is `str(func)`, such as "aten.sqrt.default"; the first one is kept.
    """
    t.require(
        issubclass(answer, TorchDispatchMode),
        "it does not inherit from TorchDispatchMode, so no operator reaches it",
    )
    for case, fn, want, sentence in _nan_cases():
        finder = t.run(_watch, answer, fn, case=case)
        got = getattr(finder, "op", "there is no `op`")
        t.equal(got, want, what="`op`", why=((lambda g, w: g != w, sentence),))  # noqa: B023
        t.equal(
            _get_current_dispatch_mode_stack(),
            [],
            what="the stack of modes after the `with` block",
        )
    t.equal(
        t.run(_sum_under, answer, case="the result reaches the caller"),
        torch.tensor(3.0, dtype=torch.float64),
        what="sum(dtype=torch.float64) under the mode",
    )


def _sum_under(cls: type) -> torch.Tensor:
    with cls():
        return torch.tensor([1.0, 2.0]).sum(dtype=torch.float64)


def _watch(cls: type, fn: Callable[[], object]) -> object:
    with cls() as finder:
        fn()
    return finder


def _nan_cases() -> list[tuple]:
    nan, inf = float("nan"), float("inf")
    x = torch.tensor([-1.0, 4.0])
    dirty = torch.tensor([nan, 4.0])
    zero = torch.zeros(2, requires_grad=True)

    def where_trick() -> None:
        torch.where(zero > 0, zero.sqrt(), 0).sum().backward()

    return [
        ("no NaN at all", lambda: x.relu().sqrt(), None, "there is no NaN here"),
        (
            "sqrt of -1",
            lambda: torch.sqrt(x),
            "aten.sqrt.default",
            "sqrt of -1 makes a NaN and must be named, as `str(func)`",
        ),
        (
            "infinities only",
            lambda: x / 0,
            None,
            "an infinity is no NaN; `torch.isnan` tells them apart",
        ),
        (
            "a NaN that was there before",
            lambda: dirty.relu() + 1,
            None,
            "an operator that passes a NaN on has not made it",
        ),
        (
            "sqrt, then exp and sum",
            lambda: x.sqrt().exp().sum(),
            "aten.sqrt.default",
            "the first operator is asked for, not the last one that shows a NaN",
        ),
        (
            "two culprits: inf - inf, then sqrt of -1",
            lambda: ((x / 0) - (x / 0), x.sqrt()),
            "aten.sub.Tensor",
            "the first operator is asked for; a later one must not replace it",
        ),
        (
            "a NaN passes by, then sqrt of -1",
            lambda: (dirty.relu(), x.sqrt()),
            "aten.sqrt.default",
            "a NaN that was there before must not end the search",
        ),
        (
            "in place: log_ of -1",
            lambda: x.clone().log_(),
            "aten.log_.default",
            "an in-place operator writes its NaN into its argument; look at the "
            "arguments before the call",
        ),
        (
            "a NaN in a list: stack",
            lambda: torch.stack([x, dirty]),
            None,
            "the NaN was in a list of tensors; look into lists too",
        ),
        (
            "a NaN in a keyword argument: histogram's weight",
            lambda: torch.histogram(x.relu(), 2, weight=dirty),
            None,
            "the NaN was in a keyword argument; look into those too",
        ),
        (
            "a tuple of results: var_mean of one element",
            lambda: torch.var_mean(x[:1], dim=0, correction=2),
            "aten.var_mean.correction",
            "the NaN is in a tuple of results; look into tuples too",
        ),
        (
            "infinity minus infinity",
            lambda: torch.tensor([inf]) - inf,
            "aten.sub.Tensor",
            "inf - inf is a NaN",
        ),
        (
            "integers pass by, then sqrt of -1",
            lambda: (torch.arange(3).sum(), x.sqrt()),
            "aten.sqrt.default",
            "integers have no NaN; they must not disturb",
        ),
        (
            "backward: where(z > 0, sqrt(z), 0) at 0",
            where_trick,
            "aten.div.Tensor",
            "this NaN is made in backward, by the 0 / 0 in sqrt's gradient",
        ),
    ]
