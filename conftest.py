"""Runs notebooks as the build does, and keeps the reader's own files out of it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest


def pytest_configure(config):
    """nbval's kernels and our own children get the environment of `make nb`."""
    from course_utils.environment import HELD

    folder = tempfile.mkdtemp(prefix="course-test")
    os.environ.setdefault("COURSE_PROGRESS", str(Path(folder) / "progress.json"))
    os.environ.update(HELD)
    _keep_output_of_c(config)


def _keep_output_of_c(config):
    """ipykernel loses what C code prints if it sees that pytest runs (nbval starts
    kernels inside a test's set-up), so they are started without that variable."""
    if not config.pluginmanager.hasplugin("nbval"):
        return
    import nbval.kernel

    start = nbval.kernel.start_new_kernel

    def start_without_pytest(*args, **kwargs):
        env = {k: v for k, v in os.environ.items() if k != "PYTEST_CURRENT_TEST"}
        folder = tempfile.mkdtemp(prefix="course-nbval")
        env["COURSE_PROGRESS"] = str(Path(folder) / "progress.json")
        kwargs.setdefault("env", env)
        return start(*args, **kwargs)

    nbval.kernel.start_new_kernel = start_without_pytest


_lines: list[str] = []


@pytest.fixture
def figures():
    """Figures that a run prints at its end, from whichever process measured them."""
    return _lines


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["course_figures"] = _lines


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    _lines.extend(getattr(node, "workeroutput", {}).get("course_figures", []))


def pytest_terminal_summary(terminalreporter):
    for line in sorted(_lines):
        terminalreporter.write_line(line)
