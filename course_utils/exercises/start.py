"""The contracts of lesson 00: ReLU in Python, and reading one trace."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from course_utils import inputs
from course_utils.exercise import Trial, exercise

RECTIFIERS = (
    "relu",
    "relu_",
    "relu6",
    "clamp",
    "clamp_",
    "clamp_min",
    "clamp_min_",
    "maximum",
    "fmax",
    "threshold",
    "threshold_",
    "hardtanh",
    "hardtanh_",
    "leaky_relu",
    "leaky_relu_",
    "prelu",
    "_prelu_kernel",
    "rrelu",
    "rrelu_with_noise",
)


class Seen(TorchDispatchMode):
    """Keeps the name of every ATen operator that runs: "sub", "relu", in order."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.namespace == "aten":
            self.names.append(func.overloadpacket.__name__)
        return func(*args, **(kwargs or {}))


def mystery(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """a: (N, C) float32; b: (C,) float32; returns (C,) float32.

    Lesson 00 shows the trace of this function and asks for its code.
    """
    return (torch.relu(a - b) * a).sum(dim=0)


def _fewer_nans(got: torch.Tensor, want: torch.Tensor, x: torch.Tensor) -> bool:
    return bool(got.isnan().sum() < want.isnan().sum())


def _minus_infinity(got: torch.Tensor, want: torch.Tensor, x: torch.Tensor) -> bool:
    return bool((got.isnan() & (x == -float("inf"))).any())


def _overflows(got: torch.Tensor, want: torch.Tensor, x: torch.Tensor) -> bool:
    return bool((got.isinf() & x.isfinite()).any())


def _sign_flipped(got: torch.Tensor, want: torch.Tensor, x: torch.Tensor) -> bool:
    return bool((got < 0).any())


RELU_WHY = (
    (
        _fewer_nans,
        "NaN became a number; torch.relu keeps NaN, so that a model that diverges "
        "is seen to diverge",
    ),
    (
        _minus_infinity,
        "-inf became NaN (infinity minus infinity, or infinity times zero); "
        "torch.relu(-inf) is 0",
    ),
    (
        _overflows,
        "the largest finite number became inf: a sum on the way does not fit the "
        "dtype, and ReLU has no need to compute anything that large",
    ),
    (_sign_flipped, "negative numbers come out; ReLU lets only the positive through"),
)


@exercise(
    "00.1",
    "ReLU in Python",
    difficulty=1,
    minutes=5,
    kind="function",
    time_limit=4.0,
    hints=(
        "ReLU chooses between two values, element by element. `torch.where(condition, "
        "a, b)` is the operator that chooses; what is the condition?",
        "NaN compares as false with everything: `NaN > 0` and `NaN < 0` are both "
        "false. So the two conditions `x > 0` and `x < 0` treat NaN differently; "
        "which of them leaves it alone?",
        "Ask for the elements to replace, not for the ones to keep: where `x < 0` "
        "take `0`, and everywhere else take `x` itself. The plain Python number `0` "
        "adapts to the dtype of `x`; a tensor of zeros may not.",
    ),
)
def my_relu(answer: Callable, t: Trial) -> None:
    """x: any shape and strides, floating or int64; returns the same shape and dtype.

    Equal to `torch.relu(x)`: negative elements become 0, all others, NaN included, are
    kept. Exact: nothing is rounded. Operators that are a ReLU already (`RECTIFIERS`)
    are refused, and `x` itself must not change.
    """
    with t.case("a first call"):
        with Seen() as seen:
            t.run(answer, torch.tensor([-1.0, 2.0]))
        used = [name for name in seen.names if name in RECTIFIERS]
        if used:
            t.fail(
                f"it calls aten.{used[0]}, which is a ReLU already; use comparisons, "
                "arithmetic and torch.where"
            )
    largest = torch.finfo(torch.float32).max
    cases = [
        ("three values", torch.tensor([-1.0, 0.5, 2.0])),
        ("the largest float32", torch.tensor([largest])),
        ("NaN", torch.tensor([float("nan")])),
        ("minus infinity", torch.tensor([-float("inf")])),
        *list(inputs.pointwise(inputs.FLOATING))[1:],
        ("int64", torch.tensor([-2, 0, 3])),
    ]
    for name, x in cases:
        t.call(answer, x, expect=torch.relu(x), case=name, why=RELU_WHY)


@exercise(
    "00.2",
    "What the trace says",
    difficulty=1,
    minutes=3,
    kind="value",
    hints=(
        "Each line of the trace is one operator. On the left of `=` stands the tensor "
        "that it makes, in the brackets on the right the tensors that it reads.",
        "`f32[3, 4]` is a float32 tensor of shape (3, 4), so 12 elements of 4 bytes "
        "each. `$0` and `$1` are the two arguments, so the first operator writes `$2`.",
        "Count the lines for `operators`. Find the line with `aten.relu` and read its "
        "left side for `relu_writes`. Find every line that has `$0` in its brackets "
        "for `readers_of_a`. Take the bytes from the line of `aten.sub`.",
    ),
)
def reading(answer: dict, t: Trial) -> None:
    """A dict with four keys, in the notation of the trace.

    operators: how many there are; relu_writes: a tensor, such as "$2"; readers_of_a:
    the names of operators, in order; bytes_of_sub: of its result. The truth is taken
    from a run of `mystery` on a: (3, 4) and b: (4,), float32.
    """
    a, b = torch.zeros(3, 4), torch.zeros(4)
    with Seen() as seen:
        mystery(a, b)
    names = seen.names
    t.require(isinstance(answer, dict), "the answer is the dict of the cell above")
    truth = {
        "operators": len(names),
        "relu_writes": f"${names.index('relu') + 2}",
        "readers_of_a": ["sub", "mul"],
        "bytes_of_sub": a.nbytes,
    }
    why: dict[str, tuple] = {
        "operators": (
            (
                lambda got, want: got == want + 2,
                "`operators` counts the two arguments too; `$0` and `$1` come from "
                "outside, no operator of the trace makes them",
            ),
            (
                lambda got, want: got == want + 1,
                "`operators` counts `clamp_min` too, which relu's kernel calls; the "
                "trace lists only what arrives from above",
            ),
        ),
        "relu_writes": (
            (
                lambda got, want: got == "$2",
                "`relu_writes` is `$2`, which is what relu reads; what it writes "
                "stands on the left of the `=`",
            ),
            (
                lambda got, want: got in (3, "3"),
                "`relu_writes` is asked for as the trace writes it, a string with a "
                "dollar sign",
            ),
        ),
        "readers_of_a": (
            (
                lambda got, want: list(got) == ["sub"],
                "`readers_of_a` has `sub` only; `$0` is read once more further down, "
                "which is why it must stay in memory until then",
            ),
        ),
        "bytes_of_sub": (
            (
                lambda got, want: got == a.numel(),
                "`bytes_of_sub` is a number of elements; a float32 has 4 bytes",
            ),
            (
                lambda got, want: got == b.nbytes,
                "`bytes_of_sub` is the size of `$1`; it is broadcast, so the result "
                "has the shape of `$0`",
            ),
        ),
    }
    t.require(
        set(answer) == set(truth),
        f"the dict needs the keys {', '.join(truth)}, and no other",
    )
    for key, value in truth.items():
        t.equal(answer[key], value, what=f"`{key}`", case=key, why=why[key])


@exercise(
    "00.3",
    "From the trace back to the code",
    difficulty=2,
    minutes=5,
    kind="function",
    time_limit=4.0,
    hints=(
        "Go through the trace from top to bottom and write one line of Python for each "
        "operator, with a name for each of `$2`, `$3`, `$4`.",
        "`aten.sub($0, $1)` is `a - b`, `aten.mul` is `*`. The order of the arguments "
        "of a subtraction matters.",
        "The last operator has an extra argument, `[0]`: the dimension that is summed "
        "away, written `.sum(dim=0)` in Python. Its result has shape (4,), not (3,).",
    ),
)
def from_trace(answer: Callable, t: Trial) -> None:
    """a: (N, C) float32, b: (C,) float32; returns what the traced function returns.

    The same ATen operators in the same order, and the same values, exactly.
    """
    a, b = torch.tensor([[1.0, 2.0], [5.0, 3.0]]), torch.tensor([2.0, 1.0])
    with Seen() as truth:
        mystery(a, b)
    with t.case("its own trace"):
        with Seen() as seen:
            t.run(answer, a, b)
        _same_trace(t, seen.names, truth.names)
    for name, x, y in (
        ("two rows", a, b),
        ("3 x 4, as in the lesson", inputs.randn(3, 4), inputs.randn(4, seed=1)),
        ("NaN", torch.tensor([[float("nan")], [1.0]]), torch.tensor([0.5])),
        ("no rows", torch.empty(0, 3), torch.zeros(3)),
    ):
        t.call(answer, x, y, expect=mystery(x, y), case=name, why=_TRACE_WHY)


def _same_trace(t: Trial, mine: list[str], theirs: list[str]) -> None:
    for i, (got, want) in enumerate(zip(mine, theirs, strict=False), start=1):
        if got != want:
            t.fail(
                f"operator {i} of its trace is aten.{got}, where the trace in the "
                f"lesson has aten.{want}",
                got=mine,
                expect=theirs,
            )
    if len(mine) != len(theirs):
        t.fail(
            f"its trace has {len(mine)} operators, the one in the lesson {len(theirs)}",
            got=mine,
            expect=theirs,
        )


_TRACE_WHY = (
    (
        lambda got, want, a, b: torch.equal(got, (torch.relu(b - a) * a).sum(dim=0)),
        "the subtraction is the wrong way round: `aten.sub($0, $1)` is `a - b`",
    ),
    (
        lambda got, want, a, b: (
            got.shape == a.sum(dim=1).shape != want.shape
            or torch.equal(got, (torch.relu(a - b) * a).sum(dim=1))
        ),
        "it sums over the columns; `[0]` in the trace is the first dimension, the rows",
    ),
    (
        lambda got, want, a, b: got.dim() == 0,
        "it sums everything to one number; the trace sums over dimension 0 only",
    ),
    (
        lambda got, want, a, b: torch.equal(got, (torch.relu(a - b) * b).sum(dim=0)),
        "it multiplies by b; the trace reads `$0` a second time, not `$1`",
    ),
)
