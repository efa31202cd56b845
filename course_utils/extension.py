"""What a build returns: operators that load themselves where they are used.

Used through `build`. Before a library comes into the reader's own process it is loaded
in a child that holds the same ones, since a bad one ends the process that loads it.
"""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course_utils.compiler import BuildError

_loaded: dict[str, Any] = {}  # path of the library -> the pybind module, or None


@dataclass(frozen=True)
class FailedBuild:
    """Stands for a cell that did not compile, so that no older build is judged."""

    name: str
    error: BuildError = field(compare=False)

    @property
    def build_error(self) -> str:
        return self.error.summary

    def __repr__(self) -> str:
        return f"{self.name}: did not compile ({self.build_error})"


@dataclass(frozen=True)
class Extension:
    """A compiled library; its attributes are the operators it registers.

    It loads itself where it is first used, in whatever process that is.

    Attributes:
        namespace: the operators are `torch.ops.<namespace>.<name>`.
        path: the shared library. source: its text. seconds: what compiling took.
        cached: whether an earlier build was found.
    """

    name: str
    form: str
    namespace: str
    path: Path
    source: str
    seconds: float = field(default=0.0, compare=False)
    cached: bool = field(default=False, compare=False)

    def load(self) -> Any:
        """Loads the library into this process, once, after a trial in another.

        Raises:
            BuildError: if loading would end the process.
        """
        import torch

        from course_utils import nursery

        key = str(self.path)
        if key in _loaded:
            return _loaded[key]
        if not nursery.in_child():
            _try_loading(self)
        if self.form == "pybind":
            spec = importlib.util.spec_from_file_location(self.namespace, self.path)
            assert spec and spec.loader
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            _loaded[key] = module
        else:
            torch.ops.load_library(key)
            _loaded[key] = None
        return _loaded[key]

    def operators(self) -> list[str]:
        """The names of what the library offers."""
        import torch

        module = self.load()
        if module is not None:
            return sorted(n for n in vars(module) if not n.startswith("_"))
        found = torch._C._dispatch_get_all_op_names()
        mine = {n.split("::")[1] for n in found if n.startswith(f"{self.namespace}::")}
        return sorted(n.split(".")[0] for n in mine)

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        import torch

        module = self.load()
        place = module if module is not None else getattr(torch.ops, self.namespace)
        try:
            return getattr(place, attribute)
        except AttributeError:
            known = ", ".join(self.operators()) or "none"
            hint = ""
            if not self.operators() and "TORCH_LIBRARY(" in self.source:
                hint = "; does it say TORCH_LIBRARY(COURSE_NAMESPACE, m)?"
            raise AttributeError(
                f"{self.name} has no operator {attribute!r}; it has: {known}{hint}"
            ) from None

    def __repr__(self) -> str:
        return f"{self.name}: {', '.join(self.operators()) or 'no operators'}"


_TAKEN = (
    "the namespace {space} is registered in this process already, and registering it "
    "again would end the process; write COURSE_NAMESPACE in its place, which is new "
    "for every build"
)
_REGISTERS = re.compile(r"\b(?:STABLE_)?TORCH_LIBRARY\(\s*(\w+)\s*,")


def _try_loading(extension: Extension) -> None:
    """Loads the library in a child that already holds what this process holds."""
    from course_utils import isolate

    for space in _REGISTERS.findall(extension.source):
        if space != "COURSE_NAMESPACE" and _is_taken(space):
            raise BuildError(_TAKEN.format(space=space))

    if extension.form == "pybind":
        outcome = isolate.run(_import_pybind, str(extension.path), extension.namespace)
    else:
        earlier = [path for path, module in _loaded.items() if module is None]
        outcome = isolate.run(
            _nothing, libraries=[*earlier, str(extension.path)], time_limit=60
        )
    if outcome.ok:
        return
    said = f"{outcome.output}{outcome.traceback}"
    if "Only a single TORCH_LIBRARY" in said or "multiple times" in said:
        raise BuildError(_TAKEN.format(space=extension.namespace), said)
    missing = re.search(r"undefined symbol: (\S+)", said)
    if missing:
        raise BuildError(
            f"{extension.name} calls something that is declared and nowhere defined "
            f"(undefined symbol: {_demangle(missing[1])})",
            said,
        )
    raise BuildError(f"loading {extension.name} {outcome.sentence}", said)


def _demangle(symbol: str) -> str:
    import torch

    readable = getattr(torch._C, "_demangle", None)
    return readable(symbol) if readable else symbol


def _is_taken(space: str) -> bool:
    import torch

    names = torch._C._dispatch_get_all_op_names()
    return any(name.startswith(f"{space}::") for name in names)


def _nothing() -> None:
    pass


def _import_pybind(path: str, name: str) -> None:
    import torch  # noqa: F401

    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
