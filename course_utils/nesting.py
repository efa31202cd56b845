"""Which operator called which: the profiler's account of a call, as chains of names.

Used by `recording`. A dispatch mode sees operators one by one, below autograd; that
`aten::linear` called two of them, or that `AddmmBackward0` did, only the profiler sees.
Its events are matched with ours by marks that we leave in its trace.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

_MARK = "course "
# What torch does for itself between an operator and the mode that listens.
_OWN = re.compile(r"PythonDispatchMode|autograd::engine|profiler::|course ")
_NODE = re.compile(r"(?:torch::autograd::)?(\w+Backward\w*|AccumulateGrad)")
_ENGINE = re.compile(r"autograd::engine::evaluate_function: (?:torch::autograd::)?(.+)")
_OPERATOR = re.compile(r"\w+::[\w.]+")


class Nesting:
    """Marks left during a call, and after it what stood above and below each."""

    def __init__(self) -> None:
        self.events: dict[str, Any] = {}
        self.active = False

    def mark(self, name: str) -> AbstractContextManager:
        """A mark in the profiler's trace, from entry to exit."""
        if not self.active:
            return nullcontext()
        return torch._C._profiler._RecordFunctionFast(_MARK + name)

    def above(self, name: str, operator: str = "") -> list[tuple[int, str]]:
        """What encloses a mark, outermost first, up to the next mark.

        Args:
            operator: the marked operator itself ("aten::t"), which is left out.

        Returns:
            (a number for this very call, "aten::linear", "AddmmBackward0" or
            "engine, after AddmmBackward0" for what the engine itself does to results).
        """
        chain = []
        event = getattr(self.events.get(name), "cpu_parent", None)
        while event is not None and not event.name.startswith(_MARK):
            node = _NODE.fullmatch(event.name)
            engine = _ENGINE.match(event.name)
            if engine and not (chain and engine[1] == chain[-1][1]):
                chain.append((id(event), f"engine, after {engine[1]}"))
            elif node:
                chain.append((id(event), node[1]))
            elif _OPERATOR.fullmatch(event.name) and not _OWN.match(event.name):
                chain.append((id(event), event.name))
            event = event.cpu_parent
        if chain and chain[0][1] == operator:
            chain = chain[1:]
        return chain[::-1]

    def inside(self, name: str) -> list[str]:
        """The operators that the kernel of a marked operator called itself."""
        own = self.events.get(name)
        if own is None:
            return []
        called = [e for c in own.cpu_children for e in c.cpu_children]
        return [e.name for e in called if _OPERATOR.fullmatch(e.name)]

    def cuda(self, name: str) -> list[str]:
        """The CUDA kernels launched inside a mark, in order, by their short names."""
        own, kernels = self.events.get(name), []
        waiting = [own] if own is not None else []
        while waiting:
            event = waiting.pop(0)
            # The profiler's own work ("Lazy Function Loading") names kernels as well.
            if event.name.startswith(_MARK) or _OPERATOR.fullmatch(event.name):
                kernels += [_short(kernel.name) for kernel in event.kernels]
            waiting = [*event.cpu_children, *waiting]
        return [k for k in kernels if not k.startswith(("Memcpy", "Memset"))]


def _short(kernel: str) -> str:
    """A kernel's name without return type, namespaces and template arguments."""
    plain = kernel.replace("(anonymous namespace)", "").split("<")[0].split("(")[0]
    return plain.split("::")[-1].split(" ")[-1] or kernel


@contextmanager
def watch() -> Iterator[Nesting]:
    """Profiles what runs inside; without a profiler, chains stay empty.

    There is one profiler in a process: where one runs already, ours stays away.
    """
    nesting = Nesting()
    if torch.autograd._profiler_enabled():
        yield nesting
        return
    os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # it announces itself on stderr
    activities = [ProfilerActivity.CPU]
    if torch.cuda.is_available():
        activities.append(ProfilerActivity.CUDA)
    profiler = profile(activities=activities, acc_events=True)
    profiler.start()
    nesting.active = True
    try:
        yield nesting
    finally:
        nesting.active = False
        ended = _stop(profiler)
    nesting.events = {
        event.name.removeprefix(_MARK): event
        for event in (profiler.events() if ended else None) or ()
        if event.name.startswith(_MARK)
    }


def _stop(profiler: profile) -> bool:
    """Whether the profiler ran to this end: one started inside the call ends ours."""
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()
    try:
        profiler.stop()
    except RuntimeError:  # torch 2.11 raises; later releases warn
        return False
    return True
