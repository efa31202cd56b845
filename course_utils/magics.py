"""`%%cpp NAME`: a cell in C++ becomes an operator; `%%cuda NAME` one in CUDA C++.

Loaded by the first cell of every lesson (`start.ready`).
"""

from __future__ import annotations

import argparse
import builtins
import importlib.util
import keyword
import shlex
from typing import Any

from course_utils import answers, build


class _Usage(ValueError):
    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def _parse(line: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="%%cpp", add_help=False, exit_on_error=False)
    parser.add_argument("name")
    parser.add_argument("--form", choices=build.FORMS, default="stable")
    try:
        given = parser.parse_args(shlex.split(line))
    except (argparse.ArgumentError, SystemExit) as error:
        raise _Usage(
            "expected `%%cpp NAME`, or `%%cpp NAME --form "
            f"{'|'.join(build.FORMS)}`, got `%%cpp {line}`"
        ) from error
    name = given.name
    if not name.isidentifier() or keyword.iskeyword(name) or hasattr(builtins, name):
        raise _Usage(f"expected a name for the operators, got {name!r}")
    return given


def cpp_magic(line: str, cell: str) -> Any:
    """Compiles the cell and returns what its name is to be bound to.

    A cell with a line that is only `...` is not compiled. The lines that the compiler
    names are those that JupyterLab counts: the magic line is line 1.

    Raises:
        BuildError: if the cell does not compile; the name is bound all the same, to a
            `build.FailedBuild`, so that `check` does not judge an older build.
    """
    given = _parse(line)
    if answers.has_gap(cell):
        return given.name, answers.Unattempted(given.name), None
    try:
        made = build.cpp(
            cell, given.name, given.form, first_line=2, where=f"cell {given.name}"
        )
        made.load()
    except build.BuildError as error:
        return given.name, build.FailedBuild(given.name, error), error
    return given.name, made, None


def _cpp(line: str, cell: str) -> Any:
    from IPython import get_ipython

    name, value, error = cpp_magic(line, cell)
    get_ipython().user_ns[name] = value
    if error is not None:
        raise error
    return value


def _cuda(line: str, cell: str) -> Any:
    if importlib.util.find_spec("course_utils.kernel_lab") is None:
        raise _Usage("%%cuda comes with the kernel lab of lesson 22")
    from course_utils import kernel_lab

    return kernel_lab.cuda_magic(line, cell)


def register(shell: Any = None) -> None:
    """Makes `%%cpp` and `%%cuda` known; does nothing outside IPython."""
    if shell is None:
        try:
            from IPython import get_ipython
        except ImportError:
            return
        shell = get_ipython()
    if shell is not None:
        shell.register_magic_function(_cpp, "cell", "cpp")
        shell.register_magic_function(_cuda, "cell", "cuda")


def load_ipython_extension(shell: Any) -> None:
    """For `%load_ext course_utils.magics`."""
    register(shell)
