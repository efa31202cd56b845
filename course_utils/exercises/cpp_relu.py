"""Contracts of lesson 20: a gradient in C++, an argument, autograd, broken builds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.nn import functional as F

from course_utils import build, inputs
from course_utils.exercise import Trial, exercise
from course_utils.paths import ROOT, SOLUTIONS

LOGS = ROOT / "course_utils" / "broken_builds"
NAN, INF = math.nan, math.inf


class Log(str):
    """A build log; shown with numbered lines."""

    def __repr__(self) -> str:
        lines = self.splitlines()
        return "\n".join(f"{i:2}  {line}" for i, line in enumerate(lines, 1))


def log(number: int) -> Log:
    """The failed build with this number, 1 to 6."""
    return Log((LOGS / f"log_{number}.txt").read_text())


def failure(file: str, form: str) -> build.BuildError:
    """The error that building this file of `broken_builds` gives.

    Raises:
        AssertionError: if it compiles.
    """
    path = LOGS / file
    try:
        build.cpp(path.read_text(), path.stem, form)
    except build.BuildError as error:
        return error
    raise AssertionError(f"expected {file} not to compile, but it does")


def row(*values: float, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """x: (n,) of these values."""
    return torch.tensor(values, dtype=dtype)


def before_others(value: float, others: float, n: int) -> torch.Tensor:
    """x: (n,), `value` n times with stride 0; behind it in memory lies `others`."""
    memory = torch.full((64,), float(others))
    memory[0] = value
    return memory[:1].expand(n)


def _layouts() -> Iterator[tuple[str, torch.Tensor, torch.Tensor]]:
    """(case, grad, y) in the layouts that a gradient or a result may have."""
    grad, y = inputs.randn(6, 7), inputs.randn(6, 7, seed=1).relu()
    yield "a transposed grad", inputs.randn(7, 6).t(), y
    yield "a transposed y", grad, inputs.randn(7, 6, seed=1).relu().t()
    yield "every second column of y", grad[:, :4], y[:, ::2]
    yield "the gradient of a sum (stride 0)", before_others(2, 9, 4), row(0, 1, 0, 3)
    yield "a gradient without dimensions, expanded", torch.tensor(2.0).expand(6, 7), y
    for n in inputs.SIZES:
        yield f"{n} elements", inputs.randn(n), inputs.randn(n, seed=1).relu()


@exercise(
    "20.1",
    "The gradient of ReLU in C++",
    difficulty=2,
    minutes=12,
    kind="cpp",
    hints=(
        "Two checks come first, then `torch::stable::contiguous` for both tensors: a "
        "pointer knows nothing of strides.",
        "The result is `torch::stable::empty_like(kept)`, where `kept` is the "
        "contiguous y. Never write through a pointer into `grad` itself.",
        "In the loop: `out[i] = result[i] <= 0 ? 0 : in[i];`. So NaN in y lets "
        "the gradient through, and a NaN in grad is dropped where y is 0, which a "
        "product with a mask cannot do.",
    ),
)
def relu_backward(answer: Any, t: Trial) -> None:
    """grad, y: same shape, float32 or float64; y is relu's result. Exact.

    0 where y <= 0, grad elsewhere, NaN in y included. Other dtypes, two dtypes and two
    shapes are refused.
    """
    op = t.op(answer, "relu_backward")

    def ask(case: str, grad: torch.Tensor, y: torch.Tensor, *why: Any) -> None:
        t.call(op, grad, y, expect=torch.where(y <= 0, 0, grad), case=case, why=why)

    def reads(tensor: int, words: str) -> tuple:
        return (lambda got, want, *both: not both[tensor].is_contiguous(), words)

    ask("three values", row(10, 20, 30), row(0.5, 2, 3))
    ask(
        "zeros in y",
        row(10, 20, 30),
        row(0, -0.0, 1),
        (
            lambda got, want, *_: got[0] == 10,
            "where y is 0 the gradient comes through; torch.relu's is 0 there",
        ),
    )
    ask(
        "NaN and infinity in y",
        row(10, 20, 30),
        row(NAN, INF, 0),
        (
            lambda got, want, *_: got[0] == 0,
            "where y is NaN the gradient became 0; a comparison with NaN is false, so "
            "ask `y <= 0`, not `y > 0`",
        ),
    )
    ask(
        "NaN and infinity in grad",
        row(NAN, INF, NAN),
        row(0, 0, 1),
        (
            lambda got, want, *_: got[0].isnan(),
            "a NaN gradient survives where y is 0: 0 times NaN is NaN, so choose, do "
            "not multiply",
        ),
    )
    ask("an empty tensor", torch.empty(0, 3), torch.empty(0, 3))
    ask("no dimensions", torch.tensor(3.0), torch.tensor(2.0))
    for case, grad, y in _layouts():
        ask(
            case,
            grad,
            y,
            reads(0, "it reads grad through its pointer as if it were contiguous"),
            reads(1, "it reads y through its pointer as if it were contiguous"),
        )
    ask("float64", row(0.1, 0.2, dtype=torch.double), row(0, 0.3, dtype=torch.double))
    for case, grad, y in (
        ("grad of 2 elements, y of 3", row(1, 2), row(1, 2, 3)),
        ("grad (2, 3), y (3, 2)", torch.ones(2, 3), torch.ones(3, 2)),
    ):
        t.refuses(
            op, grad, y, case=case, sentence="it accepts grad and y of two shapes"
        )
    t.refuses(
        op,
        row(1, 2, dtype=torch.double),
        row(1, 2),
        case="grad float64, y float32",
        sentence="it accepts grad and y of two dtypes, and reads one as the other",
    )
    t.refuses(
        op,
        torch.ones(3, dtype=torch.long),
        torch.ones(3, dtype=torch.long),
        case="int64",
        sentence="it accepts int64, which has no gradient",
    )


@exercise(
    "20.2",
    "An operator with an argument",
    difficulty=2,
    minutes=12,
    kind="cpp",
    hints=(
        "The schema is `clipped_relu(Tensor x, float? limit=None) -> Tensor`. `float?` "
        "in a schema is `std::optional<double>` in C++.",
        "`limit.value_or(INFINITY)` turns both cases into one number, and "
        "`STD_TORCH_CHECK(top >= 0, ...)` refuses negative numbers and NaN together.",
        "`std::max(a[i], 0.0f)` keeps a NaN because a[i] comes first; in the same way "
        "`std::min(y, top)` keeps it when y comes first.",
    ),
)
def clipped_relu(answer: Any, t: Trial) -> None:
    """x: any shape, float32; limit: a number >= 0, or None. Exact.

    min(max(x, 0), limit), contiguous, NaN kept; other dtypes and limits are refused.
    """
    op = t.op(answer, "clipped_relu")
    arguments = op.default._schema.arguments
    t.require(
        len(arguments) == 2 and arguments[1].name == "limit",
        f"the schema is {op.default._schema}; it needs `x` and `limit`",
    )
    t.require(
        arguments[1].has_default_value(),
        "`limit` has no default in the schema, so `clipped_relu(x)` is refused; write "
        "`float? limit=None`",
    )
    for limit in (None, 1.0, 6, 0.1, 0.0, INF):
        _clips(t, op, limit)
    for name, x in inputs.pointwise():
        strided = "it reads x through its pointer as if it were contiguous"
        why = ((lambda got, want, x, *_: not x.is_contiguous(), strided),)
        t.call(op, x, expect=torch.relu(x), case=name, why=why)
    for limit in (-1.0, NAN):
        t.refuses(
            op,
            row(1, 2),
            limit,
            case=f"limit={limit}",
            sentence=f"it accepts limit={limit}; a limit is a number >= 0",
        )
    for dtype in (torch.float64, torch.int64):
        t.refuses(
            op,
            torch.ones(3, dtype=dtype),
            case=str(dtype).removeprefix("torch."),
            sentence="it reads the bytes of another dtype as float32",
        )


def _clips(t: Trial, op: Callable, limit: float | None) -> None:
    why = (
        (
            lambda got, want, *_: limit == 0 and torch.equal(got[1:4], row(0, 0.5, 2)),
            "limit=0 is taken for no limit; `std::optional` tells 0 from None",
        ),
        (
            lambda got, want, *_: limit and (got[3] == 0 or (got[0] < 0 and limit < 1)),
            "the limit arrives as another number: `float` in a schema is `double` in "
            "C++, and the stable ABI does not check that",
        ),
        (
            lambda got, want, *_: got[5] == 0,
            "NaN became a number in max: `std::max(a, b)` returns a where it cannot "
            "compare, so x comes first",
        ),
        (
            lambda got, want, *_: not got[5].isnan(),
            "NaN became the limit in min: `std::min(a, b)` returns a where it cannot "
            "compare, so x comes first",
        ),
        (
            lambda got, want, *_: limit is None and not got[6].isinf(),
            "without a limit, infinity is cut off",
        ),
    )
    x = row(-1, 0, 0.5, 2, 9, NAN, INF, -INF)
    clipped = torch.relu(x) if limit is None else x.clamp(0, limit)
    case = "no limit" if limit is None else f"limit={limit}"
    kwargs = {} if limit is None else {"limit": limit}
    t.call(op, x, expect=clipped, case=case, why=why, kwargs=kwargs)


def _clipped_gradient(x: torch.Tensor, limit: float | None) -> torch.Tensor:
    x = x.detach().requires_grad_()
    y = torch.relu(x) if limit is None else F.hardtanh(x, 0.0, limit)
    (grad,) = torch.autograd.grad(y, x, torch.arange(1.0, x.numel() + 1).view(x.shape))
    return grad


@exercise(
    "20.3",
    "A gradient for an operator in C++",
    difficulty=3,
    minutes=15,
    time_limit=60.0,
    hints=(
        "Three parts: a fake, `setup_context(ctx, inputs, output)` and `backward(ctx, "
        "grad)`. `inputs` is the pair (x, limit). Tensors go through "
        "`ctx.save_for_backward`, a number or None becomes an attribute of ctx.",
        "`backward` returns one value for each input of the operator: a gradient for "
        "x, and None for limit. Use `torch.where`, as the C++ of 20.1 uses `?:`.",
        "The C++ makes x contiguous before it calls `empty_like`, so its result is "
        "always contiguous. The fake must say that too: "
        "`memory_format=torch.contiguous_format`.",
    ),
)
def make_differentiable(answer: Callable, t: Trial) -> None:
    """op: the full name of a `clipped_relu` that is registered in C++, no more.

    Registers a fake and autograd for it. The gradient is 0 where x <= 0 or x >= limit,
    the incoming gradient elsewhere, NaN in x included. Exact.
    """
    source = (SOLUTIONS / "20_2_clipped_relu.cpp").read_text()
    ext = build.cpp(source, "clipped_relu")
    op = ext.clipped_relu
    t.run(answer, f"{ext.namespace}::clipped_relu", case="registering")
    for limit in (None, 6.0, 1.0):
        _backpropagates(t, op, limit)
    x = inputs.randn(3, 4)
    for case, given in (
        ("a fake of (3, 4)", x),
        ("a fake of (4, 3), transposed", x.t()),
        ("a fake of (2, 3, 4, 5), channels last", _channels_last()),
    ):
        _fakes(t, op, given, case)
    with t.case("opcheck"):
        args = (inputs.randn(4, 3).t().requires_grad_(), 0.5)
        told = torch.library.opcheck(
            op.default, args, raise_exception=False, test_utils=OPCHECKS
        )
        bad = {k: v for k, v in told.items() if v != "SUCCESS"}
        t.require(not bad, f"opcheck fails in {', '.join(bad)}", got=str(bad)[:300])


OPCHECKS = ("test_schema", "test_autograd_registration", "test_faketensor")


def _channels_last() -> torch.Tensor:
    return inputs.randn(2, 3, 4, 5).to(memory_format=torch.channels_last)


def _backpropagates(t: Trial, op: Callable, limit: float | None) -> None:
    x = row(-1, 0, 0.5, 1, 2, 6, 9, NAN, INF).requires_grad_()
    grad = torch.arange(1.0, 10.0)

    def run() -> torch.Tensor:
        y = op(x) if limit is None else op(x, limit)
        return torch.autograd.grad(y, x, grad, allow_unused=True)[0]

    got = t.run(run, case="no limit" if limit is None else f"limit={limit}")
    t.require(
        got is not None,
        "no gradient reaches x: autograd has no formula for the operator",
    )
    t.equal(
        got,
        _clipped_gradient(x, limit),
        what="the gradient",
        why=(
            (
                lambda got, want: got[1] != 0,
                "where x is 0 the gradient comes through; torch.relu's is 0 there",
            ),
            (
                lambda got, want: got[7] == 0,
                "where x is NaN the gradient became 0; a comparison with NaN is false, "
                "so ask where it is blocked",
            ),
            (
                lambda got, want: limit is None and got[8] == 0,
                "without a limit the gradient at x = inf became 0: inf >= inf is true",
            ),
            (
                lambda got, want: limit and got[6] != 0,
                "above the limit the result is constant, so its gradient is 0",
            ),
            (
                lambda got, want: limit and got[5 if limit == 6 else 3] != 0,
                "where x equals the limit the gradient comes through; hardtanh's and "
                "relu6's is 0 there",
            ),
        ),
    )


def _fakes(t: Trial, op: Callable, x: torch.Tensor, case: str) -> None:
    try:
        fake = t.run(lambda: op(x.to("meta"), 1.0), case=case)
        t.run(lambda: op(x.to("meta")), case=f"{case}, no limit")
    except Exception as error:
        if "no fake impl" in str(error):
            t.fail("no fake is registered, so torch.compile cannot trace it")
        raise
    real = op(x, 1.0)
    t.equal(tuple(fake.shape), tuple(real.shape), what="the fake's shape")
    t.equal(
        (fake.dtype, fake.stride()),
        (real.dtype, real.stride()),
        what="the fake's dtype and strides",
        why=(
            (
                lambda got, want: got[1] != want[1],
                "the fake promises other strides than the C++ delivers, which is "
                "always contiguous; compiled code would read it in the wrong order",
            ),
        ),
    )


@exercise(
    "20.4",
    "Mend a broken build",
    difficulty=2,
    minutes=12,
    kind="cpp",
    hints=(
        "Mend one error, run the cell, read the next message. The missing header is "
        "the one that declares `contiguous` and `empty_like`; the macro that is gone "
        "has a successor in this lesson.",
        "A namespace is opened once, by STABLE_TORCH_LIBRARY; kernels are put into it "
        "by STABLE_TORCH_LIBRARY_IMPL(COURSE_NAMESPACE, CPU, m).",
        "Once it builds, three faults are left that no compiler sees: `int` for "
        "`int64_t`, the order of the arguments of `std::max`, and a pointer into a "
        "tensor that may not be contiguous.",
    ),
)
def relu_from(answer: Any, t: Trial) -> None:
    """x: any shape, float32; start: >= 0. Elements before `start`, in order, are kept.

    The others go through ReLU, NaN kept. Exact; a negative start is refused.
    """
    op = t.op(answer, "relu_from")

    def ask(case: str, x: torch.Tensor, start: int, *why: Any) -> None:
        flat = x.reshape(-1)
        want = torch.cat([flat[:start], flat[start:].relu()]).view(x.shape)
        t.call(op, x, start, expect=want, case=case, why=why)

    x = row(-1, -2, -3, 4)
    kept = (
        lambda got, want, x, start: torch.equal(got[: start + 1], x[: start + 1]),
        "the element at position `start` is kept too; ReLU begins with it",
    )
    for start in (0, 1, 3, 4, 9):
        ask(f"start={start}", x, start, kept)
    ask(
        "start=2**32",
        x,
        2**32,
        (
            lambda got, want, *_: got[0] == 0,
            "2**32 arrives as 0: `int` in a schema is `int64_t` in C++, and the stable "
            "ABI does not check that",
        ),
    )
    ask(
        "NaN and infinities",
        inputs.special(),
        2,
        (
            lambda got, want, *_: not got[8].isnan(),
            "NaN became 0; `std::max(a, b)` returns a where it cannot compare",
        ),
    )
    for name, other in inputs.pointwise():
        ask(
            name,
            other,
            1,
            (
                lambda got, want, x, *_: not x.is_contiguous(),
                "elements come out in the wrong places: x is not contiguous, and the "
                "pointers of x and y are read as if they were",
            ),
        )
    t.refuses(op, x, -1, case="start=-1", sentence="it accepts start=-1")


CAUSES = (
    "not on PATH",
    "not there any more",
    "before torch",
    "no Python module",
    "two copies",
    "another torch",
    "kernel in a .cpp",
    "no Python.h",
)
SAID = {  # number: (lines that say it, cause, what the log says)
    1: ((2,), "not on PATH", "the program `ninja` was not found"),
    2: ((3,), "not there any more", "the compiler does not know `AT_CHECK`"),
    3: ((3,), "before torch", "`libc10.so`, which `import torch` loads, is missing"),
    4: ((4,), "no Python module", "the library has no `PyInit_fast_relu`"),
    5: ((4,), "two copies", "one line of one file has registered twice"),
    6: ((3,), "another torch", "a function of torch itself is not there"),
}


@exercise(
    "20.5",
    "Name the cause",
    difficulty=1,
    minutes=8,
    kind="value",
    hints=(
        "Read from the top and stop at the first line that names a thing: a file, a "
        "symbol, a program. What follows is mostly the report of the report.",
        "`subprocess.CalledProcessError ... ninja` only says that some step failed. "
        "`PyInit_` is what Python looks for in every extension module; an operator "
        "library has none.",
        "In log 5 both registrations are at the same line of the same file: no second "
        "block was written, the same library was loaded twice. In log 6 "
        "`c++filt -t _ZN5torch3jit11parseSchemaERKSsb` shows a function of torch.",
    ),
)
def causes(answer: dict, t: Trial) -> None:
    """A dict: number of the log -> (number of the line that says it, the cause)."""
    t.require(
        isinstance(answer, dict) and set(answer) == set(SAID),
        "the answer is a dict with the keys 1 to 6",
    )
    for number, (lines, cause, said) in SAID.items():
        given = answer[number]
        with t.case(f"log {number}"):
            t.require(
                isinstance(given, list | tuple) and len(given) == 2,
                f"log {number} needs a pair: the line's number and the cause",
            )
            line, named = given
            t.require(
                named in CAUSES,
                f"log {number}: {named!r} is not in the table of causes",
            )
            t.require(
                named == cause,
                f"log {number} has another cause: it says that {said}",
                got=named,
            )
            t.require(
                line in lines,
                f"log {number}: the cause is right, but line {line} does not say it; "
                "look for the line that names what is missing or wrong",
                got=line,
            )
