"""The notebook tool behind `make nb`, `make pull`, `make fmt` and `make publish`.

python -m course_utils.notebooks build [NN ...]     text -> executed notebook
python -m course_utils.notebooks check [NN ...]     do they hold together?
python -m course_utils.notebooks pull NN            notebook -> text
python -m course_utils.notebooks fmt                formats text, Python and C++
python -m course_utils.notebooks publish REPO TAG   sets the address everywhere
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from course_utils import lesson, readme
from course_utils.environment import HELD
from course_utils.lesson import exercises as exercises
from course_utils.lesson import solved as solved
from course_utils.paths import CSRC, NOTEBOOKS, ROOT

_NORMAL = [
    (re.compile(r"\x1b\[[0-9;]*m"), ""),
    (re.compile(r"/tmp/ipykernel_\d+/\d+\.py"), "/tmp/ipykernel/cell.py"),
    (re.compile(r"0x[0-9a-f]{9,16}"), "0x..."),
    (re.compile(r"/tmp/tmp\w+"), "/tmp/tmp..."),
    (re.compile(re.escape(str(ROOT)) + "/?"), ""),
    (re.compile(re.escape(str(Path.home())) + "/"), "~/"),
]
MOST_OUTPUT = 100_000  # bytes in one output
MOST_FILE = 400_000  # bytes in one notebook


def execute(notebook: NotebookNode, timeout: int = 900, **environment: str) -> None:
    """Runs all cells in place, in the notebooks' folder, with a progress file of its
    own.

    Raises:
        nbclient.exceptions.CellExecutionError: if a cell raises.
    """
    from nbclient import NotebookClient
    from traitlets.config import Config

    config = Config()
    config.KernelManager.transport_encryption = "auto"
    client = NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        coalesce_streams=True,
        config=config,
        resources={"metadata": {"path": str(NOTEBOOKS)}},
    )
    with tempfile.TemporaryDirectory() as folder:
        progress = str(Path(folder) / "progress.json")
        held = {**HELD, "COURSE_PROGRESS": progress, **environment}
        client.execute(env={**os.environ, **held})


def normalize(notebook: NotebookNode) -> None:
    """Takes out of the outputs what differs from run to run or machine to machine."""
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        cell.metadata.pop("execution", None)
        for output in cell.outputs:
            if "text" in output:
                output.text = _normal(output.text)
            if "traceback" in output:
                output.traceback = [_normal(t) for t in output.traceback]
            for kind, data in output.get("data", {}).items():
                if kind.startswith("text/") and isinstance(data, str):
                    output.data[kind] = _normal(data)


def _normal(text: str) -> str:
    for pattern, replacement in _NORMAL:
        text = pattern.sub(replacement, text)
    return text


def build(text: Path) -> str:
    """The notebook of a lesson, executed unsolved, as canonical bytes."""
    notebook = lesson.read_text(text)
    execute(notebook)
    normalize(notebook)
    return lesson.serialize(notebook)


def disagreements(text: Path) -> list[str]:
    """Where a lesson's text and notebook do not hold together, in sentences."""
    path = lesson.notebook_of(text)
    number = path.name[:2]
    if not path.exists():
        return [f"{path.name} is missing; run: make nb NB={number}"]
    raw = path.read_text()
    stored = nbformat.reads(raw, 4)
    wanted = lesson.read_text(text)
    mend = f"run: make nb NB={number} (or make pull NB={number} to keep its edits)"
    found = []
    if len(stored.cells) != len(wanted.cells):
        found.append(
            f"{path.name} has {len(stored.cells)} cells, its text "
            f"{len(wanted.cells)}; {mend}"
        )
    for i, (mine, theirs) in enumerate(zip(stored.cells, wanted.cells, strict=False)):
        same = (
            mine.cell_type == theirs.cell_type
            and mine.source == theirs.source
            and mine.metadata.get("tags", []) == theirs.metadata.get("tags", [])
        )
        if not same:
            head = theirs.source[:50].splitlines()[:1]
            found.append(
                f"{path.name}, cell {i} ({head}) differs from its text; {mend}"
            )
            break
    if stored.metadata.get("course", {}).get("code") != lesson.code_hash(stored):
        found.append(f"{path.name}: its outputs belong to other code; {mend}")
    for cell in stored.cells:
        if cell.cell_type == "code" and cell.execution_count is None:
            found.append(f"{path.name}: a cell was never run; {mend}")
            break
    if raw != lesson.serialize(nbformat.reads(raw, 4)):
        found.append(f"{path.name} is not in canonical form; {mend}")
    if text.read_text() != lesson.write_text(wanted):
        found.append(f"{text.name} is not in canonical form; run: make fmt")
    return found


def publish(repository: str, tag: str) -> None:
    """Puts the address into pyproject.toml, the notebooks' first cells and README.

    Args:
        repository: "owner/name" on GitHub, or any address that git can clone.
    """
    if re.fullmatch(r"[\w.-]+/[\w.-]+", repository):
        repository = f"https://github.com/{repository}"
    path = ROOT / "pyproject.toml"
    text = path.read_text()
    for key, value in (("repository", repository), ("tag", tag)):
        text = re.sub(rf'(?m)^{key} = ".*"$', f'{key} = "{value}"', text, count=1)
    path.write_text(text)
    for source in lesson.texts():
        notebook = lesson.notebook_of(source)
        stored = nbformat.read(notebook, 4)
        for cell in stored.cells:
            if "setup" in cell.metadata.get("tags", []):
                cell.source = lesson.first_cell(repository, tag)
        notebook.write_text(lesson.serialize(stored))
    _write_readme()


def _write_readme() -> None:
    path = ROOT / "README.md"
    path.write_text(readme.with_table(path.read_text()))


def _format() -> int:
    for text in lesson.texts():
        canonical = lesson.write_text(lesson.read_text(text))
        if text.read_text() != canonical:
            text.write_text(canonical)
            print(f"{text.name}: canonical form")
    _write_readme()
    code = 0
    for action in (["check", "--fix", "-q"], ["format", "-q"]):
        command = [sys.executable, "-m", "ruff", *action, "--exclude", "*.ipynb"]
        code |= subprocess.run([*command, str(ROOT)]).returncode
    clang = shutil.which("clang-format")
    files = [str(p) for s in ("*.cpp", "*.h", "*.cu") for p in CSRC.rglob(s)]
    if clang and files:
        code |= subprocess.run([clang, "-i", *files]).returncode
    return code


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("action", choices=["build", "check", "pull", "fmt", "publish"])
    parser.add_argument("which", nargs="*", help="numbers of lessons; all if none")
    given = parser.parse_args(arguments)
    if given.action == "fmt":
        return _format()
    if given.action == "publish":
        if len(given.which) != 2:
            parser.error("publish wants a repository and a tag")
        publish(*given.which)
        return 0
    bad = 0
    for text in lesson.texts(given.which):
        if given.action == "pull":
            stored = nbformat.read(lesson.notebook_of(text), 4)
            text.write_text(lesson.write_text(stored))
            print(f"{text.name}: written from its notebook")
        elif given.action == "check":
            found = disagreements(text)
            bad += bool(found)
            print("\n".join(found) or f"{text.name}: holds together")
        else:
            begin = time.perf_counter()
            made = build(text)
            lesson.notebook_of(text).write_text(made)
            seconds = time.perf_counter() - begin
            print(
                f"{lesson.notebook_of(text).name}: {seconds:.1f} s, {len(made):,} bytes"
            )
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
