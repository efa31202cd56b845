"""The judges are judged: starters, solutions, plausible wrong answers, mutants."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import harness
import mutants
import nbformat
import pytest

from course_utils import exercise, notebooks
from course_utils.check import solution_file
from course_utils.paths import NOTEBOOKS, lesson_of, topic_of

EXERCISES = exercise.everything()
EQUIVALENT = tomllib.loads(
    (Path(__file__).parent / "equivalent_mutants.toml").read_text()
)
COUNTS: dict[str, tuple[int, int, int]] = {}
each_exercise = pytest.mark.parametrize("contract", EXERCISES, ids=lambda e: e.id)


def notebook_of(contract: exercise.Exercise) -> Path:
    lesson = lesson_of(contract.id)
    return NOTEBOOKS / f"{lesson}_{topic_of(lesson)}.ipynb"


def wrong_answers(contract: exercise.Exercise) -> list[Path]:
    lesson, number = contract.id.split(".")
    folder = harness.WRONG / f"{lesson}_{number}_{contract.name}"
    return sorted(p for p in folder.glob("*") if p.suffix in (".py", ".cpp", ".cu"))


def test_there_are_at_least_fourteen_exercises():
    assert len(EXERCISES) >= 14


@each_exercise
def test_the_starter_is_not_attempted_yet(contract):
    notebook = notebook_of(contract)
    found = [e for e in notebooks.exercises(notebook) if e[0] == contract.id]
    assert len(found) == 1, f"{notebook.name} has {len(found)} cells for {contract.id}"
    _, name, starter, _ = found[0]
    assert name == contract.name
    if starter.startswith("%%"):
        starter = starter.split("\n", 1)[1]
    cells = nbformat.read(notebook, 4).cells
    context = harness.imports_of([c.source for c in cells if c.cell_type == "code"])
    result = harness.judge(contract, harness.load(contract, starter, context))
    assert result.status == "not attempted", repr(result)


@each_exercise
def test_the_solution_is_correct(contract):
    source = solution_file(contract).read_text()
    result = harness.judge(contract, harness.load(contract, source))
    assert result.status == "correct", repr(result)
    assert result.cases >= 1


@each_exercise
def test_there_are_three_hints(contract):
    assert len(contract.hints) >= 3
    assert len(set(contract.hints)) == len(contract.hints)


@each_exercise
def test_wrong_answers_get_their_own_sentences(contract):
    files = wrong_answers(contract)
    assert len(files) >= 3, f"{contract.id}: {len(files)} wrong answers, wanted 3"
    sentences = {}
    for path in files:
        source = path.read_text()
        head = re.match(r"(?:#|//) expect: (.+)", source)
        assert head, f"{path.name}: the first line must be `# expect: ...`"
        result = harness.judge(contract, harness.load(contract, source))
        assert result.status == "wrong", f"{path.name}: {result!r}"
        assert head[1].strip() in result.sentence, f"{path.name}: {result!r}"
        sentences.setdefault(result.sentence, []).append(path.name)
    assert len(sentences) >= 3, f"too few different sentences: {sentences}"


@each_exercise
def test_no_mutant_of_the_solution_is_called_correct(contract):
    path = solution_file(contract)
    listed = {m["change"]: m["reason"] for m in EQUIVALENT.get(contract.id, [])}
    made = mutants.of(path.read_text(), path.suffix, contract.kind == "value")
    alive, killed, stillborn = [], 0, 0
    for mutant in made:
        verdict = harness.survives(contract, mutant.source)
        if verdict is None:
            stillborn += 1
        elif verdict:
            alive.append(mutant.change)
        else:
            killed += 1
    COUNTS[contract.id] = (killed + len(alive), killed, len(listed))
    unlisted = [m for m in alive if m not in listed]
    stale = [m for m in listed if m not in alive]
    assert not unlisted, f"called correct: {unlisted}"
    assert not stale, f"no longer equivalent, take off the list: {stale}"
    assert all(len(reason) > 20 for reason in listed.values())
    assert killed, f"{contract.id}: {len(made)} mutants, {stillborn} do not compile"


def test_the_count_of_mutants(figures, request):
    """Each mutant was killed or is listed as equivalent; prints how many."""
    total, killed, equivalent = (sum(c[i] for c in COUNTS.values()) for i in range(3))
    figures.append(
        f"mutants of {len(COUNTS)} exercises: {total}, killed: {killed}, "
        f"equivalent: {equivalent}"
    )
    assert total == killed + equivalent
    if len(request.session.items) > 100:  # the whole file runs, not a part of it
        assert len(COUNTS) == len(EXERCISES)
