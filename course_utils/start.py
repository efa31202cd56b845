"""What the first cell of every lesson calls: `start.ready()`.

It installs what is missing without touching torch, makes `%%cpp` known, warms the
process that judges answers, and says in a sentence what it found.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import warnings
from importlib import metadata
from pathlib import Path

from course_utils.paths import ROOT

OLDEST_TORCH = (2, 10)
# What the lessons import, and the package that brings it.
NEEDED = {
    "numpy": "numpy",
    "matplotlib": "matplotlib",
    "PIL": "pillow",
    "ninja": "ninja",
    "setuptools": "setuptools",
    "cloudpickle": "cloudpickle",
    "pygments": "pygments",
    "IPython": "ipython",
}

_ready = False


def ready() -> None:
    """Prepares a lesson; a second call only repeats the sentence.

    Raises:
        SystemExit: with a sentence, where torch or a needed package is missing and
            cannot be installed.
    """
    global _ready
    if not _ready:
        _check_torch()
        _path()
        _install()
        _prepare()
        _ready = True
    print(sentence())


def sentence() -> str:
    """One line about torch, the GPU and the compiler of this machine."""
    import torch

    if torch.cuda.is_available():
        gpu = torch.cuda.get_device_name()
    else:
        gpu = "no GPU, so GPU results are shown from recordings"
    from course_utils import compiler

    try:
        cxx = compiler.version(compiler.find())
    except compiler.BuildError:
        cxx = "no C++ compiler, which lesson 20 and later ones need"
    return f"torch {torch.__version__}, {gpu}, {cxx}."


def missing() -> list[str]:
    """The packages that lessons import and that are not here."""
    return [p for m, p in NEEDED.items() if importlib.util.find_spec(m) is None]


def _check_torch() -> None:
    if importlib.util.find_spec("torch") is None:
        raise SystemExit(
            "The course needs PyTorch 2.10 or newer, and this Python "
            f"({sys.executable}) has none. In a clone, `make lab` sets one up."
        )
    release = metadata.version("torch").split("+")[0]
    if tuple(int(n) for n in release.split(".")[:2]) < OLDEST_TORCH:
        raise SystemExit(
            f"The course needs PyTorch 2.10 or newer; this is {release}. In Colab, use "
            "the newest runtime; in a clone, `make lab` sets one up."
        )


def _path() -> None:
    """Puts this Python's own folder first on PATH: ninja stands there, and a notebook
    kernel that was started without activating its environment does not see it."""
    folder = str(Path(sys.executable).parent)
    parts = os.environ.get("PATH", "").split(os.pathsep)
    if parts[:1] != [folder]:
        os.environ["PATH"] = os.pathsep.join([folder, *parts])


def _install() -> None:
    """Installs the course where it is not, with torch held at its version."""
    if not missing() and _installed():
        return
    with tempfile.TemporaryDirectory() as folder:
        held = Path(folder) / "constraints.txt"
        held.write_text(f"torch=={metadata.version('torch')}\n")
        command = [sys.executable, "-m", "pip", "install", "-q", "-c", str(held)]
        if not missing():  # nothing to fetch but the course itself, which is here
            command += ["--no-deps"]
            if importlib.util.find_spec("setuptools"):
                command += ["--no-build-isolation"]
        done = subprocess.run(
            [*command, "-e", str(ROOT)], capture_output=True, text=True
        )
    importlib.invalidate_caches()
    if done.returncode and missing():
        raise SystemExit(
            f"The course also needs {', '.join(missing())}, and pip could not install "
            f"it: {_last_line(done.stderr)}"
        )
    if done.returncode:
        print("pip could not register the course; it is used from its folder instead.")


def _installed() -> bool:
    """A clone on the path is enough for this process and those that it starts; pip
    registers it for later ones, which matters where no `make` did it before."""
    if (ROOT / ".venv").is_dir():
        return True
    try:
        metadata.version("torch-under-the-hood")
    except metadata.PackageNotFoundError:
        return False
    return True


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "it gave no reason"


def _prepare() -> None:
    import torch

    from course_utils import isolate, magics, plot

    magics.register()
    plot.use()
    torch.manual_seed(0)
    # Lessons must see what torch says about its own future.
    for kind in (DeprecationWarning, FutureWarning):
        warnings.filterwarnings("default", category=kind, module=r"__main__")
    isolate.warm()
