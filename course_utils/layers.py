"""What a call passes through, recorded from the call itself and drawn.

Used from lesson 00 on. `record` runs a function and keeps every layer: the Python
names, the dispatch keys, the operators, the kernels' files, the library underneath.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from course_utils import recording
from course_utils.backends import backends as backends
from course_utils.backends import libraries
from course_utils.backends import onednn as onednn
from course_utils.dispatch import dispatch_path as dispatch_path
from course_utils.dispatch import key_set as key_set

PHASES = ("forward", "backward", "optimizer")


class Record:
    """One recorded call.

    Attributes:
        value: what the call returned.
        events: Python frames and operators, in the order they were met.
        cuda: names of the CUDA kernels that ran, if there is a GPU.
    """

    def __init__(
        self, value: Any, events: list[Any], cuda: list[str], name: str
    ) -> None:
        self.value, self.events, self.cuda, self.name = value, events, cuda, name

    @property
    def ops(self) -> list[recording.Op]:
        """The operators that arrived below autograd, in order."""
        return [e for e in self.events if isinstance(e, recording.Op)]

    @property
    def python(self) -> list[str]:
        """The Python functions, modules and optimizers that were entered, in order."""
        return [e.name for e in self.events if isinstance(e, recording.Frame)]

    @cached_property
    def libraries(self) -> list[str]:
        """For each operator, the library that does its arithmetic."""
        return libraries(self.ops)

    def trace(self) -> str:
        """The operators as text, one a line, with a heading for each phase."""
        phases = list(dict.fromkeys(op.phase for op in self.ops))
        lines = []
        for op, before in zip(self.ops, [None, *self.ops], strict=False):
            if len(phases) > 1 and (before is None or before.phase != op.phase):
                lines.append(f"{op.phase}:")
            lines.append(("  " if len(phases) > 1 else "") + op.text)
        return "\n".join(lines)

    def __repr__(self) -> str:
        lines = []
        phase = None
        number = 0
        many = len({e.phase for e in self.events}) > 1
        for event in self.events:
            if many and event.phase != phase:
                phase = event.phase
                lines.append(f"[{phase}]")
            indent = "  " * event.depth
            if isinstance(event, recording.Frame):
                lines.append(f"{indent}{event.name}")
                continue
            way = " > ".join(event.keys)
            lines.append(f"{indent}{event.text}")
            lines.append(
                f"{indent}    {way}   [{event.kernel}; {self.libraries[number]}]"
            )
            number += 1
        return "\n".join(lines)

    def draw(self) -> Any:
        """A figure of the layers: one column an operator, Python on top."""
        from course_utils.layers_draw import draw

        return draw(self)


def record(fn: Callable, *args: Any, **kwargs: Any) -> Record:
    """Runs `fn(*args, **kwargs)` and returns what it passed through.

    Tensors among the arguments are numbered first, $0, $1, ...; others follow in the
    order in which operators meet them. Whatever `fn` raises is raised here too, and no
    listener stays behind.
    """
    value, events, cuda = recording.listen(fn, args, kwargs)
    return Record(value, events.items, cuda, getattr(fn, "__name__", str(fn)))
