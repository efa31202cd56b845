"""Reads and writes lessons: the text that people edit, the notebook that they read.

Used by `notebooks` and by the tests. A lesson's source is MyST text; its notebook is
built from it and never edited by hand.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from nbformat import NotebookNode

from course_utils.paths import NOTEBOOKS, ROOT, SOLUTIONS, lesson_of

TEXT = NOTEBOOKS / "text"
TEMPLATE = ROOT / "course_utils" / "first_cell.py"
TAGS = {"setup", "exercise", "check", "long", "legacy", "nbval-ignore-output"}
METADATA = {
    "colab": {"provenance": [], "toc_visible": True},
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
    },
}
_HEADER = """---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---
"""
_CHECK = re.compile(r'^check\("(\d\d\.\d+)", (\w+)\)$')


class Found(NamedTuple):
    """An exercise in a notebook: `index` is that of its starter cell."""

    id: str
    name: str
    starter: str
    index: int


def first_cell(repository: str = "", tag: str = "") -> str:
    """The first code cell of every lesson, with the address to fetch from."""
    text = TEMPLATE.read_text().rstrip("\n")
    return text.replace('REPO, TAG = "", ""', f'REPO, TAG = "{repository}", "{tag}"')


def address() -> tuple[str, str]:
    """The repository's address and tag in pyproject.toml; empty until published."""
    import tomllib

    table = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["course"]
    return table["repository"], table["tag"]


def texts(which: list[str] | None = None) -> list[Path]:
    """The lessons' sources in order, or those whose number is in `which`.

    Raises:
        SystemExit: if a number has no lesson.
    """
    found = sorted(TEXT.glob("[0-9][0-9]_*.md"))
    if not which:
        return found
    chosen = [p for p in found if p.name[:2] in which]
    unknown = set(which) - {p.name[:2] for p in chosen}
    if unknown:
        known = ", ".join(p.name[:2] for p in found)
        raise SystemExit(f"no lesson {', '.join(sorted(unknown))}; there are {known}")
    return chosen


def notebook_of(text: Path) -> Path:
    """notebooks/text/11_storage.md gives notebooks/11_storage.ipynb."""
    return NOTEBOOKS / f"{text.stem}.ipynb"


def read_text(path: Path) -> NotebookNode:
    """A lesson's source as a notebook without outputs; the first cell filled in."""
    import jupytext

    notebook = jupytext.read(path, fmt="md:myst")
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        cell.metadata = NotebookNode({"tags": list(tags)} if tags else {})
        if cell.cell_type == "code" and "setup" in tags:
            cell.source = first_cell(*address())
    return notebook


def write_text(notebook: NotebookNode) -> str:
    """A notebook as MyST text in canonical form."""
    import jupytext

    bare = nbformat.v4.new_notebook()
    for cell in notebook.cells:
        tags = cell.metadata.get("tags", [])
        source = cell.source
        if "setup" in tags:
            source = "SETUP"
        make = (
            nbformat.v4.new_code_cell
            if cell.cell_type == "code"
            else nbformat.v4.new_markdown_cell
        )
        bare.cells.append(make(source, metadata={"tags": list(tags)} if tags else {}))
    body = jupytext.writes(bare, fmt="md:myst")
    body = re.sub(r"\A---\n.*?\n---\n", "", body, flags=re.S)
    body = body.replace("```{code-cell}\n", "```{code-cell} ipython3\n")
    return _HEADER + body.rstrip("\n") + "\n"


def code_hash(notebook: NotebookNode) -> str:
    """A hash of the code cells but the first: outputs with it belong to this code."""
    code = [
        (c.source, c.metadata.get("tags", []))
        for c in notebook.cells
        if c.cell_type == "code" and "setup" not in c.metadata.get("tags", [])
    ]
    return hashlib.sha256(repr(code).encode()).hexdigest()[:16]


def name_cells(notebook: NotebookNode) -> None:
    """Gives each cell an id from its text, so that an insertion moves no other id."""
    seen: dict[str, int] = {}
    for cell in notebook.cells:
        setup = "setup" in cell.metadata.get("tags", [])
        text = "setup" if setup else cell.cell_type + cell.source
        digest = hashlib.sha256(text.encode()).hexdigest()[:8]
        seen[digest] = seen.get(digest, 0) + 1
        n = seen[digest]
        cell.id = digest if n == 1 else f"{digest}-{n}"


def serialize(notebook: NotebookNode) -> str:
    """The canonical bytes of a notebook."""
    course = {"code": code_hash(notebook)}
    notebook.metadata = nbformat.from_dict({**METADATA, "course": course})
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    name_cells(notebook)
    nbformat.validate(notebook)
    return nbformat.writes(notebook, indent=1) + "\n"


def exercises(notebook: Path | NotebookNode) -> list[Found]:
    """The exercises of a notebook: each starter is followed by its check.

    Raises:
        ValueError: if a starter has no check behind it.
    """
    if isinstance(notebook, Path):
        notebook = nbformat.read(notebook, 4)
    code = [(i, c) for i, c in enumerate(notebook.cells) if c.cell_type == "code"]
    found = []
    for k, (i, cell) in enumerate(code):
        if "exercise" not in cell.metadata.get("tags", []):
            continue
        after: Any = code[k + 1][1] if k + 1 < len(code) else None
        match = after and _CHECK.match(after.source.strip())
        if not match or "check" not in after.metadata.get("tags", []):
            raise ValueError(
                'expected a cell `check("NN.k", name)` tagged check behind the '
                f"exercise {cell.source[:60]!r}"
            )
        found.append(Found(match[1], match[2], cell.source, i))
    return found


def solution_of(found: Found) -> str:
    """The text that solves a starter cell; `%%cpp` cells keep their first line.

    Raises:
        FileNotFoundError: if there is no solution.
    """
    stem = f"{lesson_of(found.id)}_{found.id.split('.')[1]}_{found.name}"
    for path in sorted(SOLUTIONS.glob(f"{stem}.*")):
        text = path.read_text().rstrip("\n")
        if path.suffix == ".py":
            return text
        return found.starter.split("\n", 1)[0] + "\n" + text
    raise FileNotFoundError(f"expected course_utils/solutions/{stem}.py or .cpp or .cu")


def solved(notebook: NotebookNode) -> NotebookNode:
    """A copy with every starter replaced by its solution and no outputs."""
    copy = nbformat.reads(nbformat.writes(notebook), 4)
    for found in exercises(copy):
        copy.cells[found.index].source = solution_of(found)
    for cell in copy.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return copy
