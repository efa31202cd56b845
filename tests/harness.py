"""Turns answer files into the objects that a notebook would hand to `check`."""

from __future__ import annotations

import ast
import linecache
from pathlib import Path
from typing import Any

from course_utils import answers, build, exercise, isolate
from course_utils.check import _judged
from course_utils.result import Result

WRONG = Path(__file__).parent / "wrong"
_count = 0


def load(contract: exercise.Exercise, source: str, context: str = "") -> Any:
    """The object that the source defines under the exercise's name.

    Args:
        context: Python run first, for starters that rely on their notebook's imports.
    """
    if contract.kind == "cpp":
        if answers.has_gap(source):
            return answers.Unattempted(contract.name)
        try:
            return build.cpp(source, contract.name)
        except build.BuildError as error:
            return build.FailedBuild(contract.name, error)
    global _count
    _count += 1
    name = f"<answer {_count} to {contract.id}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(context, "<context>", "exec"), space)
    exec(compile(source, name, "exec"), space)
    return space[contract.name]


def judge(contract: exercise.Exercise, answer: Any) -> Result:
    """As `check` does, without touching anybody's progress file."""
    return _judged(contract, answer)


def survives(contract: exercise.Exercise, source: str) -> bool | None:
    """Whether a mutant is called correct; None where it is no program at all."""
    try:
        answer = load(contract, source)
    except SyntaxError:
        return None
    except Exception:
        return False
    if contract.kind == "cpp" and isinstance(answer, build.FailedBuild):
        return None
    if answers.is_unattempted(answer):
        return None
    limit = min(contract.time_limit, 6.0)
    outcome = isolate.run(exercise.judge, contract.id, answer, time_limit=limit)
    return bool(outcome.ok and outcome.value["status"] == "correct")


def imports_of(cells: list[str]) -> str:
    """The import statements of a notebook's code cells, as one text."""
    lines = []
    for cell in cells:
        if cell.startswith("%%"):
            continue
        try:
            tree = ast.parse(cell)
        except SyntaxError:
            continue
        lines += [
            ast.unparse(node)
            for node in tree.body
            if isinstance(node, ast.Import | ast.ImportFrom)
        ]
    return "\n".join(lines)
