"""What was heard during a recorded call, in order, and what is open at the moment.

Used by `recording` and `layers`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch

from course_utils.nesting import Nesting
from course_utils.operators import Names, Op

_BACKWARD = ("torch.Tensor.backward", "torch.autograd.backward", "torch.autograd.grad")


@dataclass
class Frame:
    """A Python function, module or optimizer step that was entered.

    Attributes:
        above: the operator that called it, where one did (a custom op in Python).
    """

    name: str
    depth: int
    phase: str
    parents: tuple[int, ...] = ()
    above: list[tuple[int, str]] = field(default_factory=list)


@dataclass
class Events:
    """All that was heard, in order."""

    nesting: Nesting
    items: list[Frame | Op] = field(default_factory=list)
    names: Names = field(default_factory=Names)
    phase: str = "forward"
    open: list[tuple[int, Any]] = field(default_factory=list)

    @contextmanager
    def frame(self, name: str) -> Iterator[None]:
        """A Python function, from its entry to its end."""
        before = self.phase
        if name in _BACKWARD:
            self.phase = "backward"
        level = self.enter(name)
        try:
            yield
        finally:
            self.leave(level)
            self.phase = before

    def enter(self, name: str) -> int:
        """Opens a frame; returns the level that closes it."""
        level = len(self.open)
        number = len(self.items)
        self.items.append(Frame(name, level, self.current_phase(), self.parents()))
        mark = self.nesting.mark(f"item {number}")
        mark.__enter__()
        self.open.append((number, mark))
        return level

    def leave(self, level: int) -> None:
        """Closes all frames down to this level: some may have ended by an error."""
        while len(self.open) > level:
            self.open.pop()[1].__exit__(None, None, None)

    def parents(self) -> tuple[int, ...]:
        """The numbers of the frames that are open, outermost first."""
        return tuple(number for number, _ in self.open)

    def current_phase(self) -> str:
        """Backward while autograd runs a graph, else what Python said last."""
        if torch._C._current_graph_task_id() != -1:
            return "backward"
        return self.phase
