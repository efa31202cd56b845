"""Calls `torch.utils.cpp_extension.load_inline` after a look at what makes it fail.

Used by lesson 20 and by `build.load_inline`. torch's helper is what readers meet
elsewhere, so nothing of it is replaced; what it does not check, or forgets after a
failure, is checked and mended here.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from course_utils import compiler
from course_utils.compiler import BuildError

QUIET = 10.0  # seconds without a write after which a lock may belong to nobody
LONGEST = 600.0  # the same where we cannot see whether anything is compiling


def load_inline(name: str, cpp_sources: str | list[str], **options: Any) -> Any:
    """`torch.utils.cpp_extension.load_inline`, with its failures in words.

    The environment's own programs come first on PATH, ninja is run once, a lock that a
    killed build left is reported instead of waited for, and a build that failed is not
    remembered as done.

    Args:
        name, cpp_sources, options: passed on as they are.

    Raises:
        BuildError: if no compiler or no ninja runs, the build's folder is locked by
            nobody, or the sources do not compile.
    """
    from torch.utils import cpp_extension

    compiler.find()
    own = os.path.dirname(sys.executable)
    path = os.environ.get("PATH", "")
    if own not in path.split(os.pathsep)[:1]:
        os.environ["PATH"] = f"{own}{os.pathsep}{path}"
    check_ninja()
    folder = options.get("build_directory")
    if folder is None:
        folder = cpp_extension._get_build_directory(name, verbose=False)
    check_lock(Path(folder) / "lock")
    versions = cpp_extension.JIT_EXTENSION_VERSIONER.entries
    before = versions.get(name)
    try:
        return cpp_extension.load_inline(name, cpp_sources, **options)
    except BaseException as error:
        # torch notes a build before it runs; without this the next call would skip
        # the build and look for a library that is not there.
        after = versions.pop(name, None)
        if before is not None and after is not None:
            versions[name] = before._replace(version=after.version, hash=None)
        if isinstance(error, RuntimeError | ImportError | OSError):
            raise _in_words(error) from error
        raise


def check_ninja() -> None:
    """Runs `ninja --version`: a file of that name alone proves nothing.

    Raises:
        BuildError: if there is no ninja on PATH, or the one there does not run.
    """
    where = shutil.which("ninja")
    mend = f"run `{sys.executable} -m pip install ninja`"
    if where is None:
        raise BuildError(
            f"torch's load_inline runs the program ninja, which is not on PATH; {mend}"
        )
    try:
        told = subprocess.run(
            [where, "--version"], capture_output=True, text=True, timeout=30
        )
        said, code = told.stderr, told.returncode
    except (OSError, subprocess.TimeoutExpired) as error:
        said, code = str(error), -1
    if code:
        last = (said.strip().splitlines() or ["it says nothing"])[-1]
        raise BuildError(
            f"{where} does not run ({last}); it seems to belong to another Python: "
            f"remove it, or {mend}",
            said,
        )


def check_lock(lock: Path) -> None:
    """Waits for a build that is running; refuses one that is not.

    Raises:
        BuildError: if the lock is there, nothing beside it has changed for `QUIET`
            seconds, and nothing compiles in its folder; says how old the lock is.
    """
    while True:
        try:
            made = lock.stat().st_mtime
            newest = max(p.stat().st_mtime for p in lock.parent.iterdir())
        except FileNotFoundError:  # no lock, or something gone while we looked
            if not lock.exists():
                return
            continue
        now = time.time()
        running = _compiles_in(lock.parent)
        limit = LONGEST if running is None else QUIET
        if not running and now - newest > limit:
            raise BuildError(
                f"{lock} is {_age(now - made)} old and nothing is being built in its "
                "folder: a build that was killed left it, and torch would wait for it "
                "without an end; delete that file"
            )
        time.sleep(0.2)


def _age(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def _compiles_in(folder: Path) -> bool | None:
    """Whether a process works in this folder, as ninja and its compilers do; None if
    this system does not tell."""
    processes = Path("/proc")
    if not (processes / "self/cwd").exists():
        return None
    wanted = os.path.realpath(folder)
    for link in processes.glob("[0-9]*/cwd"):
        try:
            if os.readlink(link) == wanted and int(link.parent.name) != os.getpid():
                return True
        except OSError:  # ended meanwhile, or another user's
            continue
    return False


def _in_words(error: Exception) -> BuildError:
    text = "\n".join(str(e) for e in (error.__cause__, error) if e is not None)
    if "error:" in text or "FAILED:" in text:
        return compiler.failure(text, 1)
    return BuildError(f"load_inline failed: {error}", text)
