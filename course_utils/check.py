"""What a reader calls: `check`, `hint`, `solution`, `progress`.

Every exercise of every lesson uses them. `check` never raises and never harms the
notebook: the answer runs in a process of its own (`isolate`).
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from course_utils import answers, exercise, isolate
from course_utils import progress as _progress
from course_utils.paths import ROOT, SOLUTIONS, lesson_of, topic_of
from course_utils.result import Result
from course_utils.source import show
from course_utils.table import Table

_START = "Replace the `...` in the cell above, run that cell, then run this one again."


def check(id: str, answer: Any = ...) -> Result:
    """Judges an answer and says what is right, or what is wrong and why.

    Args:
        id: the exercise, "20.3".
        answer: what the starter cell above defines.

    Returns:
        A `Result`, which the notebook shows as a box; true where the answer is right.
    """
    try:
        contract = exercise.find(id)
    except KeyError as error:
        return Result(str(id), "", "broken", sentence=str(error.args[0]))
    except Exception as error:  # a contract that cannot be imported is our fault
        text = f"its contract cannot be loaded ({type(error).__name__}: {error})"
        return Result(str(id), "", "broken", sentence=text)
    try:
        result = _judged(contract, answer)
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        return Result(contract.id, contract.title, "broken", sentence=text)
    if result.status in ("correct", "wrong"):
        _progress.tried(contract.id, result.status)
    return result


def _judged(contract: exercise.Exercise, answer: Any) -> Result:
    if answers.is_unattempted(answer):
        return Result(contract.id, contract.title, "not attempted", advice=_START)
    failed = getattr(answer, "build_error", None)
    if isinstance(failed, str):
        return _wrong(contract, 0, f"it did not compile: {failed}")
    misfit = _misfit(contract, answer)
    if misfit:
        return _wrong(contract, 0, misfit)
    outcome = isolate.run(
        exercise.judge, contract.id, answer, time_limit=contract.time_limit
    )
    if outcome.ok and outcome.value["status"] == "correct":
        return Result(
            contract.id, contract.title, "correct", cases=outcome.value["cases"]
        )
    if outcome.ok:
        return _from_verdict(contract, outcome)
    if outcome.ended == "raised" and outcome.error not in ("SystemExit", "MemoryError"):
        return Result(
            contract.id,
            contract.title,
            "broken",
            sentence=f"please report this: {outcome.error}: {outcome.message[:300]}",
            trace=outcome.traceback,
        )
    result = _wrong(contract, 0, f"it {outcome.sentence}")
    if outcome.stage:
        result.facts.append(("in the case", outcome.stage))
    result.printed = outcome.output
    return result


def _misfit(contract: exercise.Exercise, answer: Any) -> str:
    """A sentence where the answer is not the kind of thing that is asked for."""
    name, got = contract.name, f"a {type(answer).__name__}"
    if contract.kind == "value":
        if callable(answer) and not isinstance(answer, type):
            return f"`{name}` is a function; the answer is a value, so call it"
        return ""
    if contract.kind == "class" and not isinstance(answer, type):
        return f"`{name}` is {got}; pass the class itself, not an object of it"
    if contract.kind == "function" and not callable(answer):
        return f"`{name}` is {got}; pass the function itself, without calling it"
    if contract.kind in ("cpp", "cuda") and not hasattr(answer, "source"):
        return f"`{name}` is {got}; pass the name that `%%{contract.kind}` defined"
    return ""


def _wrong(contract: exercise.Exercise, cases: int, sentence: str) -> Result:
    tries = _progress.read().get(contract.id, {}).get("tries", 0)
    offer = f'`hint("{contract.id}")` gives a hint'
    if tries >= 2:
        offer += f', `solution("{contract.id}")` shows a solution'
    return Result(
        contract.id, contract.title, "wrong", cases, sentence, advice=f"{offer}."
    )


def _from_verdict(contract: exercise.Exercise, outcome: isolate.Outcome) -> Result:
    verdict = outcome.value
    result = _wrong(contract, verdict["cases"], verdict["sentence"])
    labels = (("case", "case"), ("call", "input"), ("got", "got"), ("want", "expected"))
    result.facts = [(words, verdict[k]) for k, words in labels if verdict[k]]
    result.printed, result.trace = outcome.output, verdict["trace"]
    return result


@contextmanager
def expect_error(
    kind: type[BaseException] | tuple[type[BaseException], ...], contains: str = ""
) -> Iterator[None]:
    """Shows an error that is raised on purpose, and fails if it is not.

    Args:
        kind: the exception's type, or several.
        contains: a part of the message that must be there.

    Raises:
        AssertionError: if nothing was raised, or the message lacks `contains`.
    """
    try:
        yield
    except kind as error:
        text = str(error)
        if contains not in text:
            raise AssertionError(
                f"expected a message with {contains!r}, got {text!r}"
            ) from error
        lines = [line for line in text.splitlines() if line.strip()][:4]
        print(f"{type(error).__name__}: " + "\n".join(line[:300] for line in lines))
        return
    names = [k.__name__ for k in (kind if isinstance(kind, tuple) else (kind,))]
    raise AssertionError(f"expected {' or '.join(names)}, but nothing was raised")


class _Text:
    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return self.text


class _Folded:
    """Something shown in a notebook only after a click."""

    def __init__(self, title: str, inner: Any) -> None:
        self.title, self.inner = title, inner

    def __repr__(self) -> str:
        return f"{self.title}\n{self.inner!r}"

    def _repr_html_(self) -> str:
        body = self.inner._repr_html_()
        return f"<details><summary>{html.escape(self.title)}</summary>{body}</details>"


def hint(id: str) -> Any:
    """One more hint at each call; after the last one it begins again."""
    try:
        contract = exercise.find(id)
    except KeyError as error:
        return _Text(str(error.args[0]))
    number = _progress.hinted(contract.id) % len(contract.hints)
    head = f"Hint {number + 1} of {len(contract.hints)} for {contract.id}: "
    return _Text(head + contract.hints[number])


def solution(id: str) -> Any:
    """The tested solution, folded; click to see it."""
    try:
        contract = exercise.find(id)
    except KeyError as error:
        return _Text(str(error.args[0]))
    path = solution_file(contract).relative_to(ROOT)
    return _Folded(f"Solution of {contract.id} (click to open)", show(path))


def solution_file(contract: exercise.Exercise) -> Any:
    """The file that holds an exercise's solution.

    Raises:
        FileNotFoundError: if there is none.
    """
    lesson, number = contract.id.split(".")
    stem = f"{lesson}_{number}_{contract.name}"
    for path in sorted(SOLUTIONS.glob(f"{stem}.*")):
        return path
    raise FileNotFoundError(f"expected {SOLUTIONS.name}/{stem}.py or .cpp or .cu")


def progress() -> Table:
    """A table of all exercises: solved, tried, not yet tried."""
    records = _progress.read()
    rows = []
    for contract in exercise.everything():
        record = records.get(contract.id, {})
        topic = topic_of(lesson_of(contract.id)) or ""
        rows.append(
            (
                contract.id,
                f"{lesson_of(contract.id)}_{topic}",
                contract.title,
                "●" * contract.difficulty,
                record.get("status", "not attempted"),
                record.get("tries", 0),
            )
        )
    done = sum(row[4] == "correct" for row in rows)
    columns = ["", "lesson", "exercise", "difficulty", "status", "tries"]
    return Table(rows, columns, title=f"{done} of {len(rows)} exercises solved")


check.expect_error = expect_error
