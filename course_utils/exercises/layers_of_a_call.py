"""The contracts of lesson 10: which operators a call becomes.

Those of 10.3 (what they cost) and 10.4 (which kernel ran) have modules of their own.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from course_utils import inputs
from course_utils.exercise import Trial, exercise
from course_utils.exercises import cost_of_a_call as cost_of_a_call
from course_utils.exercises import kernel_of_a_call as kernel_of_a_call
from course_utils.exercises.start import Seen


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
