"""The contract of exercise 12.3: an operator for CPU, Meta and Autograd."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from course_utils import inputs
from course_utils.exercise import Trial, exercise


def _reference(x: torch.Tensor, scale: float) -> torch.Tensor:
    return scale * x.relu().square()


def _registered(answer: Callable, t: Trial, namespace: str) -> Callable:
    """The operator that the answer registers in this namespace."""
    lib = torch.library.Library(namespace, "FRAGMENT")
    _libraries.append(lib)
    t.run(answer, lib, case=f"registering it in the namespace {namespace!r}")
    name = f"{namespace}::squared_relu"
    try:
        torch._C._dispatch_find_schema_or_throw(name, "")
    except RuntimeError:
        known = [
            n for n in torch._C._dispatch_get_all_op_names() if "squared_relu" in n
        ]
        text = f"; it defined {known[0]}" if known else ""
        t.fail(f"there is no operator {name} after the call{text}; use `lib.ns`")
    op = getattr(torch.ops, namespace).squared_relu.default
    t.require(
        str(op._schema).endswith("(Tensor x, float scale) -> Tensor"),
        f"its schema is {op._schema}; expected (Tensor x, float scale) -> Tensor",
    )
    for key, what in (("CPU", "compute"), ("Meta", "give shape, dtype and strides")):
        t.require(
            torch._C._dispatch_has_kernel_for_dispatch_key(name, key),
            f"nothing is registered for {key}, the kernel that must {what}",
        )
    t.require(
        torch._C._dispatch_has_kernel_for_dispatch_key(name, "Autograd"),
        "nothing is registered for Autograd; `torch.library.register_autograd` does it",
    )
    return op


_libraries: list[torch.library.Library] = []  # what is collected is deregistered


@exercise(
    "12.3",
    "An operator for CPU, Meta and Autograd",
    difficulty=3,
    minutes=20,
    time_limit=90.0,
    hints=(
        'Begin with `lib.define("squared_relu(Tensor x, float scale) -> Tensor")` and '
        '`lib.impl("squared_relu", forward, "CPU")`. Everything else is registered '
        'the same way, or under the name `f"{lib.ns}::squared_relu"`.',
        "The Meta kernel computes nothing. It returns a tensor with the shape, dtype "
        "and strides that the CPU kernel's result has: `torch.empty_like(x)`.",
        "`torch.library.register_autograd(name, backward, setup_context=setup, "
        "lib=lib)`: `setup(ctx, inputs, output)` saves x and scale, `backward(ctx, "
        "grad)` returns 2 * scale * relu(x) * grad for x and None for the float.",
    ),
)
def register_squared_relu(answer: Callable, t: Trial) -> None:
    """Given a `torch.library.Library`, registers squared_relu in its namespace.

    Schema: squared_relu(Tensor x, float scale) -> Tensor. Values: scale * relu(x)**2,
    NaN for NaN, for any shape, strides and floating dtype. A Meta kernel with the same
    shape, dtype and strides. Through autograd: the gradient 2 * scale * relu(x) * grad,
    itself differentiable. Exact where numbers are small integers, otherwise within
    1e-5 (2e-2 in 16-bit types), since the order of the products is free.
    """
    op = _registered(answer, t, "answer_1")
    _values(op, t)
    _reaches_cpu(op, t)
    _meta(op, t)
    _gradients(op, t)
    _opcheck(_registered(answer, t, "answer_2"), t)
    for lib in _libraries:
        lib._destroy()
    name = "answer_2::squared_relu"
    with torch.library._scoped_library("answer_2", "FRAGMENT") as lib, t.case("undone"):
        lib.define("squared_relu(Tensor x, float scale) -> Tensor")
        t.require(
            not torch._C._dispatch_has_kernel_for_dispatch_key(name, "Autograd"),
            "after `lib._destroy()` its autograd kernel is still there; register "
            "everything through `lib` (`lib=lib`), so that a cell can run twice",
        )


def _values(op: Callable, t: Trial) -> None:
    why = (
        (
            lambda got, want, *_: got.isnan().sum() < want.isnan().sum(),
            "NaN became a number; relu keeps NaN",
        ),
        (
            lambda got, want, x, scale: torch.equal(got, scale * x.relu()),
            "the square is missing",
        ),
        (
            lambda got, want, x, scale: torch.equal(got, (scale * x.relu()).square()),
            "the scale is squared too",
        ),
        (
            lambda got, want, x, scale: torch.equal(got, x.relu().square()),
            "the scale is ignored",
        ),
        (
            lambda got, want, x, scale: torch.equal(got, scale * x.square()),
            "negative elements are squared instead of becoming 0",
        ),
    )
    for name, x in inputs.pointwise(inputs.FLOATING):
        rtol = 1e-5 if x.dtype in (torch.float32, torch.float64) else 2e-2
        t.call(op, x, 3.0, expect=_reference(x, 3.0), case=name, why=why, rtol=rtol)


class _Heard(TorchDispatchMode):
    """Keeps the names of the operators that arrive below autograd."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(func._schema.name)
        return func(*args, **(kwargs or {}))


def _reaches_cpu(op: Callable, t: Trial) -> None:
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    with _Heard() as heard:
        t.run(op, x, 3.0, case="what arrives below autograd")
    t.require(
        op._schema.name in heard.names,
        "its autograd kernel computes by itself, from other operators, so the CPU "
        "kernel never runs for a tensor with a gradient; call the operator again, "
        "below autograd's key",
    )


def _meta(op: Callable, t: Trial) -> None:
    for name, x in (
        ("Meta: a (2, 3) float64", torch.ones(2, 3, dtype=torch.float64)),
        ("Meta: a transposed matrix", torch.ones(3, 2).t()),
        ("Meta: bfloat16", torch.ones(4, dtype=torch.bfloat16)),
    ):
        want = op(x, 2.0)
        got = t.run(op, x.to("meta"), 2.0, case=name)
        t.require(
            got.device.type == "meta",
            f"the Meta kernel returns a tensor on {got.device}, with real memory",
        )
        for what in ("shape", "dtype", "stride"):
            mine, real = getattr(got, what), getattr(want, what)
            if what == "stride":
                mine, real = mine(), real()
            t.require(
                mine == real,
                f"the Meta kernel says {what} {mine}; the CPU kernel's result has "
                f"{real}",
            )


def _gradients(op: Callable, t: Trial) -> None:
    for name, values in (
        ("gradient at -1, 0, 2", torch.tensor([-1.0, 0.0, 2.0])),
        ("gradient at NaN and infinities", inputs.special()),
    ):
        x = values.clone().requires_grad_()
        grad = torch.full_like(values, 5.0)

        def backward(x: torch.Tensor = x, grad: torch.Tensor = grad) -> torch.Tensor:
            return torch.autograd.grad(op(x, 3.0), x, grad)[0]

        got = t.run(backward, case=name)
        want = 2 * 3.0 * values.relu() * grad
        t.equal(
            got,
            want,
            what="the gradient",
            why=(
                (
                    lambda g, w: torch.equal(g[-1:] * 2, w[-1:]),
                    "the factor 2 of the square's derivative is missing",
                ),
                (
                    lambda g, w: torch.equal(g * 3, w),
                    "the gradient leaves out `scale`",
                ),
                (
                    lambda g, w: torch.equal(g * 5, w),
                    "the gradient ignores `grad`, what comes from above",
                ),
                (
                    lambda g, w: bool((g[0] != 0) & (w[0] == 0)),
                    "the gradient at x = -1 is not 0; relu is missing in it",
                ),
            ),
        )
    x = inputs.randn(3, 4, dtype=torch.float64).requires_grad_()
    for name, test, sentence in (
        (
            "gradcheck",
            torch.autograd.gradcheck,
            "gradcheck finds another gradient by finite differences",
        ),
        (
            "gradgradcheck",
            torch.autograd.gradgradcheck,
            "the gradient itself has a wrong gradient; backward must use the saved x "
            "with operations that autograd can follow",
        ),
    ):
        passed = t.run(
            lambda test=test: test(lambda x: op(x, 3.0), (x,), raise_exception=False),
            case=name,
        )
        t.require(passed, sentence)


def _opcheck(op: Callable, t: Trial) -> None:
    for name, x in (
        ("opcheck", inputs.randn(3, 4)),
        ("opcheck, transposed", inputs.randn(3, 4).t()),
    ):
        results = t.run(
            torch.library.opcheck,
            op,
            (x.requires_grad_(), 2.0),
            case=name,
            kwargs={"raise_exception": False},
        )
        for test, result in results.items():
            first = str(result).splitlines()[0][:200]
            t.require(result == "SUCCESS", f"opcheck's {test} fails: {first}")
