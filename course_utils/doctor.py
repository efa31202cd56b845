"""Looks at the machine and says what each part is good for, or how to mend it.

Used by lesson 00 and from a shell: `python -m course_utils.doctor`. Every row is found
by trying: a ninja that is there but does not run is no ninja.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from course_utils import compiler
from course_utils.paths import cache_dir
from course_utils.table import Table

OK, NOTE, TROUBLE = "ok", "note", "trouble"
Row = tuple[str, str, str, str]  # what, found, verdict, what it means or what to do


def report() -> Table:
    """A table of what was found, with a verdict and a sentence each."""
    rows = [_examined(examine) for examine in EXAMINATIONS]
    return Table(rows, ["", "found", "", "what it means"])


def _examined(examine: Callable[[], Row]) -> Row:
    """A row, also where torch is missing or broken, which its own row tells."""
    try:
        return examine()
    except ImportError:
        what = examine.__name__.strip("_")
        return what, "not examined", NOTE, "mend torch first; this needs it"


def _python() -> Row:
    numbers = tuple(sys.version_info[:3])
    found = ".".join(map(str, numbers))
    if numbers < (3, 11):
        return "Python", found, TROUBLE, "the course needs 3.11 or newer"
    return "Python", found, OK, f"in the environment {Path(sys.prefix).name}"


def _torch() -> Row:
    try:
        import torch
    except ImportError as error:
        return "torch", "missing", TROUBLE, f"`make lab` installs it ({error})"
    found = torch.__version__
    numbers = tuple(int(n) for n in re.findall(r"\d+", found)[:2])
    if numbers < (2, 10):
        return "torch", found, TROUBLE, "the course needs 2.10 or newer"
    built = f"CUDA {torch.version.cuda}" if torch.version.cuda else "CPU only"
    return "torch", found, OK, f"built for {built}"


def _compiler() -> Row:
    try:
        path = compiler.find()
        told = compiler.version(path)
    except compiler.BuildError as error:
        return "C++ compiler", "missing", TROUBLE, str(error)
    number = re.search(r"(\d+)\.\d+\.\d+", told)
    if "clang" not in told and number and int(number[1]) < 11:
        return "C++ compiler", told, TROUBLE, "torch's headers need g++ 11 or newer"
    return "C++ compiler", told, OK, "lessons from 20 on compile with it"


def _ninja() -> Row:
    path = shutil.which("ninja")
    if path is None:
        mend = "`pip install ninja` in this environment; lesson 20 uses it"
        return "ninja", "missing", TROUBLE, mend
    told = _says([path, "--version"])
    if told is None:
        mend = f"{path} does not run; `pip install --force-reinstall ninja`"
        return "ninja", "broken", TROUBLE, mend
    return "ninja", told, OK, "torch's own build helper runs it"


def _nvcc() -> Row:
    import torch

    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or ""
    if home and (":" in home or home.strip("\"'") != home):
        mend = "it must be one folder, without colons or quotation marks"
        return "CUDA_HOME", home, TROUBLE, mend
    if home and not Path(home).is_dir():
        return "CUDA_HOME", home, TROUBLE, "there is no such folder"
    path = shutil.which("nvcc", path=f"{home}/bin") if home else shutil.which("nvcc")
    if path is None:
        return "nvcc", "none", NOTE, "no lesson needs it; lessons 21 to 23 can use it"
    told = _says([path, "--version"]) or ""
    release = re.search(r"release (\d+)\.(\d+)", told)
    found = ".".join(release.groups()) if release else "broken"
    built = torch.version.cuda
    if built and release and built.split(".")[0] != release[1]:
        mend = f"torch was built for CUDA {built}; use a toolkit of the same major"
        return "nvcc", found, TROUBLE, mend
    return "nvcc", found, OK, "compiles CUDA files ahead of time"


def _gpu() -> Row:
    import torch

    if torch.cuda.is_available():
        name = torch.cuda.get_device_name()
        major, minor = torch.cuda.get_device_capability()
        return "GPU", name, OK, f"compute capability {major}.{minor}"
    if "COLAB_RELEASE_TAG" in os.environ:
        mend = "in Colab: Runtime, Change runtime type, a GPU"
    elif torch.version.cuda and shutil.which("nvidia-smi"):
        mend = (
            "there is a driver, but torch cannot use it; is it too old for this torch?"
        )
    else:
        mend = "none is needed: results from a GPU are shown from recordings"
    return "GPU", "none", NOTE, mend


def _cache() -> Row:
    try:
        folder = cache_dir()
        probe = folder / f".probe{os.getpid()}"
        probe.write_text("")
        probe.unlink()
    except OSError as error:
        return "cache folder", str(error), TROUBLE, "set COURSE_CACHE to another folder"
    return "cache folder", str(folder).replace(str(Path.home()), "~"), OK, "writable"


def _locks() -> Row:
    """torch's own build helper waits forever for a lock that a killed build left."""
    from torch.utils import cpp_extension

    root = os.environ.get("TORCH_EXTENSIONS_DIR")
    try:
        base = Path(root or cpp_extension.get_default_build_root())
        found = sorted([*base.glob("*/lock"), *base.glob("*/*/lock")])
        ages = [(p, (time.time() - p.stat().st_mtime) / 60) for p in found]
    except OSError:
        ages = []
    old = [(p, age) for p, age in ages if age > 10]
    if old:
        path, age = old[0]
        mend = f"if nothing is compiling, delete {path}: load() waits for it forever"
        return "torch_extensions", f"a lock, {age:.0f} min old", TROUBLE, mend
    return "torch_extensions", "no stale lock", OK, "torch's build helper is free"


def _unedited() -> Row:
    """Some advice on the web edits torch itself; that hides every build error."""
    from torch.utils import cpp_extension

    text = Path(cpp_extension.__file__).read_text()
    if "'ninja', '-v'" in text or '"ninja", "-v"' in text:
        return "cpp_extension.py", "as released", OK, "build errors are shown"
    mend = "its `ninja -v` was edited away; reinstall torch to see build errors again"
    return "cpp_extension.py", "edited", TROUBLE, mend


EXAMINATIONS: tuple[Callable[[], Row], ...] = (
    _python,
    _torch,
    _compiler,
    _ninja,
    _nvcc,
    _gpu,
    _cache,
    _locks,
    _unedited,
)


def _says(command: list[str]) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def main() -> int:
    """Prints the report; 1 if anything is in trouble."""
    table = report()
    print(table)
    return int(any(row[2] == TROUBLE for row in table.rows))


if __name__ == "__main__":
    sys.exit(main())
