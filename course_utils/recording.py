"""Listens to a call at every height at once, and keeps what passed.

Used by `layers`. Above: Python functions (a function mode), modules and optimizers
(global hooks). Below autograd: operators (a dispatch mode). Nothing stays behind when
the call ends, however it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.overrides import TorchFunctionMode, resolve_name
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

from course_utils import dispatch

SHORT = {
    torch.float64: "f64",
    torch.float32: "f32",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.int64: "i64",
    torch.int32: "i32",
    torch.int16: "i16",
    torch.int8: "i8",
    torch.uint8: "u8",
    torch.bool: "b8",
    torch.complex64: "c64",
    torch.complex128: "c128",
}
NOISE = ("detach", "alias")  # by which autograd hands out tensors without history


@dataclass
class Frame:
    """A Python function, module or optimizer step that was entered."""

    name: str
    depth: int
    phase: str


class Shape:
    """Stands for a tensor after its call: its outside, without a hold on it.

    A listener that kept the tensors would change what it listens to: autograd takes a
    gradient over as it is only where nobody else holds it, and copies it otherwise.
    """

    def __init__(self, tensor: torch.Tensor) -> None:
        self.shape, self.dtype = tuple(tensor.shape), tensor.dtype
        self.stride = tensor.stride() if tensor.layout is torch.strided else None

    def tensor(self) -> torch.Tensor:
        """Another tensor that looks the same, full of ones."""
        if self.stride is None:
            return torch.ones(self.shape, dtype=self.dtype)
        made = torch.empty_strided(self.shape, self.stride, dtype=self.dtype)
        return made.fill_(1)


@dataclass
class Op:
    """One operator as it arrived below autograd.

    Attributes:
        name: "aten.addmm.default". text: "$2: f32[3, 4] = aten.addmm($0, $1, ...)".
        phase: "forward", "backward" or "optimizer".
        keys: the dispatch keys that held a kernel, in the order they were visited.
        kernel: the file that registered the last of them.
        bytes_read, bytes_written: of its tensors; 0 for views.
    """

    name: str
    text: str
    phase: str
    depth: int
    keys: list[str]
    kernel: str
    device: str
    bytes_read: int
    bytes_written: int
    inputs: list[tuple] = field(default_factory=list, repr=False)
    func: Any = field(default=None, repr=False)
    call: tuple = field(default=(), repr=False)

    @property
    def short(self) -> str:
        """The name without its overload: "aten.addmm"."""
        return ".".join(self.name.split(".")[:2])


def describe(tensor: torch.Tensor) -> str:
    """dtype and shape in short: "f32[3, 4]"."""
    kind = SHORT.get(tensor.dtype, str(tensor.dtype).removeprefix("torch."))
    return f"{kind}{list(tensor.shape)}"


class Names:
    """Numbers tensors by what they are, $0, $1, ..., in the order they are met.

    A tensor and its detached self are one: both are the same piece of one storage.
    """

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self.kept: list[Any] = []  # alive, so that no address is used twice

    def of(self, tensor: torch.Tensor) -> str:
        key = self._key(tensor)
        if key not in self.numbers:
            self.numbers[key] = len(self.numbers)
            # The storage, not the tensor: see Shape.
            self.kept.append(tensor if isinstance(key, int) else self._storage(tensor))
        return f"${self.numbers[key]}"

    @staticmethod
    def _key(tensor: torch.Tensor) -> Any:
        if type(tensor) not in (torch.Tensor, torch.nn.Parameter):
            return id(tensor)
        storage = Names._storage(tensor)
        if storage is None:
            return id(tensor)
        shape, stride = tuple(tensor.shape), tensor.stride()
        return storage._cdata, tensor.storage_offset(), shape, stride, tensor.dtype

    @staticmethod
    def _storage(tensor: torch.Tensor) -> Any:
        try:
            return tensor.untyped_storage()
        except (RuntimeError, NotImplementedError):  # sparse, oneDNN
            return None


@dataclass
class Events:
    """All that was heard, in order."""

    items: list[Frame | Op] = field(default_factory=list)
    names: Names = field(default_factory=Names)
    depth: int = 0
    phase: str = "forward"

    @contextmanager
    def frame(self, name: str) -> Iterator[None]:
        before = self.phase
        if name in ("torch.Tensor.backward", "torch.autograd.backward"):
            self.phase = "backward"
        self.enter(name)
        try:
            yield
        finally:
            self.depth -= 1
            self.phase = before

    def enter(self, name: str) -> None:
        self.items.append(Frame(name, self.depth, self.current_phase()))
        self.depth += 1

    def current_phase(self) -> str:
        if torch._C._current_graph_task_id() != -1:
            return "backward"
        return self.phase


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
    if name.endswith((".__get__", ".__set__")) or not name:
        return None  # reading an attribute, such as x.shape
    if name.startswith(("profiler.", "_set_grad_enabled", "_")):
        return None  # how torch looks at itself and switches autograd
    return name


class _Below(TorchDispatchMode):
    def __init__(self, events: Events) -> None:
        super().__init__()
        self.events = events

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        packet = func.overloadpacket.__name__
        if func.namespace not in ("prim", "profiler") and packet not in NOISE:
            self.events.items.append(self._op(func, args, kwargs, result))
        return result

    def _op(self, func: Any, args: tuple, kwargs: dict, result: Any) -> Op:
        events = self.events
        given = [t for t in tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor)]
        made = [t for t in tree_leaves(result) if isinstance(t, torch.Tensor)]
        shown = [_argument(a, events.names) for a in args]
        shown += [
            f"{k}={_argument(v, events.names)}"
            for k, v in kwargs.items()
            if v is not None and k not in ("layout", "device", "pin_memory")
        ]
        results = ", ".join(f"{events.names.of(t)}: {describe(t)}" for t in made)
        name = f"{func.namespace}.{func.overloadpacket.__name__}"
        text = f"{name}({', '.join(shown)})"
        if results:
            text = f"{results} = {text}"
        stops = _stops(func, given, made)
        kernels = [s for s in stops if s.what in ("kernel", "composite")]
        view = _is_view(func)
        return Op(
            name=f"{name}.{func._overloadname}",
            text=text,
            phase=events.current_phase(),
            depth=events.depth,
            keys=[s.key for s in kernels],
            kernel=kernels[-1].where if kernels else "",
            device=(made or given)[0].device.type if made or given else "",
            bytes_read=0 if view else sum(_bytes(t) for t in given),
            bytes_written=0 if view else sum(_bytes(t) for t in made),
            inputs=[(tuple(t.shape), t.dtype) for t in given],
            func=func,
            call=tree_map_only(torch.Tensor, Shape, (args, kwargs)),
        )


def _is_view(func: Any) -> bool:
    aliases = [a.alias_info for a in func._schema.arguments if a.alias_info]
    return bool(aliases) and not any(a.is_write for a in aliases)


def _bytes(tensor: torch.Tensor) -> int:
    return tensor.numel() * tensor.element_size()


def _argument(value: Any, names: Names) -> str:
    if isinstance(value, torch.Tensor):
        return names.of(value)
    if isinstance(value, list | tuple):
        inner = ", ".join(_argument(v, names) for v in value)
        return f"[{inner}]"
    if isinstance(value, torch.dtype):
        return SHORT.get(value, str(value).removeprefix("torch."))
    return repr(value)


def _stops(
    func: Any, tensors: list[torch.Tensor], made: list[torch.Tensor]
) -> list[dispatch.Stop]:
    """The way of this call, as the keys stood before our own mode took it over."""
    base = func._schema.name
    overload = func._schema.overload_name
    operator = f"{base}.{overload}" if overload else base
    keys = [k for t in tensors for k in dispatch.key_set(t)]
    keys = [k for k in dict.fromkeys(keys) if k not in dispatch.OWN_KEYS]
    if not keys:  # a factory: no tensor says where, so its device does
        keys = ["BackendSelect", *(dispatch.key_set(made[0])[-1:] if made else ())]
    if torch.is_inference_mode_enabled():
        keys = [k for k in keys if not k.startswith(("Autograd", "ADInplace"))]
    if not any(_autocasts(t.device.type) for t in tensors):
        keys = [k for k in keys if not k.startswith("Autocast")]
    try:
        return dispatch.path(operator, keys)
    except KeyError:
        return []


def _autocasts(device: str) -> bool:
    try:
        return torch.is_autocast_enabled(device)
    except RuntimeError:  # a device that has no autocast
        return False


def listen(fn: Callable, args: tuple, kwargs: dict) -> tuple[Any, Events, list[str]]:
    """Runs `fn(*args, **kwargs)`; returns (result, what passed, CUDA kernels)."""
    events = Events()
    for leaf in tree_leaves((args, kwargs)):
        if isinstance(leaf, torch.Tensor):
            events.names.of(leaf)
    with ExitStack() as stack:
        for hook in _hooks(events):
            stack.callback(hook.remove)
        profiler = stack.enter_context(_cuda_profiler())
        stack.enter_context(_Above(events))
        stack.enter_context(_Below(events))
        value = fn(*args, **kwargs)
    kernels = []
    if profiler is not None:
        kernels = [
            e.name
            for e in profiler.events()
            if str(e.device_type).endswith("CUDA") and "mem" not in e.name.lower()
        ]
    return value, events, kernels


@contextmanager
def _cuda_profiler() -> Iterator[Any]:
    if not torch.cuda.is_available():
        yield None
        return
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CUDA]
    ) as profiler:
        yield profiler
        torch.cuda.synchronize()


def _hooks(events: Events) -> list[Any]:
    from torch.nn.modules import module as modules
    from torch.optim import optimizer as optimizers

    def enter_module(module: Any, inputs: Any) -> None:
        events.enter(type(module).__name__)

    def leave_module(module: Any, inputs: Any, output: Any) -> None:
        events.depth -= 1

    def enter_step(optimizer: Any, args: Any, kwargs: Any) -> None:
        events.phase = "optimizer"
        events.enter(f"{type(optimizer).__name__}.step")

    def leave_step(optimizer: Any, args: Any, kwargs: Any) -> None:
        events.depth -= 1
        events.phase = "forward"

    return [
        modules.register_module_forward_pre_hook(enter_module),
        modules.register_module_forward_hook(leave_module, always_call=True),
        optimizers.register_optimizer_step_pre_hook(enter_step),
        optimizers.register_optimizer_step_post_hook(leave_step),
    ]
