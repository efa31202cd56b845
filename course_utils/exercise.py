"""An exercise is a contract in code: what goes in, what must come out, what to say.

Contracts live in `course_utils/exercises/<topic>.py`, one function per exercise, named
as the reader's answer is named. Each runs inside `isolate` and reports to a `Trial`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from course_utils.paths import lesson_of, topic_of
from course_utils.trial import Trial as Trial
from course_utils.trial import Wrong as Wrong

KINDS = ("function", "class", "value", "cpp", "cuda")

_registry: dict[str, Exercise] = {}


@dataclass(frozen=True)
class Exercise:
    """One exercise: its contract and what is printed about it.

    Attributes:
        id: lesson and number, "20.3".
        name: the name that the starter cell defines.
        judge: called with the answer and a `Trial`; returns if the answer is right.
        kind: one of `KINDS`; "value" is a prediction, given as plain data.
        time_limit: seconds for the whole check.
    """

    id: str
    title: str
    name: str
    judge: Callable[[Any, Trial], None]
    difficulty: int
    minutes: int
    kind: str
    hints: tuple[str, ...]
    time_limit: float


def exercise(
    id: str,
    title: str,
    *,
    difficulty: int,
    minutes: int,
    hints: Sequence[str],
    kind: str = "function",
    time_limit: float = 10.0,
) -> Callable:
    """Registers the decorated judge; its name is the name of the reader's answer.

    Raises:
        ValueError: for an unknown kind, a difficulty outside 1 to 3, or an id that
            another exercise has.
    """
    if kind not in KINDS:
        raise ValueError(f"{id}: expected a kind of {KINDS}, got {kind!r}")
    if difficulty not in (1, 2, 3):
        raise ValueError(f"{id}: expected a difficulty of 1, 2 or 3, got {difficulty}")

    def register(judge: Callable[[Any, Trial], None]) -> Callable:
        known = _registry.get(id)
        if known and known.judge.__module__ != judge.__module__:
            raise ValueError(f"{id} is taken by {known.judge.__module__}")
        _registry[id] = Exercise(
            id,
            title,
            judge.__name__,
            judge,
            difficulty,
            minutes,
            kind,
            tuple(hints),
            time_limit,
        )
        return judge

    return register


def find(id: str) -> Exercise:
    """The exercise with this id, "20.3".

    Raises:
        KeyError: if there is none; the message lists the ids of that lesson.
    """
    id = str(id)
    if id not in _registry:
        topic = topic_of(lesson_of(id))
        if topic:
            _import(topic)
    if id not in _registry:
        everything()
    if id not in _registry:
        near = [k for k in sorted(_registry) if lesson_of(k) == lesson_of(id)]
        known = ", ".join(near or sorted(_registry))
        raise KeyError(f"no exercise {id!r}; there are {known}")
    return _registry[id]


def everything() -> list[Exercise]:
    """Every exercise of the course, in order."""
    from course_utils import exercises

    for module in pkgutil.iter_modules(exercises.__path__):
        _import(module.name)
    return [_registry[k] for k in sorted(_registry)]


def _import(topic: str) -> None:
    name = f"course_utils.exercises.{topic}"
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise


def judge(id: str, answer: Any) -> dict[str, Any]:
    """Runs in the isolated child: judges and returns plain data for the parent."""
    trial = Trial()
    try:
        find(id).judge(answer, trial)
    except Wrong as wrong:
        return {"status": "wrong", "cases": trial.cases, **vars(wrong)}
    return {"status": "correct", "cases": trial.cases}
