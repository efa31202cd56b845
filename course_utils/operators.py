"""One operator of a recorded call, and the short way in which it is written.

Used by `recording` and `layers`: `$2: f32[3, 4] = aten.addmm($0, $1, $3)`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from course_utils.dispatch import Stop

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
_LEFT_OUT = ("layout", "device", "pin_memory")


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
        depth: how many frames enclose it.
        way: the dispatch keys it tried, in order, and what sits at each.
        view: whether it only makes a view of its argument.
        device: "cpu", "cuda", "meta"; "fake" where no numbers were computed at all.
        bytes_read, bytes_written: of its tensors; 0 for views.
        above: the composite operators or the autograd node that called it.
        inside: the operators that its kernel called in turn.
        cuda: the CUDA kernels that it launched.
    """

    name: str
    text: str
    phase: str
    depth: int
    way: list[Stop]
    view: bool
    device: str
    bytes_read: int
    bytes_written: int
    parents: tuple[int, ...] = field(default=(), repr=False)
    above: list[tuple[int, str]] = field(default_factory=list)
    inside: list[str] = field(default_factory=list)
    cuda: list[str] = field(default_factory=list)
    inputs: list[tuple] = field(default_factory=list, repr=False)
    func: Any = field(default=None, repr=False)
    call: tuple = field(default=(), repr=False)

    @property
    def short(self) -> str:
        """The name without its overload: "aten.addmm"."""
        return ".".join(self.name.split(".")[:2])

    @property
    def keys(self) -> list[str]:
        """The dispatch keys at which somebody sits, in the order they were visited."""
        return [stop.key for stop in self.way if stop.works]

    @property
    def kernel(self) -> str:
        """The file that registered the kernel at the last of the keys."""
        return next((s.where for s in reversed(self.way) if s.works), "")


def describe(tensor: torch.Tensor) -> str:
    """dtype and shape in short: "f32[3, 4]"."""
    kind = SHORT.get(tensor.dtype, str(tensor.dtype).removeprefix("torch."))
    return f"{kind}{list(tensor.shape)}"


def describe_input(op: Op) -> str:
    """What an operator reads, in short: "f32[3, 4], f32[4]"."""
    return ", ".join(
        f"{SHORT.get(dtype, str(dtype).removeprefix('torch.'))}{list(shape)}"
        for shape, dtype in op.inputs
    )


class Names:
    """Numbers tensors by what they are, $0, $1, ..., in the order they are met.

    A tensor and its detached self are one: both are the same piece of one storage.
    """

    def __init__(self) -> None:
        self.numbers: dict[Any, int] = {}
        self.kept: list[Any] = []  # alive, so that no address is used twice

    def of(self, tensor: torch.Tensor) -> str:
        """The tensor's number, such as "$3"."""
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

    def text(self, name: str, args: tuple, kwargs: dict, made: list) -> str:
        """A call as one line: results, their types, the operator, what it was given."""
        shown = [self._argument(a) for a in args]
        shown += [
            f"{k}={self._argument(v)}"
            for k, v in kwargs.items()
            if v is not None and k not in _LEFT_OUT
        ]
        results = ", ".join(f"{self.of(t)}: {describe(t)}" for t in made)
        call = f"{name}({', '.join(shown)})"
        return f"{results} = {call}" if results else call

    def _argument(self, value: Any) -> str:
        if isinstance(value, torch.Tensor):
            return self.of(value)
        if isinstance(value, list | tuple):
            return f"[{', '.join(self._argument(v) for v in value)}]"
        if isinstance(value, torch.dtype):
            return SHORT.get(value, str(value).removeprefix("torch."))
        if isinstance(value, bool | int | float | complex | str | type(None)):
            return repr(value)
        if str(value).startswith("torch."):  # a memory format, a device, a layout
            return str(value)
        return type(value).__name__  # its repr may hold an address


def is_view(func: Any) -> bool:
    """Whether an operator returns a view of an argument that it does not change."""
    aliases = [a.alias_info for a in func._schema.arguments if a.alias_info]
    return bool(aliases) and not any(a.is_write for a in aliases)


def size(tensor: torch.Tensor) -> int:
    """Bytes of the elements; of a sparse tensor, as if it were dense."""
    return tensor.numel() * tensor.element_size()
