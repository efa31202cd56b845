"""Listens to a call at every height at once, and keeps what passed.

Used by `layers`. Above: Python functions (a function mode), modules and optimizers
(global hooks). Below autograd: operators (a dispatch mode). Between them: the profiler
(see `nesting`). Nothing stays behind when the call ends, however it ends.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import torch
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

from course_utils import dispatch, operators
from course_utils.events import Events, Frame
from course_utils.nesting import watch
from course_utils.operators import Op, Shape

NOISE = ("detach", "alias")  # by which autograd hands out tensors without history
# Questions about a tensor that reach no operator.
_QUESTIONS = (
    "dim ndimension size stride numel nelement element_size storage_offset data_ptr "
    "is_contiguous is_floating_point is_complex is_signed is_conj is_neg is_inference "
    "untyped_storage get_device"
).split()


class _Above(TorchFunctionMode):
    def __init__(self, events: Events) -> None:
        super().__init__()
        self.events = events

    def __torch_function__(
        self, func: Callable, types: Any, args: tuple = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        name = _python_name(func)
        if name is None:
            return func(*args, **kwargs)
        with self.events.frame(name):
            return func(*args, **kwargs)


def _python_name(func: Callable) -> str | None:
    name = resolve_name(func) or getattr(func, "__name__", "")
    plain = getattr(func, "__name__", "")
    if name.startswith("torch.") and getattr(torch, plain, None) is func:
        if name.split(".")[-1] != plain:
            name = f"torch.{plain}"  # torch.spmm is torch.mm, and was found first
    if name == "grad":
        name = "torch.autograd.grad"  # which resolve_name does not know
    if name.endswith((".__get__", ".__set__")) or not name:
        return None  # reading an attribute, such as x.shape
    if name.startswith(("profiler.", "_set_grad_enabled", "_")):
        return None  # how torch looks at itself and switches autograd
    return None if name.split(".")[-1] in _QUESTIONS else name


class _Below(TorchDispatchMode):
    def __init__(self, events: Events) -> None:
        super().__init__()
        self.events = events

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        packet = func.overloadpacket.__name__
        if func.namespace in ("prim", "profiler") or packet in NOISE:
            return func(*args, **kwargs)
        number = len(self.events.items)
        self.events.items.append(None)  # its place: what it calls comes after it
        try:
            with self.events.nesting.mark(f"item {number}"):
                result = func(*args, **kwargs)
        except BaseException:
            del self.events.items[number:]
            raise
        self.events.items[number] = self._op(func, args, kwargs, result)
        return result

    def _op(self, func: Any, args: tuple, kwargs: dict, result: Any) -> Op:
        events = self.events
        given = [t for t in tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)]
        made = [t for t in tree_leaves(result) if isinstance(t, torch.Tensor)]
        name = f"{func.namespace}.{func.overloadpacket.__name__}"
        view = operators.is_view(func)
        return Op(
            name=f"{name}.{func._overloadname}",
            text=events.names.text(name, args, kwargs, made),
            phase=events.current_phase(),
            depth=len(events.open),
            way=dispatch.way(func, given, made),
            view=view,
            device=_device(made or given),
            bytes_read=0 if view else sum(operators.size(t) for t in given),
            bytes_written=0 if view else sum(operators.size(t) for t in made),
            parents=events.parents(),
            inputs=[(tuple(t.shape), t.dtype) for t in given],
            func=func,
            call=tree_map_only(torch.Tensor, Shape, (args, kwargs)),
        )


def _device(tensors: list[torch.Tensor]) -> str:
    if not tensors:
        return ""
    if type(tensors[0]).__name__ == "FakeTensor":
        return "fake"
    return tensors[0].device.type


def listen(fn: Callable, args: tuple, kwargs: dict) -> tuple[Any, list[Frame | Op]]:
    """Runs `fn(*args, **kwargs)`; returns (its result, what passed, in order)."""
    with ExitStack() as stack:
        events = Events(stack.enter_context(watch()))
        for leaf in tree_leaves((args, kwargs)):
            if isinstance(leaf, torch.Tensor):
                events.names.of(leaf)
        for hook in _hooks(events):
            stack.callback(hook.remove)
        stack.callback(events.leave, 0)
        stack.enter_context(_Above(events))
        stack.enter_context(_Below(events))
        value = fn(*args, **kwargs)
    nesting = events.nesting
    for number, item in enumerate(events.items):
        name = f"item {number}"
        if isinstance(item, Op):
            own = item.short.replace(".", "::", 1)
            item.above = nesting.above(name, own)
            item.inside = nesting.inside(name)
            item.cuda = nesting.cuda(name)
        else:
            item.above = nesting.above(name)
    return value, events.items


def _hooks(events: Events) -> list[Any]:
    from torch.nn.modules import module as modules
    from torch.optim import optimizer as optimizers

    entered: list[
        tuple[int, int]
    ] = []  # (id, level); a step that raised leaves its own

    def enter(thing: Any, name: str) -> None:
        entered.append((id(thing), events.enter(name)))

    def leave(thing: Any) -> None:
        while entered:
            owner, level = entered.pop()
            if owner == id(thing):
                events.leave(level)
                return

    def enter_module(module: Any, inputs: Any) -> None:
        enter(module, type(module).__name__)

    def leave_module(module: Any, inputs: Any, output: Any) -> None:
        leave(module)

    def enter_step(optimizer: Any, args: Any, kwargs: Any) -> None:
        events.phase = "optimizer"
        enter(optimizer, f"{type(optimizer).__name__}.step")

    def leave_step(optimizer: Any, args: Any, kwargs: Any) -> None:
        leave(optimizer)
        events.phase = "forward"

    return [
        modules.register_module_forward_pre_hook(enter_module),
        modules.register_module_forward_hook(leave_module, always_call=True),
        optimizers.register_optimizer_step_pre_hook(enter_step),
        optimizers.register_optimizer_step_post_hook(leave_step),
    ]
