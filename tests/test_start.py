"""The first cell works in a clone and without one, and touches no torch."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from course_utils import lesson, start
from course_utils.paths import ROOT

CELL = lesson.first_cell()


def run(cell: str, folder: Path, python: str = sys.executable, **environment: str):
    """Runs the cell twice in one process, as a reader would, far from any clone."""
    held = dict(os.environ)
    paths = held.pop("PYTHONPATH", "").split(os.pathsep)  # may hold Jupyter's wheels
    others = [p for p in paths if p and Path(p).resolve() != ROOT]
    if others:
        held["PYTHONPATH"] = os.pathsep.join(others)
    program = f"cell = {cell!r}\nexec(cell, {{}})\nprint('--')\nexec(cell, {{}})\n"
    return subprocess.run(
        [python, "-c", program],
        cwd=folder,
        env={**held, **environment},
        capture_output=True,
        text=True,
    )


@pytest.fixture(scope="module")
def remote(tmp_path_factory):
    """A git remote with what is checked out here, committed or not, at a tag."""
    folder = tmp_path_factory.mktemp("remote")
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.split(b"\0")
    for name in filter(None, names):
        path = ROOT / name.decode()
        if path.is_file():
            copy = folder / name.decode()
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    identity = ["-c", "user.name=test", "-c", "user.email=test@example.invalid"]
    for command in (
        ["init", "-q"],
        ["add", "-A"],
        [*identity, "commit", "-q", "-m", "course"],
        ["tag", "v-test"],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def other_python(tmp_path_factory):
    """A fresh environment that has torch and all else, but not the course."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True, symlinks=True)
    library = next(folder.glob("lib/python*/site-packages"))
    packages = Path(os.path.dirname(os.path.dirname(__import__("torch").__file__)))
    for entry in packages.iterdir():
        if "under_the_hood" in entry.name or entry.name.startswith("_"):
            continue
        link = library / entry.name
        if not link.exists():
            link.symlink_to(entry)
    return str(folder / "bin" / "python")


def test_without_a_clone_and_an_address_the_cell_refuses_in_a_sentence(
    tmp_path, other_python
):
    done = run(CELL, tmp_path, other_python)
    assert done.returncode == 1
    assert "no published address yet" in done.stderr
    assert not list(tmp_path.iterdir())


def test_without_a_clone_the_cell_fetches_the_course_once(
    tmp_path, remote, other_python
):
    before = versions(other_python)
    done = run(
        CELL,
        tmp_path,
        other_python,
        COURSE_REPO=remote.as_uri(),
        COURSE_TAG="v-test",
        PIP_NO_INDEX="1",
    )
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.split("--\n")
    assert first.splitlines()[-1].startswith("torch ")
    assert second == first.splitlines()[-1] + "\n"
    assert (tmp_path / "torch-under-the-hood/course_utils/start.py").is_file()
    after = versions(other_python)
    after.pop("torch-under-the-hood", None)
    assert after == before


def versions(python: str) -> dict[str, str]:
    listed = subprocess.run(
        [python, "-m", "pip", "list", "--format", "freeze"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return dict(line.split("==") for line in listed.splitlines() if "==" in line)


def test_a_tag_that_does_not_exist_fails_and_leaves_nothing(tmp_path, remote):
    done = run(CELL, tmp_path, COURSE_REPO=remote.as_uri(), COURSE_TAG="v-none")
    assert done.returncode != 0
    assert "v-none" in done.stderr
    assert not (tmp_path / "torch-under-the-hood").exists()


def test_in_a_clone_the_cell_fetches_nothing(remote):
    done = run(CELL, ROOT / "notebooks", COURSE_REPO="file:///nowhere")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("torch ") == 2


def test_publishing_puts_the_address_into_the_cell():
    cell = lesson.first_cell("https://github.com/owner/name", "v1")
    assert 'REPO, TAG = "https://github.com/owner/name", "v1"' in cell
    assert cell.count("\n") < 25


def test_an_old_torch_is_refused(monkeypatch):
    monkeypatch.setattr(start.metadata, "version", lambda name: "2.9.1+cu128")
    with pytest.raises(SystemExit, match="needs PyTorch 2.10 or newer; this is 2.9.1"):
        start._check_torch()


def test_what_is_missing_is_named_where_pip_cannot_bring_it(monkeypatch):
    monkeypatch.setitem(start.NEEDED, "no_such_module", "no-such-package")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(SystemExit, match="also needs no-such-package, and pip could"):
        start._install()


def test_pip_is_told_to_leave_torch_alone(monkeypatch):
    told = {}

    def pip(command, **options):
        held = command[command.index("-c") + 1]
        told["constraint"] = Path(held).read_text()
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(start.subprocess, "run", pip)
    monkeypatch.setattr(start, "_installed", lambda: False)
    start._install()
    installed = importlib.metadata.version("torch")  # may lack the "+cu130" of torch's
    assert told["constraint"] == f"torch=={installed}\n"


def test_the_environments_own_folder_comes_first_on_the_path(monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin")
    start._path()
    start._path()
    assert os.environ["PATH"] == f"{Path(sys.executable).parent}{os.pathsep}/usr/bin"
