"""Tells an answer from a starter that nobody has touched yet.

Used by `check`. A starter ends in `...`; whatever still holds one as a statement, as
the value of an assignment or behind `return` has not been attempted.
"""

from __future__ import annotations

import ast
import dis
import inspect
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any


@dataclass(frozen=True)
class Unattempted:
    """Stands for a `%%cpp` or `%%cuda` cell that still has its line `...`."""

    name: str

    def __repr__(self) -> str:
        return f"{self.name}: not attempted yet (a line of the cell is still `...`)"

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        raise AttributeError(f"{self!r}, so it has no {attribute!r}")


def has_gap(source: str) -> bool:
    """Whether a C++ or CUDA cell has a line that is only `...`."""
    return any(line.strip() == "..." for line in source.splitlines())


def is_unattempted(answer: Any) -> bool:
    """Whether the answer is still the starter."""
    if answer is ... or isinstance(answer, Unattempted):
        return True
    if isinstance(answer, list | tuple | set | frozenset):
        return any(is_unattempted(part) for part in answer)
    if isinstance(answer, Mapping):
        return any(is_unattempted(part) for part in answer.values())
    if isinstance(answer, FunctionType):
        return _function_has_gap(answer)
    if inspect.isclass(answer):
        return any(_method_has_gap(method) for method in vars(answer).values())
    return False


def _method_has_gap(method: Any) -> bool:
    if isinstance(method, staticmethod | classmethod):
        method = method.__func__
    return isinstance(method, FunctionType) and _function_has_gap(method)


def _function_has_gap(function: FunctionType) -> bool:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError, IndexError):
        return _returns_nothing(function)
    top = tree.body[0]
    if getattr(top, "name", None) != function.__name__:  # a lambda, or a wrapper
        return _returns_nothing(function)
    return any(_is_gap(node) for node in ast.walk(top))


def _is_gap(node: ast.AST) -> bool:
    held = None
    if isinstance(node, ast.Expr | ast.Return | ast.Assign | ast.AnnAssign):
        held = node.value
    return isinstance(held, ast.Constant) and held.value is ...


def _returns_nothing(function: FunctionType) -> bool:
    """Without source text: a body that is only a docstring, `...` or `pass`."""
    code = function.__code__
    names = [i.opname for i in dis.get_instructions(code)]
    working = [n for n in names if n not in ("RESUME", "NOP", "CACHE")]
    if working not in (["LOAD_CONST", "RETURN_VALUE"], ["RETURN_CONST"]):
        return False
    return all(c is None or c == function.__doc__ for c in code.co_consts)
