"""The contract of exercise 10.3: a meter for bytes and FLOPs.

Sizes are small and uneven on purpose: a product of the wrong dimensions, or a shape
read from the wrong tensor, then shows.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import (
    TorchDispatchMode,
    _get_current_dispatch_mode_stack,
)

from course_utils import inputs
from course_utils.exercise import Trial, exercise


def _cost_of(t: Trial, Cost: type, fn: Callable[[], object], case: str) -> object:
    def run() -> object:
        with Cost() as cost:
            fn()
        return cost

    cost = t.run(run, case=case)
    t.require(
        not _get_current_dispatch_mode_stack(),
        "the mode is still active after the `with` block",
    )
    t.require(
        isinstance(cost, TorchDispatchMode),
        "`with Cost() as cost` does not give the mode itself",
    )
    for name in ("bytes", "flops"):
        t.require(
            isinstance(getattr(cost, name, None), int),
            f"`cost.{name}` is not there, or is not an int",
        )
    return cost


def _says(amount: int, sentence: str) -> tuple[tuple, ...]:
    return ((lambda got, want: got == amount, sentence),)


def _flops_why(m: int, k: int, n: int) -> tuple[tuple, ...]:
    return (
        *_says(
            m * k * n,
            "half of what is expected: a multiplication and an addition are two FLOPs",
        ),
        *_says(
            2 * m * k * n + m * n,
            "the bias is counted too; the contract counts the matrix product only, as "
            "PyTorch's own counter does",
        ),
        *_says(0, "this product is not counted at all"),
        (
            lambda got, want: got % 2 == 0 and got != want,
            "the sizes are taken from the wrong dimensions: for (m, k) times (k, n) it "
            "is 2 * m * k * n",
        ),
    )


@exercise(
    "10.3",
    "A meter for bytes and FLOPs",
    difficulty=3,
    minutes=20,
    kind="class",
    hints=(
        "Set both counters to 0 in `__init__`, after `super().__init__()`. In "
        "`__torch_dispatch__` call `func` first: the result tells you the shape of the "
        "product, and its tensors count as bytes too.",
        "`func.overloadpacket in (torch.ops.aten.mm, torch.ops.aten.addmm)` finds the "
        "products. The right factor is the last positional argument of both, (k, n). "
        "`func.is_view` is true for operators that only make a view.",
        "Tensors may hide in lists (`torch.cat`) and in tuples (`torch.max` with a "
        "dim). `torch.utils._pytree.tree_leaves((args, kwargs, result))` flattens all "
        "of that; add `x.numel() * x.itemsize` for every leaf that is a tensor.",
    ),
)
def Cost(answer: type, t: Trial) -> None:
    """A TorchDispatchMode with two ints, `flops` and `bytes`, both 0 at the start.

    flops: 2 * m * k * n for every `aten.mm` and `aten.addmm` of an (m, k) by a (k, n)
    matrix, nothing for any other operator. bytes: for every operator whose schema does
    not declare it a view, numel * itemsize of each tensor among its arguments, lists of
    tensors included, and of each tensor that it returns. Exact: these are counts.
    """
    t.require(
        issubclass(answer, TorchDispatchMode),
        "it does not inherit from TorchDispatchMode, so no operator reaches it",
    )
    _count_bytes(answer, t)
    _count_flops(answer, t)


def _count_bytes(answer: type, t: Trial) -> None:
    x, y = inputs.randn(5, 3), inputs.randn(5, 3, seed=1)
    target = torch.zeros(5, 3)
    cost = _cost_of(t, answer, lambda: torch.relu(x), "relu of (5, 3) float32")
    t.equal(
        cost.bytes,
        120,
        what="`bytes`",
        why=(
            *_says(30, "elements are counted, not bytes; a float32 has 4 of them"),
            *_says(60, "one side is missing: relu reads 60 bytes and writes 60"),
            *_says(0, "relu is not counted at all"),
        ),
    )
    t.equal(cost.flops, 0, what="`flops` of relu")
    cost = _cost_of(t, answer, lambda: None, "a second meter")
    t.equal(
        (cost.bytes, cost.flops),
        (0, 0),
        what="a new meter's (bytes, flops)",
        why=(
            (
                lambda got, want: any(got),
                "a new meter does not start at 0; set the counters in `__init__`, so "
                "that each meter has its own",
            ),
        ),
    )
    for case, fn, want, why in (
        (
            "relu of (5, 3) bfloat16",
            lambda: torch.relu(x.bfloat16()),
            90 + 60,
            _says(240, "a bfloat16 has 2 bytes, not 4"),
        ),
        (
            "views only: x.t().view(-1)[2:].detach()",
            lambda: x.t().t().view(-1)[2:].detach(),
            0,
            (
                (
                    lambda got, want: got > 0,
                    "views are counted; a view moves no data (`func.is_view`)",
                ),
            ),
        ),
        (
            "cat of two (5, 3) float32",
            lambda: torch.cat([x, y]),
            240,
            _says(120, "tensors in a list are missing; torch.cat takes a list"),
        ),
        (
            "max over dimension 1 of (5, 3) float32",
            lambda: torch.max(x, dim=1),
            60 + 20 + 40,
            (
                *_says(60, "tensors in a tuple are missing; torch.max returns two"),
                *_says(100, "the indices are int64, of 8 bytes each"),
            ),
        ),
        (
            "sum of (5, 3) float32 with dtype=float64",
            lambda: torch.sum(x, dtype=torch.float64),
            60 + 8,
            _says(64, "the keyword arguments are lost: `func(*args, **kwargs)`"),
        ),
        (
            "relu of the first two rows of (5, 3) float32",
            lambda: torch.relu(x[:2]),
            24 + 24,
            _says(
                60 + 24,
                "the whole storage is counted; a slice reads only its own elements",
            ),
        ),
        (
            "mul of two (5, 3) float32 with out=",
            lambda: torch.mul(x, y, out=target),
            240,
            _says(180, "a tensor among the keyword arguments (`out=`) is missing"),
        ),
        (
            "relu_ of (5, 3) float32",
            lambda: x.clone().relu_(),
            120 + 120,
            (),
        ),
    ):
        cost = _cost_of(t, answer, fn, case)
        t.equal(cost.bytes, want, what="`bytes`", why=why)


def _count_flops(answer: type, t: Trial) -> None:
    a, b = inputs.randn(2, 3), inputs.randn(3, 5, seed=1)
    bias = inputs.randn(5, seed=2)
    cost = _cost_of(t, answer, lambda: a @ b, "(2, 3) @ (3, 5)")
    t.equal(cost.flops, 60, what="`flops`", why=_flops_why(2, 3, 5))
    t.equal(cost.bytes, 24 + 60 + 40, what="`bytes`")
    cost = _cost_of(
        t, answer, lambda: torch.addmm(bias, a, b), "addmm of (5,), (2, 3), (3, 5)"
    )
    t.equal(cost.flops, 60, what="`flops`", why=_flops_why(2, 3, 5))
    t.equal(cost.bytes, 20 + 24 + 60 + 40, what="`bytes`")
    w = inputs.randn(7, 3, seed=3).requires_grad_()

    def step() -> None:
        F.linear(a, w, torch.zeros(7)).sum().backward()

    cost = _cost_of(t, answer, step, "F.linear of (2, 3) to 7, with backward")
    t.equal(
        cost.flops,
        2 * 84,
        what="`flops`",
        why=_says(
            84,
            "only one of the two products is counted; the gradient of w is a product "
            "too, and backward passes through the mode like any call",
        ),
    )
    t.require(w.grad is not None, "the results do not reach the caller")
    t.equal(w.grad, a.sum(0).expand(7, 3), what="w.grad", rtol=1e-5, atol=1e-6)
