"""Calls the C++ compiler, and says in a sentence what keeps it from working.

Used by `build`, `doctor` and the kernel lab. One file, one `g++` command, its output
captured: no ninja, nothing printed through file descriptors.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

OPTIONS = (
    "-std=c++20",
    "-O2",
    "-shared",
    "-fPIC",
    "-Wall",
    "-fdiagnostics-color=never",
)


class BuildError(RuntimeError):
    """C++ did not become an operator; the message says why, shortened.

    Attributes:
        text: the whole output of the compiler, "" if it never ran.
        summary: the first error in one line.
    """

    def __init__(self, message: str, text: str = "", summary: str = "") -> None:
        super().__init__(message)
        self.text = text
        self.summary = summary or message.splitlines()[0]

    def _render_traceback_(self) -> list[str]:
        """In a notebook: the compiler's words, without Python's stack."""
        return str(self).splitlines()


def find() -> str:
    """The C++ compiler: `$CXX` if set, otherwise g++, otherwise clang++.

    Raises:
        BuildError: if there is none.
    """
    given = os.environ.get("CXX", "")
    names = [given] if given else ["g++", "clang++", "c++"]
    for name in names:
        path = shutil.which(name)
        if path:
            return path
    what = f"CXX names {given!r}, which is not there" if given else "there is none"
    raise BuildError(
        f"a C++ compiler is needed, and {what}; on Debian and Ubuntu `apt install g++` "
        "brings one, with conda `conda install gxx_linux-64`"
    )


@functools.lru_cache
def version(compiler: str) -> str:
    """The compiler's first line about itself, "g++ (Debian 12.2.0-14) 12.2.0"."""
    try:
        told = subprocess.run(
            [compiler, "--version"], capture_output=True, text=True, timeout=30
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BuildError(f"{compiler} does not run: {error}") from error
    return (told.stdout or told.stderr).splitlines()[0]


def flags(form: str) -> list[str]:
    """Include folders, libraries and macros for one form of extension.

    Args:
        form: "stable", "library" or "pybind" (see `build.cpp`).
    Raises:
        BuildError: if this torch has no C++ headers.
    """
    import torch

    home = Path(torch.__file__).parent
    include = home / "include"
    wanted = include / (
        "torch/csrc/stable/library.h" if form == "stable" else "torch/library.h"
    )
    if not wanted.exists():
        raise BuildError(
            f"torch {torch.__version__} in {home} has no {wanted.name}: reinstall "
            "torch 2.10 or newer from a wheel, which brings its C++ headers"
        )
    made = [
        "-isystem",
        str(include),
        "-isystem",
        str(include / "torch/csrc/api/include"),
        f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}",
        f"-L{home / 'lib'}",
        "-lc10",
        "-ltorch_cpu",
    ]
    if form == "pybind":
        python = sysconfig.get_paths()["include"]
        if not (Path(python) / "Python.h").exists():
            raise BuildError(
                f"Python's own headers are missing ({python}/Python.h): on Debian and "
                f"Ubuntu `apt install python3.{sys.version_info.minor}-dev` brings them"
            )
        made += ["-isystem", python, "-ltorch", "-ltorch_python"]
    if sys.platform == "linux":
        # By name, so that a toolchain which would link its own copy of the C++ library
        # cannot: an exception that crosses two copies ends the process.
        made.append("-l:libstdc++.so.6")
    return made


def compile_library(
    sources: Sequence[Path],
    output: Path,
    form: str,
    macros: Sequence[str] = (),
    extra: Sequence[str] = (),
    cwd: Path | None = None,
) -> str:
    """Compiles sources to a shared library and returns what the compiler said.

    Raises:
        BuildError: with the first errors, and the cell's or file's line of each.
    """
    compiler = find()
    command = [
        compiler,
        *OPTIONS,
        "-fopenmp" if "clang" not in version(compiler) else "-pthread",
        *(f"-D{m}" for m in macros),
        *map(str, sources),
        "-o",
        str(output),
        *flags(form),
        *extra,
    ]
    env = {**os.environ, "LC_ALL": "C", "CCACHE_DISABLE": "1"}
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        cwd=cwd,
        env=env,
    )
    if done.returncode:
        if _TOO_OLD.search(done.stdout):
            raise BuildError(
                f"{version(compiler)} is too old: torch's headers need C++20, so g++ "
                "11 or clang 14 or newer; set CXX to such a compiler",
                done.stdout,
            )
        raise failure(done.stdout, done.returncode)
    return done.stdout


_TOO_OLD = re.compile(
    r"unrecognized command[- ]line option .{0,3}-std=c\+\+20|invalid value 'c\+\+20'"
)
_ERROR = re.compile(
    r"^(?P<where>[^\s:][^:]*):(?P<line>\d+):(?:\d+:)? (?:fatal )?error: "
)


def failure(text: str, code: int) -> BuildError:
    """The compiler's output, shortened to the errors and the lines they point at."""
    lines = text.splitlines()
    kept: list[str] = []
    errors = 0
    summary = ""
    for i, line in enumerate(lines):
        if not _ERROR.match(line):
            continue
        errors += 1
        summary = summary or _plain(line)
        if errors <= 3:
            kept.append(_plain(line))
            for follow in lines[i + 1 : i + 3]:
                if re.match(r"^\s*\d* \|", follow):
                    kept.append(follow)
    if not errors:
        tail = [line for line in lines if line.strip()][-6:]
        undefined = [line for line in lines if "undefined reference" in line]
        kept = [_plain(line) for line in (undefined[:3] or tail)]
        summary = kept[0] if kept else f"the compiler ended with code {code}"
    head = f"The compiler found {errors or 'an'} error{'s' if errors > 1 else ''}:"
    more = [f"[and {errors - 3} more]"] if errors > 3 else []
    return BuildError("\n".join([head, *kept, *more]), text, summary)


def _plain(line: str) -> str:
    """Takes folders off the paths: torch's headers by their name inside torch."""
    line = re.sub(r"\S*/torch/include/", "", line)
    return re.sub(r"^/\S*/([^/\s:]+:\d+)", r"\1", line)[:300]
