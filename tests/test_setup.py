"""Where something is missing, the set-up says what, and the next call goes on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from course_utils.paths import ROOT

FILES = ("Makefile", ".ci/setup.sh", "pyproject.toml", "constraints.txt")


@pytest.fixture
def clone(tmp_path):
    """The files that a set-up reads, in a folder of their own."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def make(clone: Path, target: str, *words: str, **environment: str):
    held = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "CXX")}
    return subprocess.run(
        ["make", target, *words],
        cwd=clone,
        env={**held, **environment},
        capture_output=True,
        text=True,
    )


def script(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_an_old_python_is_named(clone):
    told = 'case "$*" in --version) echo Python 3.10.9;; *) exit 1;; esac'
    old = script(clone / "old", told)
    done = make(clone, "setup", f"PYTHON={old}")
    assert done.returncode != 0
    assert f"needs Python 3.11 or newer, and `{old}` is Python 3.10.9" in done.stderr
    assert not (clone / ".venv").exists()


def test_a_python_that_is_not_there_is_named(clone):
    done = make(clone, "setup", "PYTHON=no-such-python")
    assert done.returncode != 0
    assert "`no-such-python` is" in done.stderr and "not there" in done.stderr


def test_no_compiler_is_told_with_what_brings_one(clone):
    done = subprocess.run(
        ["sh", ".ci/setup.sh", "compiler"],
        cwd=clone,
        env={**os.environ, "CXX": "no-such-compiler"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert "No C++ compiler: `no-such-compiler` does not run" in done.stderr
    assert "apt install g++" in done.stderr


def test_without_a_network_the_next_call_goes_on(clone):
    words = f"PYTHON={sys.executable}"
    nothing = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(clone)}
    done = make(clone, "setup", words, **nothing)
    assert done.returncode != 0
    assert "If there is no\nnetwork, connect and run the same command" in done.stderr
    assert not (clone / ".venv/.complete").exists()
    again = make(clone, "setup", words, **nothing)
    assert again.returncode != 0
    assert "Setting up .venv" in done.stdout and "Setting up .venv" not in again.stdout


def fake_environment(clone: Path, imports: int) -> None:
    """A .venv whose pip always succeeds and whose torch imports, or does not."""
    (clone / ".venv/bin").mkdir(parents=True)
    told = f'[ "$1" = - ] && exit {imports}; exit 0'
    script(clone / ".venv/bin/python", told)


def test_a_torch_that_does_not_import_is_taken_away(clone):
    fake_environment(clone, 1)
    done = make(clone, "setup", f"PYTHON={sys.executable}")
    assert done.returncode != 0
    assert "run the\nsame command again" in done.stderr
    assert not (clone / ".venv").exists()


def test_a_complete_set_up_is_done_once_and_renewed_when_its_pins_change(clone):
    fake_environment(clone, 0)
    words = f"PYTHON={sys.executable}"
    assert "Installing" in make(clone, "setup", words).stdout
    assert "Installing" not in make(clone, "setup", words).stdout
    later = (clone / ".venv/.complete").stat().st_mtime + 5
    os.utime(clone / "constraints.txt", (later, later))
    assert "Installing" in make(clone, "setup", words).stdout
