"""Compiles a kernel for the host, against the headers in `csrc/host_cuda`.

Also builds the runner, the executable that loads compiled kernels. Both are kept in the
course's cache. Used by `kernel_launch` and `kernel_lab`.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from course_utils.kernel_shared import rewrite_shared
from course_utils.kernel_source import KernelError, Source, blank
from course_utils.paths import CSRC, cache_dir

HOST_CUDA = CSRC / "host_cuda"
PLAIN, CHECKED, TRACED = range(3)
STANDARD = [
    *["-std=c++17", "-fPIC", "-w", "-fno-threadsafe-statics"],
    "-ffp-contract=off",  # the same digits on every host
    # nvcc lets kernels look at a variable through another type, and integers wrap.
    *["-fno-strict-aliasing", "-fwrapv"],
]
FLAGS = {
    PLAIN: ["-O2"],
    # -fno-tree-sra keeps the copy of a float4 one access of 16 bytes.
    CHECKED: ["-O1", "-g1", "-fno-tree-sra", "-fsanitize=thread,bounds"],
}
FLAGS[TRACED] = FLAGS[CHECKED]


def compiler() -> str:
    """The host's C++ compiler.

    Raises:
        KernelError: if there is none.
    """
    for name in ("g++", os.environ.get("CXX", ""), "c++"):
        if name and shutil.which(name):
            return name
    raise KernelError(
        "the kernel lab needs a C++ compiler where there is no GPU, and found neither "
        "g++ nor c++; on Debian and Ubuntu `apt install g++` brings one"
    )


@cache
def _tools_key() -> str:
    """Changes with the compiler and with any file of host_cuda."""
    version = subprocess.run(
        [compiler(), "--version"], capture_output=True, text=True
    ).stdout
    digest = hashlib.sha256(version.encode())
    for path in sorted(HOST_CUDA.rglob("*")):
        if path.suffix in (".h", ".cpp"):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def _build(target: Path, commands: Sequence[Sequence[str]], source: Path) -> None:
    """Runs the commands; `OUT` in them is a temporary name that becomes `target`."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        out = str(Path(folder) / "out")
        for command in commands:
            words = [w.replace("OUT", out) if "OUT" in w else w for w in command]
            done = subprocess.run(words, capture_output=True, text=True)
            if done.returncode != 0:
                raise KernelError(shorten(done.stderr, source))
        os.replace(out, target)


def shorten(log: str, source: Path | str) -> str:
    """The compiler's errors without paths of this machine, at most a dozen lines."""
    kept, errors = [], 0
    log = re.sub(re.escape(str(HOST_CUDA)) + "/", "host_cuda/", log)
    for line in log.splitlines():
        begins = re.match(r"\S+:\d+:(\d+:)? (fatal )?(error|note):", line)
        errors += bool(begins and begins.group(3) == "error")
        if errors > 4:
            kept.append("(and more errors after these)")
            break
        if errors and not re.match(r"In file included|compilation terminated", line):
            kept.append(line)
    kept = kept[:24] or log.strip().splitlines()[:24]
    return "the kernel does not compile:\n" + "\n".join(kept)


@cache
def runner() -> Path:
    """The executable that runs kernels, built once (some 3 s)."""
    target = cache_dir() / "host_cuda" / f"runner-{_tools_key()[:16]}"
    if not target.exists():
        portable = (
            ["-DHOST_CUDA_PORTABLE"] if os.environ.get("HOST_CUDA_PORTABLE") else []
        )
        sources = sorted(str(p) for p in (HOST_CUDA / "runtime").glob("*.cpp"))
        command = [compiler(), "-std=c++17", "-O2", "-rdynamic", *portable, *sources]
        _build(target, [[*command, "-o", "OUT", "-ldl"]], HOST_CUDA)
    return target


def host_text(source: Source, expressions: Sequence[str]) -> str:
    """What the host's compiler gets: the kept text and an entry for each kernel."""
    kept = rewrite_shared(source.kept, source.name)
    head = ""
    if re.search(r"\bconst(?:expr)?\s+(?:int|unsigned)\s+warpSize\b", blank(kept)):
        head = "#define HC_NO_WARP_SIZE\n"
    lines = [f"HC_KERNEL({i}, {e})" for i, e in enumerate(expressions)]
    lines += [f"HC_SYMBOL({name}, {full})" for name, full in source.symbols.items()]
    entries = "\n".join(lines)
    return f'{head}#include "cuda_runtime.h"\n{kept}\n#line 1 "the launch"\n{entries}\n'


def compile_library(source: Source, expressions: Sequence[str], mode: int) -> Path:
    """Compiles kernels into a shared library, or finds it in the cache.

    Args:
        expressions: one for each entry, such as `scale` or `scale<float, 4>`.

    Raises:
        KernelError: with the compiler's errors, or with what the host lacks.
    """
    if source.missing:
        raise KernelError(
            f"{source.name} uses {', '.join(source.missing)}; the host's runtime has "
            "no such thing, so this kernel needs a GPU"
        )
    text = host_text(source, expressions)
    flags = [*STANDARD, *FLAGS[mode], f"-I{HOST_CUDA / 'include'}"]
    if re.search(r"\bvolatile\b", blank(source.kept)):
        # The runner lets the lanes of a warp go in step through volatile accesses.
        flags += [*FLAGS[CHECKED], "--param", "tsan-distinguish-volatile=1"]
    key = hashlib.sha256("\0".join([_tools_key(), text, *flags]).encode()).hexdigest()
    target = cache_dir() / "kernels" / f"{key[:24]}.so"
    if not target.exists():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kernel.cpp"
            path.write_text(text)
            compile_ = [compiler(), *flags, "-c", str(path), "-o", "OUT.o"]
            # Linked without -fsanitize, so that its hooks are the runner's.
            link = [compiler(), "-shared", "OUT.o", "-o", "OUT"]
            _build(target, [compile_, link], path)
    return target


@cache
def lines_of(library: Path, wheres: tuple[int, ...]) -> dict[int, tuple[str, int]]:
    """File and line for offsets into a library; empty without `addr2line`."""
    tool = shutil.which("addr2line")
    found: dict[int, tuple[str, int]] = {}
    if not tool or not wheres:
        return found
    command = [tool, "-a", "-i", "-e", str(library), *(hex(w) for w in wheres)]
    done = subprocess.run(command, capture_output=True, text=True)
    current = -1
    for line in done.stdout.splitlines():
        if line.startswith("0x"):
            current = int(line, 16)
            continue
        file, _, number = line.split(" (")[0].rpartition(":")
        inside = "host_cuda/" in file or file in ("??", "")
        if current not in found and not inside and number.isdigit() and int(number):
            found[current] = (Path(file).name, int(number))
    return found
