"""What the repository says about itself is true."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from course_utils import lesson, readme
from course_utils.paths import CSRC, NOTEBOOKS, ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CONSTRAINTS = (ROOT / "constraints.txt").read_text()


def name(requirement: str) -> str:
    return re.match(r"[A-Za-z0-9_.-]+", requirement)[0].lower().replace("_", "-")


def test_environment_yml_installs_what_pyproject_names():
    text = (ROOT / "environment.yml").read_text()
    pip = text.split("- pip:\n", 1)[1]
    assert [line.strip() for line in pip.strip().splitlines()] == [
        "- -c constraints.txt",
        "- -e .[dev]",
    ]
    python = re.search(r"- python=(\d+)\.(\d+)", text)
    least = re.search(r">=(\d+)\.(\d+)", PROJECT["project"]["requires-python"])
    assert tuple(map(int, python.groups())) >= tuple(map(int, least.groups()))


def test_every_requirement_is_pinned_in_the_set_up():
    pinned = {name(line) for line in CONSTRAINTS.splitlines() if "==" in line}
    extras = PROJECT["project"]["optional-dependencies"]
    wanted = [*PROJECT["project"]["dependencies"], *extras["lab"], *extras["dev"]]
    names = {name(w) for w in wanted} - {"torch-under-the-hood"}
    assert names <= pinned, f"not in constraints.txt: {names - pinned}"


def test_torch_is_a_range_for_readers_and_one_release_in_the_set_up():
    assert "torch>=2.10" in PROJECT["project"]["dependencies"]
    release = PROJECT["tool"]["course"]["torch"]
    assert f"torch=={release}\n" in CONSTRAINTS
    assert "+" not in CONSTRAINTS and "file:" not in CONSTRAINTS


def test_the_start_module_needs_what_pyproject_says():
    from course_utils.start import NEEDED

    wanted = {name(d) for d in PROJECT["project"]["dependencies"]} - {"torch"}
    assert set(NEEDED.values()) == wanted


def test_the_readme_lists_exactly_the_lessons_that_exist():
    text = (ROOT / "README.md").read_text()
    listed = re.findall(r"\]\((notebooks/\w+\.ipynb)\)", text)
    assert listed == [f"notebooks/{p.stem}.ipynb" for p in lesson.texts()]
    assert text == readme.with_table(text), "run: make fmt"
    rows = re.findall(r"(?m)^\| \[[^\]]*\]\(\S+\) \| (.*?) \| (\S+) \|", text)
    assert all(about and minutes.isdigit() for about, minutes in rows), rows


def test_csrc_lists_exactly_its_folders():
    text = (CSRC / "README.md").read_text()
    listed = set(re.findall(r"\]\((\w+)/?\)", text))
    folders = {p.name for p in CSRC.iterdir() if p.is_dir()}
    assert listed == folders


def markdown_files() -> list[Path]:
    tracked = subprocess.run(
        ["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True
    )
    return [ROOT / line for line in tracked.stdout.splitlines()]


def test_links_inside_the_repository_resolve():
    found = 0
    for path in markdown_files():
        base = NOTEBOOKS if path.parent == lesson.TEXT else path.parent
        for link in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
            if link.startswith(("http://", "https://", "#", "mailto:")):
                continue
            found += 1
            assert (base / link.split("#")[0]).exists(), f"{path.name}: {link}"
    assert found >= 5


def test_links_into_pytorch_name_the_release_that_is_pinned():
    release = PROJECT["tool"]["course"]["torch"]
    links = [
        link
        for path in markdown_files()
        for link in re.findall(
            r"https://github\.com/pytorch/pytorch/(?:blob|tree)/([^/\s)]+)",
            path.read_text(),
        )
    ]
    assert links
    assert set(links) == {f"v{release}"}


def test_the_workflow_and_ci_run_call_make_test():
    workflow = (ROOT / ".github/workflows/ci.yml").read_text()
    assert "run: make test" in workflow
    assert (ROOT / ".ci/run").read_text().rstrip().endswith("make test")
    assert "make test" in (ROOT / "README.md").read_text()


def test_every_target_that_the_readme_names_exists():
    targets = set(re.findall(r"(?m)^(\w+):", (ROOT / "Makefile").read_text()))
    for file in ("README.md", "CONTRIBUTING.md"):
        named = set(re.findall(r"make (\w+)", (ROOT / file).read_text()))
        assert named <= targets, f"{file} names {named - targets}"
    assert targets >= {"lab", "test", "nb", "pull", "fmt", "gpu", "publish"}


def test_before_publishing_the_table_links_to_no_address(monkeypatch):
    monkeypatch.setattr(lesson, "address", lambda: ("", ""))
    rows = readme.table((ROOT / "README.md").read_text())
    assert "colab.research" not in rows
    assert rows.count("| after publishing |") == len(lesson.texts())


def test_publishing_reaches_cells_and_badges_without_running_anything(tmp_path):
    """In a copy: after `publish`, badges link, and text and notebook still agree."""
    names = ("README.md", "pyproject.toml", "course_utils", "notebooks", "csrc")
    for part in names:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, tmp_path / part)
    tool = [sys.executable, "-m", "course_utils.notebooks"]
    env = {**os.environ, "PYTHONPATH": str(tmp_path)}
    for words in (["publish", "owner/name", "v1"], ["check"]):
        done = subprocess.run(
            [*tool, *words], cwd=tmp_path, env=env, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
    after = (tmp_path / "README.md").read_text()
    assert "after publishing" not in after
    for text in lesson.texts():
        name = f"notebooks/{text.stem}.ipynb"
        site = "https://colab.research.google.com/github/owner/name/blob/v1/"
        assert f"({site}{name})" in after
        setup = 'REPO, TAG = \\"https://github.com/owner/name\\", \\"v1\\"'
        assert setup in (tmp_path / name).read_text()
