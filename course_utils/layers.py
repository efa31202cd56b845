"""What a call passes through, recorded from the call itself and drawn.

Used from lesson 00 on. `record` runs a function and keeps every layer: the Python
names, the dispatch keys, the operators, the kernels' files, the library underneath.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from course_utils.backends import backends as backends
from course_utils.backends import libraries
from course_utils.backends import onednn as onednn
from course_utils.dispatch import dispatch_path as dispatch_path
from course_utils.dispatch import key_set as key_set
from course_utils.events import Frame
from course_utils.operators import Op
from course_utils.recording import listen

PHASES = ("forward", "backward", "optimizer")


class Record:
    """One recorded call.

    Attributes:
        value: what the call returned.
        events: Python frames and operators, in the order they were met.
    """

    def __init__(self, value: Any, events: list[Frame | Op], name: str) -> None:
        self.value, self.events, self.name = value, events, name

    @property
    def ops(self) -> list[Op]:
        """The operators that arrived below autograd, in order."""
        return [e for e in self.events if isinstance(e, Op)]

    @property
    def python(self) -> list[str]:
        """The Python functions, modules and optimizers that were entered, in order."""
        return [e.name for e in self.events if isinstance(e, Frame)]

    @property
    def cuda(self) -> list[str]:
        """The CUDA kernels that the operators launched, in order; [] without a GPU."""
        return [kernel for op in self.ops for kernel in op.cuda]

    @cached_property
    def libraries(self) -> list[str]:
        """For each operator, the library that does its arithmetic."""
        return libraries(self.ops)

    def paths(self) -> list[tuple[tuple[Any, str], ...]]:
        """For each event, all that encloses it, outermost first, as (key, name).

        Names are Python functions, modules, composite operators ("aten::linear") and
        nodes of the autograd graph ("AddmmBackward0").
        """
        found = []
        for event in self.events:
            chain: list[tuple[Any, str]] = []
            for number in event.parents:
                frame = self.events[number]
                chain += [*frame.above, (("frame", number), frame.name)]
            found.append(tuple([*chain, *event.above]))
        return found

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
        lines: list[str] = []
        phase, shown = None, ()
        libraries = iter(self.libraries)
        many = len({e.phase for e in self.events}) > 1
        for number, (event, chain) in enumerate(
            zip(self.events, self.paths(), strict=True)
        ):
            if many and event.phase != phase:
                phase = event.phase
                lines.append(f"[{phase}]")
            if isinstance(event, Frame):
                chain = (*chain, (("frame", number), event.name))
            for depth, step in enumerate(chain):
                if chain[: depth + 1] != shown[: depth + 1]:
                    lines.append(f"{'  ' * depth}{step[1]}")
            shown = chain
            if isinstance(event, Op):
                indent = "  " * len(chain)
                lines.append(indent + event.text)
                lines.append(f"{indent}    {_below(event, next(libraries))}")
        return "\n".join(lines)

    def draw(self) -> Any:
        """A figure of the layers: one column an operator, Python on top."""
        from course_utils.layers_draw import draw

        return draw(self)


def _below(op: Op, library: str) -> str:
    """The layers under an operator in one line: keys, kernel's file, library."""
    where = [op.kernel, library, *op.cuda]
    return f"{' > '.join(op.keys)}   [{'; '.join(w for w in where if w)}]"


def record(fn: Callable, *args: Any, **kwargs: Any) -> Record:
    """Runs `fn(*args, **kwargs)` once and returns what it passed through.

    Tensors among the arguments are numbered first, $0, $1, ...; others follow in the
    order in which operators meet them. Whatever `fn` raises is raised here too, and no
    listener stays behind. What composite operators and autograd nodes called is taken
    from the profiler, so that part is missing if `fn` runs under one or starts one.
    """
    value, events = listen(fn, args, kwargs)
    return Record(value, events, getattr(fn, "__name__", type(fn).__name__))
