"""The contracts of 12.1 and 12.2: what the dispatcher chooses, and how."""

from __future__ import annotations

from collections.abc import Callable

import torch

from course_utils import dispatch
from course_utils.exercise import Trial, exercise


def _inference_tensor() -> torch.Tensor:
    with torch.inference_mode():
        return torch.ones(3)


def _first_kernel(
    operator: str, make: Callable[[], torch.Tensor], mode: Callable
) -> str:
    """The first key on the way of a call where a kernel sits."""
    x = make()
    with mode():
        stops = dispatch.path(operator, dispatch.visited(x))
    return next(s.key for s in stops if s.what in ("kernel", "composite"))


def _autocast() -> torch.autocast:
    return torch.autocast("cpu")


# For each call: operator, how to make its tensor, the mode around it, the reason.
CALLS = {
    "relu": (
        "aten::relu",
        lambda: torch.ones(3),
        torch.enable_grad,
        "every dense CPU tensor carries AutogradCPU, whether or not it requires a "
        "gradient, and that key ranks above CPU",
    ),
    "relu, no_grad": (
        "aten::relu",
        lambda: torch.ones(3),
        torch.no_grad,
        "no_grad takes no key away; autograd's kernel still runs and finds nothing to "
        "record",
    ),
    "relu, inference_mode, tensor made inside": (
        "aten::relu",
        _inference_tensor,
        torch.inference_mode,
        "a tensor that is made in inference_mode has neither an autograd key nor "
        "ADInplaceOrView",
    ),
    "add_, inference_mode, tensor made outside": (
        "aten::add_.Tensor",
        lambda: torch.ones(3),
        torch.inference_mode,
        "inference_mode excludes autograd, but the tensor still carries "
        "ADInplaceOrView, whose kernel for in-place operators counts the version up",
    ),
    "relu, autocast": (
        "aten::relu",
        lambda: torch.ones(3),
        _autocast,
        "autocast is included now, but for relu a fallthrough sits there",
    ),
    "mm, autocast": (
        "aten::mm",
        lambda: torch.ones(3, 3),
        _autocast,
        "autocast is included now, it ranks above autograd, and for mm it has a "
        "kernel, which casts",
    ),
    "relu of a meta tensor": (
        "aten::relu",
        lambda: torch.ones(3, device="meta"),
        torch.enable_grad,
        "a meta tensor has an autograd key too, that of its own backend",
    ),
    "relu of a sparse tensor": (
        "aten::relu",
        lambda: torch.eye(3).to_sparse(),
        torch.enable_grad,
        "a sparse CPU tensor carries SparseCPU, and autograd's key of the CPU above it",
    ),
}


@exercise(
    "12.1",
    "Predict the key",
    difficulty=2,
    minutes=8,
    kind="value",
    hints=(
        "Start from the keys that the tensor carries (`layers.key_set`), take away "
        "what the mode excludes, and read from the highest priority down until you "
        "meet a kernel that is no fallthrough.",
        "no_grad changes no key at all. inference_mode excludes the autograd keys; "
        "tensors made inside it lack ADInplaceOrView as well. Autocast's keys rank "
        "above autograd's and are excluded until `torch.autocast` is entered.",
        "`layers.dispatch_path(operator, x)`, run inside the mode, prints the way.",
    ),
)
def first_kernel(answer: dict[str, str], t: Trial) -> None:
    """For each call, the name of the key whose kernel runs first, as a string.

    A fallthrough is no kernel; a composite kernel is one.
    """
    t.require(isinstance(answer, dict), "it must be a dict, as in the starter")
    for call, (operator, make, mode, reason) in CALLS.items():
        with t.case(call):
            t.require(call in answer, f"there is no answer for {call!r}")
            want = _first_kernel(operator, make, mode)
            got = answer[call]
            t.require(got == want, f"for {call!r} it is not {got!r}: {reason}", got=got)
    extra = [key for key in answer if key not in CALLS]
    t.require(not extra, f"nobody asked for {extra}")


PRIORITY = ["Autocast", "Autograd", "ADInplaceOrView", "Meta", "CPU"]


@exercise(
    "12.2",
    "A dispatcher in eight lines",
    difficulty=2,
    minutes=12,
    hints=(
        "Three sets: what the arguments carry, all together; what the thread "
        "includes; what it excludes. `set().union(include, *arguments)` joins the "
        "first two.",
        "Walk `priority` from its front. A key that is not in the set is passed over, "
        'and so is one whose entry is the string "fallthrough".',
        "A key without any entry is different: it was chosen, and nobody is there. "
        "That is the `NotImplementedError` that you know from PyTorch.",
    ),
)
def route(answer: Callable, t: Trial) -> None:
    """(priority, table, arguments, include, exclude) -> the kernel that answers.

    priority: all keys, the highest first. table: key -> the name of a kernel, or
    "fallthrough". arguments: for each tensor of the call the set of its keys. include,
    exclude: the thread's sets; what is excluded stays out even if it is included. The
    highest key in the resulting set decides, unless it is a fallthrough. Raises
    NotImplementedError if no key decides, or the deciding key has no entry.
    """
    table = {
        "Autocast": "fallthrough",
        "Autograd": "relu_autograd",
        "ADInplaceOrView": "fallthrough",
        "CPU": "relu_cpu",
    }
    dense = {"Autocast", "Autograd", "ADInplaceOrView", "CPU"}
    meta = {"Autograd", "ADInplaceOrView", "Meta"}
    off = {"Autocast"}
    casts = {**table, "Autocast": "relu_autocast"}
    for case, rows, args, include, exclude, want, sentence in (
        (
            "one tensor, autocast off",
            table,
            [dense],
            set(),
            off,
            "relu_autograd",
            "the highest key that is left decides, not the lowest",
        ),
        (
            "one tensor with a single key",
            table,
            [{"CPU"}],
            set(),
            set(),
            "relu_cpu",
            "a key that no argument carries must not decide",
        ),
        (
            "a fallthrough at the top",
            table,
            [dense],
            set(),
            set(),
            "relu_autograd",
            "a fallthrough passes the call on to the next key",
        ),
        (
            "below autograd",
            table,
            [dense],
            set(),
            {"Autocast", "Autograd"},
            "relu_cpu",
            "what is excluded must not decide",
        ),
        (
            "two tensors, the second one requires more",
            table,
            [{"CPU"}, {"Autograd", "CPU"}],
            set(),
            set(),
            "relu_autograd",
            "only the first tensor was asked; the keys of all arguments count",
        ),
        (
            "two tensors, the first one requires more",
            table,
            [{"Autograd", "CPU"}, {"CPU"}],
            set(),
            set(),
            "relu_autograd",
            "a key counts as soon as one argument carries it, not all of them",
        ),
        (
            "included by the thread",
            casts,
            [{"CPU"}],
            {"Autocast"},
            set(),
            "relu_autocast",
            "what the thread includes counts as if an argument carried it",
        ),
        (
            "included and excluded",
            casts,
            [{"CPU"}],
            {"Autocast"},
            off,
            "relu_cpu",
            "a key that is included and excluded stays out",
        ),
        (
            "no tensor at all, as in torch.empty",
            {"CPU": "empty_cpu"},
            [],
            {"CPU"},
            set(),
            "empty_cpu",
            "without tensors the thread's keys still decide",
        ),
    ):
        got = _route(answer, t, case, rows, args, include, exclude)
        t.equal(got, want, what="the kernel", why=((lambda g, w: g != w, sentence),))  # noqa: B023
    _route_refuses(answer, t, table, dense, meta)


def _route(
    answer: Callable,
    t: Trial,
    case: str,
    table: dict,
    arguments: list,
    include: set,
    exclude: set,
) -> object:
    held = (dict(table), [set(a) for a in arguments], set(include), set(exclude))
    given = (dict(table), [set(a) for a in arguments], set(include), set(exclude))
    try:
        got = t.run(answer, list(PRIORITY), *given, case=case)
    finally:
        t.require(given == held, "it changes the sets that it was given")
    return got


def _route_refuses(
    answer: Callable, t: Trial, table: dict, dense: set, meta: set
) -> None:
    refused = (
        (
            "no kernel for the backend",
            table,
            [meta, dense],
            {"Autocast", "Autograd"},
            "Meta ranks above CPU here and has no entry; a missing kernel is an "
            "error, it does not pass the call on as a fallthrough does",
        ),
        (
            "only fallthroughs",
            {"Autograd": "fallthrough"},
            [{"Autograd"}],
            set(),
            "every key fell through, and it did not raise NotImplementedError",
        ),
        (
            "no key at all",
            table,
            [],
            set(),
            "no key is left, and it did not raise NotImplementedError",
        ),
    )
    for case, rows, args, exclude, sentence in refused:
        t.refuses(
            answer,
            list(PRIORITY),
            rows,
            args,
            set(),
            exclude,
            case=case,
            sentence=sentence,
            kinds=NotImplementedError,
        )
