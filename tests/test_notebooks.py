"""The lessons as stored: canonical, fresh, readable, and true when run again."""

from __future__ import annotations

import copy
import re
import statistics

import nbformat
import pytest

from course_utils import lesson, notebooks
from course_utils.paths import NOTEBOOKS, ROOT

LESSONS = lesson.texts()
each_lesson = pytest.mark.parametrize("text", LESSONS, ids=lambda p: p.stem)
PARTS = ("**What you will build", "**Before you start", "**Words", "**Recap")


def stored(text):
    return nbformat.read(lesson.notebook_of(text), 4)


def code_cells(notebook):
    return [c for c in notebook.cells if c.cell_type == "code"]


def prose_cells(notebook):
    return [c for c in notebook.cells if c.cell_type == "markdown"]


def tags(cell):
    return cell.metadata.get("tags", [])


def test_the_five_first_lessons_are_there():
    numbers = {p.name[:2] for p in LESSONS}
    assert numbers >= {"00", "10", "11", "12", "20"}


def test_every_notebook_has_a_text():
    built = {p.stem for p in NOTEBOOKS.glob("*.ipynb")}
    assert built == {p.stem for p in LESSONS}


@each_lesson
def test_text_and_notebook_hold_together(text):
    assert notebooks.disagreements(text) == []


@each_lesson
def test_no_file_or_output_is_too_large(text):
    path = lesson.notebook_of(text)
    assert path.stat().st_size <= notebooks.MOST_FILE
    for cell in code_cells(stored(text)):
        for output in cell.outputs:
            assert len(repr(output)) <= notebooks.MOST_OUTPUT, cell.source[:60]


@each_lesson
def test_nothing_of_one_machine_is_stored(text):
    raw = lesson.notebook_of(text).read_text()
    assert str(ROOT) not in raw
    assert not re.search(r"/(?:home|root|Users)/", raw)
    assert not re.search(r'"[^"]*0x[0-9a-f]{9,}', raw)


@each_lesson
def test_no_stored_cell_ended_in_an_error(text):
    for cell in code_cells(stored(text)):
        assert all(o.output_type != "error" for o in cell.outputs), cell.source[:60]


def test_most_outputs_are_compared(figures):
    with_output = compared = 0
    for text in LESSONS:
        cells = [c for c in code_cells(stored(text)) if c.outputs]
        strict = [c for c in cells if "nbval-ignore-output" not in tags(c)]
        with_output += len(cells)
        compared += len(strict)
        figures.append(
            f"outputs of {text.stem}: {len(strict)} of {len(cells)} compared"
        )
    figures.append(f"outputs of all lessons: {compared} of {with_output} compared")
    assert compared >= 0.85 * with_output


@each_lesson
def test_every_cell_twice_and_all_cells_twice(text):
    """As stored: re-running cells is what readers do."""
    _run_doubled(stored(text), "not attempted")


@each_lesson
def test_with_the_solutions_every_check_says_correct(text):
    """Solved, and every cell twice in a row, then all in order once more."""
    _run_doubled(notebooks.solved(stored(text)), "correct")


def _run_doubled(notebook, wanted):
    cells = []
    for cell in code_cells(notebook):
        cells += [copy.deepcopy(cell), copy.deepcopy(cell)]
    cells += [copy.deepcopy(c) for c in code_cells(notebook)]
    _run(notebook, cells, wanted)


def run_solved_once(notebook):
    """All cells in order, with the solutions put in: every check says correct."""
    solved = notebooks.solved(notebook)
    _run(solved, code_cells(solved), "correct")


def _run(notebook, cells, wanted):
    expected = {e.id for e in notebooks.exercises(notebook)}
    for i, cell in enumerate(cells):
        cell.outputs, cell.execution_count, cell.id = [], None, f"cell-{i}"
    made = nbformat.v4.new_notebook(cells=cells, metadata=lesson.METADATA)
    notebooks.execute(made)
    verdicts = {}
    for cell in made.cells:
        if "check" not in tags(cell):
            continue
        told = [
            o.metadata["course"]
            for o in cell.outputs
            if "course" in o.get("metadata", {})
        ]
        assert told, f"no verdict from {cell.source!r}"
        for verdict in told:
            verdicts.setdefault(verdict["id"], set()).add(verdict["status"])
    assert verdicts == {id: {wanted} for id in expected}


@each_lesson
def test_the_parts_of_a_lesson_are_there(text):
    notebook = stored(text)
    prose = "\n".join(c.source for c in prose_cells(notebook))
    title = notebook.cells[0].source.splitlines()[0]
    assert title.startswith(f"# {text.name[:2]} "), title
    for part in PARTS:
        assert part in prose, f"{text.name} lacks {part}"
    assert "Further reading" in prose
    assert re.search(r"\d+ minutes", prose)
    setup = [c for c in code_cells(notebook) if "setup" in tags(c)]
    assert len(setup) == 1 and setup[0] is code_cells(notebook)[0]
    assert setup[0].source == lesson.first_cell(*lesson.address())
    assert "https://github.com/pytorch/pytorch/blob/v2.13.0/" in prose


@each_lesson
def test_cells_are_small(text):
    cells = code_cells(stored(text))
    for cell in cells:
        lines = len(cell.source.splitlines())
        assert lines <= 25 or "long" in tags(cell), cell.source[:60]
    assert statistics.median(len(c.source.splitlines()) for c in cells) <= 8
    run = 0
    for cell in stored(text).cells:
        run = run + 1 if cell.cell_type == "code" else 0
        assert run <= 3, f"four code cells in a row, from {cell.source[:60]!r}"
    for cell in prose_cells(stored(text)):
        words = re.sub(r"\]\(\S+\)|[|]|---+", " ", cell.source).split()
        assert len(words) <= 150, cell.source[:60]


@each_lesson
def test_tags_are_known(text):
    for cell in stored(text).cells:
        assert set(tags(cell)) <= lesson.TAGS, cell.source[:60]


@each_lesson
def test_the_prose_keeps_its_voice(text):
    for cell in prose_cells(stored(text)):
        words = re.sub(r"```.*?```|`[^`]*`|\$[^$]*\$", "", cell.source, flags=re.S)
        words = re.sub(r"!\[", "[", words)
        assert "!" not in words, cell.source[:80]
        assert not re.search(r"\bsimply\b", words, re.I), cell.source[:80]
        assert not re.search("[\U0001f300-\U0001faff\u2600-\u27bf]", words)


@each_lesson
def test_each_exercise_names_its_help(text):
    prose = "\n".join(c.source for c in prose_cells(stored(text)))
    for found in notebooks.exercises(stored(text)):
        assert f"### Exercise {found.id}" in prose
        assert re.search(rf"hint\(\"{re.escape(found.id)}\"\)", prose), found.id
    code = "\n".join(c.source for c in code_cells(stored(text)))
    imported = re.search(r"from course_utils.check import (.*)", code)[1].split(", ")
    assert {"check", "hint", "solution"} <= set(imported)


@each_lesson
def test_code_in_cells_is_formatted_and_unused_names_are_not_imported(text):
    import subprocess
    import sys

    path = lesson.notebook_of(text)
    for action in (["check"], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *action, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
