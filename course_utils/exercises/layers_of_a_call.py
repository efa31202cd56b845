"""The contracts of lesson 10: which operators a call becomes, what they cost, who ran.

Sizes are small and uneven on purpose: a product of the wrong dimensions, or a shape
read from the wrong tensor, then shows.
"""

from __future__ import annotations

import copyreg
import math
import os
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import (
    TorchDispatchMode,
    _get_current_dispatch_mode_stack,
)

from course_utils import inputs
from course_utils.exercise import Trial, exercise
from course_utils.exercises.start import Seen, before_modes


def _by_name(operator: object) -> tuple:
    namespace, _, name = operator._qualified_op_name.partition("::")
    return getattr, (getattr(torch.ops, namespace), name)


# Operators cannot be pickled; an answer that mentions one is sent with their names.
aten = torch.ops.aten
copyreg.pickle(type(torch.ops), lambda ops: (getattr, (torch, "ops")))
copyreg.pickle(type(aten), lambda space: (getattr, (torch.ops, space.name)))
copyreg.pickle(type(aten.mm), _by_name)
copyreg.pickle(
    type(aten.mm.default),
    lambda op: (getattr, (op.overloadpacket, op._overloadname)),
)


def _names(fn: Callable, *args: torch.Tensor) -> list[str]:
    with Seen() as seen:
        fn(*args)
    return [f"aten.{name}" for name in seen.names]


def _scale_twice(x: torch.Tensor) -> torch.Tensor:
    y = torch.zeros_like(x, dtype=torch.float64)
    if y.dtype != torch.float64:
        raise TypeError("zeros_like was called without its keyword argument dtype")
    return y.add_(x).mul_(2)


def _sgd_step(w: torch.Tensor) -> None:
    w = w.clone().requires_grad_()
    optimizer = torch.optim.SGD([w], lr=0.5)
    (w * 3).sum().backward()
    optimizer.step()


OPS_WHY = (
    (
        lambda got, want, *args: any(not g.startswith("aten.") for g in got),
        "it lists a name that is no ATen operator; below autograd other namespaces "
        "pass too, such as `profiler`: keep those where `func.namespace` is `aten`",
    ),
    (
        lambda got, want, *args: [g.rpartition(".")[0] for g in got] == want,
        "the names carry their overload (`.default`, `.Tensor`); the name without it "
        "is `func.overloadpacket`",
    ),
    (
        lambda got, want, *args: got == list(dict.fromkeys(want)) != want,
        "an operator that runs twice is listed once; the list has one entry per call",
    ),
    (
        lambda got, want, *args: got[-len(want) :] == want and len(got) > len(want),
        "the names of an earlier call are still in the list; each call of `ops_of` "
        "needs a list of its own",
    ),
    (
        lambda got, want, *args: sorted(got) == sorted(want),
        "all operators are there, but not in the order in which they ran",
    ),
)


@exercise(
    "10.1",
    "A tracer of your own",
    difficulty=1,
    minutes=8,
    kind="function",
    hints=(
        "You need a class that inherits from `TorchDispatchMode` and has a method "
        "`__torch_dispatch__(self, func, types, args=(), kwargs=None)`. It is called "
        "in the place of every operator, so it must call `func` itself and return what "
        "`func` returns.",
        "`func.namespace` is `'aten'` for the operators we want. "
        "`str(func.overloadpacket)` is `'aten.mm'`, where `str(func)` would be "
        "`'aten.mm.default'`.",
        "Make an empty list in `ops_of`, define the class inside the function so that "
        "its method can append to that list, run `fn(*args)` under "
        "`with YourMode():`, and return the list.",
    ),
)
def ops_of(answer: Callable, t: Trial) -> None:
    """fn: any function of tensors; args: its arguments; returns a list of strings.

    One name per ATen operator that reaches the layer below autograd, in order, without
    the overload: "aten.mm". The function must run once, with all it was given.
    """
    before_modes(t)
    x, w = inputs.randn(2, 3), inputs.randn(4, 3, seed=1)
    t.run(answer, torch.relu, x, case="leaving the mode")
    t.require(
        not _get_current_dispatch_mode_stack(),
        "its mode is still active after the call; enter it with `with`, which leaves "
        "it again whatever happens",
    )
    cases = (
        ("one relu", torch.relu, (x,)),
        ("two operators, one of them twice", lambda a: (a * 2).exp() * 3, (x,)),
        ("F.linear", F.linear, (x, w)),
        ("in place, with keyword arguments", _scale_twice, (x,)),
        ("an optimizer", _sgd_step, (x,)),
        ("the same again", torch.relu, (x,)),
        ("nothing at all", lambda: None, ()),
    )
    for name, fn, args in cases:
        t.call(answer, fn, *args, expect=_names(fn, *args), case=name, why=OPS_WHY)
    calls: list[int] = []
    t.call(
        answer,
        lambda a: calls.append(1) or a.neg(),
        x,
        expect=["aten.neg"],
        case="how often fn runs",
    )
    t.equal(len(calls), 1, what="the number of times that `fn` ran")
    y = torch.zeros(1)
    t.run(answer, lambda: y.add_(1), case="how often an operator runs")
    t.equal(
        y.item(),
        1.0,
        why=(
            (
                lambda got, want: got == 2,
                "every operator runs twice; keep the result of `func` and return it",
            ),
        ),
    )


def _tiny_step() -> dict[str, list[str]]:
    """The truth of 10.2, from a run: x: (3, 4), w: (4, 2), float32."""
    x, w = torch.ones(3, 4), torch.ones(4, 2, requires_grad=True)
    parts: dict[str, list[str]] = {}
    with Seen() as seen:
        loss = (x @ w).relu().sum()
    parts["forward"] = seen.names
    with Seen() as seen:
        loss.backward()
    parts["backward"] = seen.names
    with Seen() as seen, torch.no_grad():
        w -= 0.1 * w.grad
    parts["update"] = seen.names
    return {k: [n for n in v if n != "detach"] for k, v in parts.items()}


STEP_WHY = {
    "forward": (
        (
            lambda got, want: "matmul" in got,
            "`matmul` is above autograd; it chooses by the number of dimensions, and "
            "two matrices become `mm`",
        ),
        (
            lambda got, want: "t" in got or "addmm" in got,
            "that is what `nn.Linear` does; here nobody transposes w or adds a bias",
        ),
        (
            lambda got, want: "clamp_min" in got,
            "`clamp_min` is called inside the CPU kernel of relu, below the layer "
            "where we listen",
        ),
    ),
    "backward": (
        (
            lambda got, want: "relu_backward" in got,
            "there is no `relu_backward`; the gradient of relu is computed by "
            "`threshold_backward`",
        ),
        (
            lambda got, want: list(got).count("mm") == 2,
            "two `mm` would be right if x asked for a gradient too; only w does",
        ),
        (
            lambda got, want: list(got) == want[1:],
            "the backward pass must begin somewhere: with the gradient of the loss "
            "with respect to itself, a one, made by `ones_like`",
        ),
        (
            lambda got, want: "expand" not in got,
            "the gradient of `sum` is missing: the one number is handed to all "
            "elements, by `expand`, which copies nothing",
        ),
        (
            lambda got, want: "t" not in got,
            "the gradient of w is x transposed times the gradient of x @ w, and the "
            "transposition `t` is an operator too",
        ),
        (
            lambda got, want: sorted(got) == sorted(want),
            "these are the right operators; backward goes from the loss to w, so the "
            "last operator of the forward pass comes first",
        ),
    ),
    "update": (
        (
            lambda got, want: list(got) == ["mul", "sub"],
            "`w -= ...` changes w in place, and operators that do so end in an "
            "underscore",
        ),
        (
            lambda got, want: "add_" in got,
            "`add_` with a negative step is what torch.optim.SGD calls; the line here "
            "says `-=`",
        ),
        (
            lambda got, want: list(got) == want[:1] or list(got) == want[1:],
            "two operators run: first the product, then the subtraction",
        ),
    ),
}


@exercise(
    "10.2",
    "Predict a training step",
    difficulty=2,
    minutes=6,
    kind="value",
    hints=(
        "Go backwards through the forward pass. Each operator has a formula for its "
        "gradient, and each formula is made of operators again.",
        "The backward pass begins with a one, `ones_like`. The gradient of `sum` "
        "hands that one number to every element, by `expand`. The gradient of relu is "
        "`threshold_backward`. Below autograd, `x @ w` is `mm`.",
        "`forward` has three names, `backward` five, `update` two. The gradient of w "
        "is `x.t() @ grad`: one `t`, one `mm`. x asks for no gradient, so there is no "
        "second `mm`. `w -= step` is `sub_`.",
    ),
)
def step_ops(answer: dict, t: Trial) -> None:
    """A dict of three lists of names without "aten.": forward, backward, update.

    `detach`, by which autograd gives out tensors without their history, is left out.
    """
    before_modes(t)
    t.require(isinstance(answer, dict), "the answer is the dict of the cell above")
    truth = _tiny_step()
    t.require(
        set(answer) == set(truth),
        f"the dict needs the keys {', '.join(truth)}, and no other",
    )
    for key, names in truth.items():
        given = answer[key]
        t.require(
            isinstance(given, list | tuple) and all(isinstance(n, str) for n in given),
            f"`{key}` must be a list of names, such as ['mm', 'relu']",
        )
        given = [n.removeprefix("aten.") for n in given if n != "detach"]
        t.equal(given, names, what=f"`{key}`", case=key, why=STEP_WHY[key])


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
    before_modes(t)
    t.require(
        issubclass(answer, TorchDispatchMode),
        "it does not inherit from TorchDispatchMode, so no operator reaches it",
    )
    _count_bytes(answer, t)
    _count_flops(answer, t)


def _count_bytes(answer: type, t: Trial) -> None:
    x, y = inputs.randn(5, 3), inputs.randn(5, 3, seed=1)
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


SLOW, FAST = "aten::_slow_conv2d_forward", "aten::mkldnn_convolution"


def _conv_kernel(
    x_shape: tuple[int, ...], w_shape: tuple[int, ...], dtype: torch.dtype
) -> str:
    """The truth of 10.4: runs the convolution, and lets the profiler say who did it."""
    if not torch.backends.mkldnn.is_available():  # built without oneDNN: by the rule
        fast = dtype is torch.float32 and (
            x_shape[0] > 1 or math.prod(x_shape) > 20480 or min(w_shape[2:]) > 3
        )
        return FAST if fast else SLOW
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # the profiler announces itself
    x, w = torch.zeros(x_shape, dtype=dtype), torch.zeros(w_shape, dtype=dtype)
    with torch.autograd.profiler.profile() as profile, torch.no_grad():
        F.conv2d(x, w)
    names = {event.name for event in profile.function_events}
    (name,) = names & {SLOW, FAST}
    return name


@exercise(
    "10.4",
    "Name the kernel that runs",
    difficulty=2,
    minutes=12,
    kind="function",
    hints=(
        "The rule stands in `ConvParams::use_mkldnn` in Convolution.cpp, linked "
        "above. Our convolutions are dense, have stride 1 and no dilation, are not "
        "transposed and have one group, so most of its lines say nothing about them.",
        "oneDNN gets float32 only, and only if one of three things holds: the batch "
        "is larger than 1, the kernel is larger than 3 in both directions, or the "
        "input has more than 20480 elements.",
        "`batch, *_ = x_shape`, `_, _, height, width = w_shape`, and "
        "`math.prod(x_shape)` is the number of elements. Return one of the two names "
        "of the statement.",
    ),
)
def conv_kernel(answer: Callable, t: Trial) -> None:
    """x_shape: (N, C, H, W); w_shape: (K, C, h, w) with h, w > 1; a dtype.

    Returns "aten::mkldnn_convolution" or "aten::_slow_conv2d_forward", whichever
    `F.conv2d` of such tensors runs on a CPU, for float32 and float64.
    """
    f32, f64 = torch.float32, torch.float64
    for case, x, w, dtype, sentence in (
        ("one image, 3 x 3", (1, 3, 8, 8), (4, 3, 3, 3), f32, "one small image"),
        ("four images, 3 x 3", (4, 3, 8, 8), (4, 3, 3, 3), f32, "a batch of 4"),
        ("two images, 3 x 3", (2, 3, 8, 8), (4, 3, 3, 3), f32, "a batch of 2"),
        ("one image, 5 x 5", (1, 3, 8, 8), (4, 3, 5, 5), f32, "a kernel of 5 x 5"),
        ("one image, 4 x 4", (1, 3, 8, 8), (4, 3, 4, 4), f32, "a kernel of 4 x 4"),
        ("one image, 3 x 5", (1, 3, 8, 8), (4, 3, 3, 5), f32, "a kernel of 3 x 5"),
        ("one image, 5 x 3", (1, 3, 8, 8), (4, 3, 5, 3), f32, "a kernel of 5 x 3"),
        ("many outputs", (1, 2, 4, 4), (9999, 2, 3, 3), f32, "a large weight"),
        ("20480 elements", (1, 5, 64, 64), (2, 5, 3, 3), f32, "exactly 20480 elements"),
        ("20481 elements", (1, 1, 3, 6827), (2, 1, 3, 3), f32, "20481 elements"),
        ("four images, double", (4, 3, 8, 8), (4, 3, 3, 3), f64, "float64"),
        ("one image, double, 5 x 5", (1, 3, 8, 8), (4, 3, 5, 5), f64, "float64"),
    ):
        t.call(
            answer,
            x,
            w,
            dtype,
            expect=_conv_kernel(x, w, dtype),
            case=case,
            why=(
                (
                    lambda got, want, *args: got == FAST,
                    f"oneDNN is not asked for {sentence}; PyTorch's own kernel runs",
                ),
                (
                    lambda got, want, *args: got == SLOW,
                    f"oneDNN is asked for {sentence}, where the answer names "
                    "PyTorch's own kernel",
                ),
                (
                    lambda got, want, *args: isinstance(got, bool),
                    "it returns a bool; the kernel's name is asked for",
                ),
            ),
        )
