"""Which dispatch keys a call visits, in order, and what sits at each.

Used by `layers` and lessons 10 and 12. The order is computed as the dispatcher does it:
the union of the tensors' keys and of what this thread includes, without what it
excludes, from the highest priority down.

Source: `c10::DispatchKeySet`, c10/core/DispatchKeySet.h, and
`impl::computeDispatchKeySet`, aten/src/ATen/core/dispatch/DispatchKeyExtractor.h, at
v2.13.0.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from course_utils.table import Table

OWN_KEYS = ("Python", "PythonTLSSnapshot", "PythonDispatcher", "PreDispatch")


class Stop(NamedTuple):
    """One key on the way of a call.

    Attributes:
        what: "kernel", "composite" (a kernel made of other operators), "fallback" (one
            kernel for all operators that have none of their own), "fallthrough" (nobody
            is there, the next key is tried) or "nothing".
        where: the file that registered it, without folders.
    """

    key: str
    what: str
    where: str

    @property
    def works(self) -> bool:
        """Whether somebody sits there who is called."""
        return self.what in ("kernel", "composite", "fallback")


def keys_of(key_set: Any) -> list[str]:
    """The names in a key set, highest priority first."""
    names = []
    while True:
        key = key_set.highestPriorityTypeId()
        name = key.name if hasattr(key, "name") else str(key).split(".")[-1]
        if name == "Undefined":
            return names
        names.append(name)
        key_set = key_set.remove(key)


def key_set(tensor: torch.Tensor) -> list[str]:
    """The dispatch keys that a tensor carries, highest priority first."""
    return keys_of(torch._C._dispatch_keys(tensor))


def visited(*tensors: torch.Tensor) -> list[str]:
    """The keys that a call with these tensors would try now, in this thread."""
    found = torch._C.DispatchKeySet(torch._C.DispatchKey.Undefined)
    for tensor in tensors:
        found = found | torch._C._dispatch_keys(tensor)
    found = found | torch._C._dispatch_tls_local_include_set()
    found = found - torch._C._dispatch_tls_local_exclude_set()
    return [key for key in keys_of(found) if key not in OWN_KEYS]


def table_of(operator: str) -> dict[str, tuple[str, str]]:
    """The dispatcher's table of one operator: key to (what, where).

    Raises:
        KeyError: if there is no such operator.
    """
    try:
        text = torch._C._dispatch_dump_table(operator)
    except RuntimeError as error:
        raise KeyError(f"no operator {operator!r}; try 'aten::relu'") from error
    rows = {}
    for line in text.splitlines():
        match = re.match(r"^(\w+): (.*?)(?:registered at (\S+))?(?: \[(.*)\])?$", line)
        if match:
            rows[match[1]] = (_what(line), _file(match[3] or ""))
    if not rows:
        raise KeyError(f"no operator {operator!r}; try 'aten::relu'")
    return rows


def _what(line: str) -> str:
    if "fallthrough" in line:
        return "fallthrough"
    if "[math kernel]" in line:
        return "composite"
    return "fallback" if "[backend fallback]" in line else "kernel"


def _file(place: str) -> str:
    """The generated files are split by number, which means nothing to a reader."""
    if "ipykernel" in place or place.startswith("<"):
        return "this notebook"
    name = place.rsplit("/", 1)[-1].split(":")[0]
    return re.sub(r"(?:Everything)?_\d+(?=\.cpp)", "", name)


def path(operator: str, keys: list[str]) -> list[Stop]:
    """What a call meets at each key, up to the kernel that answers it."""
    table = table_of(operator)
    stops = []
    for key in keys:
        what, where = table.get(key, ("nothing", ""))
        stops.append(Stop(key, what, where))
        if what == "composite" or (stops[-1].works and _is_backend(key)):
            break
    return stops


_ABOVE = (
    "Autograd Autocast ADInplace BackendSelect Conjugate Negative ZeroTensor Named "
    "Func Batched Vmap Tracer"
).split()


def _is_backend(key: str) -> bool:
    """Keys above the backends do their part and pass the call on."""
    return not key.startswith(tuple(_ABOVE))


def way(
    func: Any, given: Sequence[torch.Tensor], made: Sequence[torch.Tensor]
) -> list[Stop]:
    """The way of an operator that a dispatch mode has just caught.

    Such a mode sits below autograd, where this thread excludes the keys above. They
    are put back by what switches them: inference mode and autocast.

    Args:
        func: the `OpOverload`. given, made: tensors it was called with and returned.
    """
    schema = func._schema
    name = schema.name + (f".{schema.overload_name}" if schema.overload_name else "")
    found = torch._C.DispatchKeySet(torch._C.DispatchKey.BackendSelect)
    for tensor in given:
        found = found | torch._C._dispatch_keys(tensor)
    keys = [key for key in keys_of(found) if key not in OWN_KEYS]
    if not given and made:  # a factory: BackendSelect looks at the device instead
        keys += [key for key in key_set(made[0]) if _is_backend(key)][-1:]
    if torch.is_inference_mode_enabled():  # ADInplaceOrView stays, as gdb shows
        keys = [k for k in keys if not k.startswith("Autograd")]
    if not any(_autocasts(tensor.device.type) for tensor in given):
        keys = [k for k in keys if not k.startswith("Autocast")]
    try:
        stops = path(name, keys)
    except KeyError:
        return []
    return _owned(stops, [*given, *made])


def _owned(stops: list[Stop], tensors: Sequence[torch.Tensor]) -> list[Stop]:
    """The way cut short at Python, where a class of Python answers for a tensor.

    Source: `DispatchKey::Python` stands above `BackendSelect` and the backends.
    """
    owner = _python_owner(tensors)
    if not owner or (stops and stops[-1].what == "composite"):
        return stops
    above = [s for s in stops if not _is_backend(s.key) and s.key != "BackendSelect"]
    return [*above, Stop("Python", "kernel", owner)]


def _autocasts(device: str) -> bool:
    try:
        return torch.is_autocast_enabled(device)
    except RuntimeError:  # a device that has no autocast
        return False


_NO_HANDLER = (
    torch.Tensor.__torch_dispatch__,
    torch._C._disabled_torch_dispatch_impl,
)


def _python_owner(tensors: Sequence[torch.Tensor]) -> str:
    """The class whose `__torch_dispatch__` takes the call over, or ""."""
    for tensor in tensors:
        kind = type(tensor)
        handler = getattr(kind, "__torch_dispatch__", None)
        if handler not in _NO_HANDLER:
            return kind.__name__
    return ""


def dispatch_path(operator: str, *tensors: torch.Tensor) -> Table:
    """The keys that `operator` visits for these tensors, and who sits there.

    Args:
        operator: its name in the dispatcher, "aten::relu" or "aten::add.Tensor".

    Raises:
        KeyError: if there is no such operator.
    """
    stops = _owned(path(operator, visited(*tensors)), tensors)
    rows = [tuple(stop) for stop in stops]
    return Table(rows, ["key", "what sits there", "registered in"])
