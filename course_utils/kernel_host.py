"""Compiles a kernel for the host and runs it in a process of its own.

`csrc/host_cuda` holds the headers that stand in for CUDA's and the runner, a small
executable that loads the compiled kernel. The caller's arrays travel in shared memory.
Used by `kernel_lab`.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import mmap
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import torch

from course_utils.kernel_source import KernelError, Source, blank, matching
from course_utils.kernel_types import split
from course_utils.paths import CSRC, cache_dir

HOST_CUDA = CSRC / "host_cuda"
PLAIN, CHECKED, TRACED = range(3)
STANDARD = ["-std=c++17", "-fPIC", "-w", "-ffp-contract=off", "-fno-threadsafe-statics"]
FLAGS = {
    PLAIN: ["-O2"],
    # -fno-tree-sra keeps the copy of a float4 one access of 16 bytes.
    CHECKED: ["-O1", "-g1", "-fno-tree-sra", "-fsanitize=thread,bounds"],
}
FLAGS[TRACED] = FLAGS[CHECKED]
PAGE = 64 * 1024  # a multiple of every page size in use
MOST_TRACED = 4_000_000  # accesses


def compiler() -> str:
    """The host's C++ compiler.

    Raises:
        KernelError: if there is none.
    """
    for name in (os.environ.get("CXX", ""), "g++", "c++"):
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
        portable = ["-DHOST_CUDA_PORTABLE"] if os.environ.get("HOST_CUDA_PORTABLE") else []
        sources = sorted(str(p) for p in (HOST_CUDA / "runtime").glob("*.cpp"))
        command = [compiler(), "-std=c++17", "-O2", "-rdynamic", *portable, *sources]
        _build(target, [[*command, "-o", "OUT", "-ldl"]], HOST_CUDA)
    return target


def rewrite_shared(kept: str, name: str) -> str:
    """Turns `__shared__` declarations into references to the runner's memory."""
    clean = blank(kept)
    pieces, last = [], 0
    for found in re.finditer(r"\b__shared__\b", clean):
        line_start = clean.rfind("\n", 0, found.start()) + 1
        if clean[line_start:].lstrip().startswith("#"):
            continue  # in a macro: what the header defines is used, unwatched
        begin = max(clean.rfind(c, 0, found.start()) for c in ";{}") + 1
        label = clean.rfind("\n", 0, found.start())
        words = clean[begin : found.start()]
        if not re.fullmatch(r"[\s]*(?:(?:extern|static|volatile|const)\s*)*", words):
            begin = max(begin, label + 1)
            words = clean[begin : found.start()]
        end = _statement_end(clean, found.end())
        text = kept[found.end() : end]
        if "volatile" in words:
            text = " volatile" + text
        dynamic = "extern" in words
        pieces.append(kept[last:begin])
        pieces.append(re.sub(r"[^\s]", "", kept[begin : found.start()]))
        pieces.append(_shared_references(text, dynamic, name))
        last = end + 1
    return "".join([*pieces, kept[last:]])


def _statement_end(clean: str, start: int) -> int:
    i = start
    while i < len(clean):
        if clean[i] in "{([":
            pair = {"{": "{}", "(": "()", "[": "[]"}[clean[i]]
            i = matching(clean, i, pair)
            if i < 0:
                break
        elif clean[i] == ";":
            return i
        i += 1
    raise KernelError("a `__shared__` declaration has no `;`")


def _shared_references(text: str, dynamic: bool, name: str) -> str:
    lines = "\n" * text.count("\n")
    align = re.compile(r"\b(?:__align__|alignas)\s*\((?:[^()]|\([^()]*\))*\)")
    plain = re.sub(r"\s+", " ", align.sub(" ", re.sub(r"//[^\n]*", " ", text))).strip()
    first, *others = split(plain)
    found = re.fullmatch(r"(.*?)\b(\w+)\s*((?:\[[^\]]*\]\s*)*)(\{\s*\})?", first)
    if not found or not found.group(1).strip():
        raise KernelError(
            f"{name}: expected a declaration such as `__shared__ float s[256];`, got "
            f"`__shared__ {plain};`; write one variable without an initial value"
        )
    type_ = found.group(1).strip()
    made = []
    for one in [first.removeprefix(found.group(1)), *others]:
        part = re.fullmatch(r"(\w+)\s*((?:\[[^\]]*\]\s*)*)(\{\s*\})?", one.strip())
        if not part:
            raise KernelError(f"{name}: `__shared__ {plain};` can't be read: {one!r}")
        var, size = part.group(1), part.group(2).strip()
        if dynamic:
            made.append(
                f"{type_} (&{var})[] = hc::dynamic_shared<{type_}>("
                f'[] {{}}, "{var}", __LINE__);'
            )
        elif size:
            made.append(
                f"{type_} (&{var}){size} = hc::shared_array<{type_}{size}>("
                f'[] {{}}, "{var}", __LINE__);'
            )
        else:
            made.append(
                f"{type_}& {var} = hc::shared_array<{type_}>("
                f'[] {{}}, "{var}", __LINE__);'
            )
    return " ".join(made) + lines


def host_text(source: Source, expressions: Sequence[str]) -> str:
    """What the host's compiler gets: the kept text and an entry for each kernel."""
    kept = rewrite_shared(source.kept, source.name)
    head = ""
    if re.search(r"\bconst(?:expr)?\s+(?:int|unsigned)\s+warpSize\b", blank(kept)):
        head = "#define HC_NO_WARP_SIZE\n"
    entries = "\n".join(f"HC_KERNEL({i}, {e})" for i, e in enumerate(expressions))
    return (
        f'{head}#include "cuda_runtime.h"\n{kept}\n#line 1 "the launch"\n{entries}\n'
    )


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


@dataclass
class Argument:
    """What one parameter gets: a tensor's memory, a number, or a null pointer."""

    kind: str  # "pointer", "integer", "real" or "null"
    value: float | int = 0
    code: str = ""  # of the elements; "" for any
    address: int = 0
    bytes: int = 0
    itemsize: int = 1


@dataclass
class Ran:
    """What the runner said.

    Attributes:
        ended: "returned", "deadlock", "crash", "timeout", "refused", ...
        findings: as the runner wrote them; `line` is added by `kernel_check`.
        memory: the contents of each segment after the run.
        shared: the shared arrays, with names and bytes.
        traced: the log's bytes.
    """

    ended: str
    findings: list[dict]
    output: str
    seconds: float
    segments: list[tuple[int, int, bytes]] = field(default_factory=list)
    shared: list[dict] = field(default_factory=list)
    traced: bytes = b""


def _segments(arguments: Sequence[Argument]) -> list[tuple[int, int, list[int]]]:
    """Address, length and arguments of each piece of memory; overlaps are joined."""
    order = sorted(
        (i for i, a in enumerate(arguments) if a.kind == "pointer"),
        key=lambda i: arguments[i].address,
    )
    joined: list[tuple[int, int, list[int]]] = []
    for i in order:
        a = arguments[i]
        if joined and a.bytes and a.address < joined[-1][0] + joined[-1][1]:
            start, length, members = joined[-1]
            joined[-1] = (start, max(length, a.address + a.bytes - start), [*members, i])
        else:
            joined.append((a.address, a.bytes, [i]))
    return joined


def _memory_file(name: str) -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create(name)
    with tempfile.TemporaryFile() as f:
        return os.dup(f.fileno())


def run(
    library: Path,
    kernel: int,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    dynamic: int,
    arguments: Sequence[Argument],
    mode: int = CHECKED,
    reverse: bool = False,
    grain: int = 4,
    time_limit: float = 10.0,
) -> Ran:
    """Runs a grid in a child process and waits for it.

    Args:
        library, kernel: from `compile_library`, and the entry's number.
        dynamic: bytes of dynamic shared memory.
        reverse: run threads and blocks from the last to the first.
        grain: bytes of shared memory that the checker tells apart.
        time_limit: seconds.
    """
    pieces = _segments(arguments)
    offsets, total = [], 0
    for start, length, _ in pieces:
        offsets.append(total)
        total += -(-(start % 512 + length) // PAGE) * PAGE or PAGE
    files = [_memory_file(n) for n in ("data", "report", "log")]
    try:
        data, report, log = files
        os.ftruncate(data, max(total, PAGE))
        view = mmap.mmap(data, max(total, PAGE))
        lines = [f"library {kernel} {library}", f"data {data}", f"report {report}"]
        lines += [f"mode {mode}", f"reverse {int(reverse)}", f"grain {grain}"]
        lines += [f"limit {max(1, round(time_limit * 1000))}", f"dynamic {dynamic}"]
        lines += [f"grid {' '.join(map(str, grid))}", f"block {' '.join(map(str, block))}"]
        if mode == TRACED:
            lines.append(f"log {log} {MOST_TRACED}")
        place: dict[int, tuple[int, int]] = {}
        for number, ((start, length, members), at) in enumerate(
            zip(pieces, offsets, strict=True)
        ):
            skew = start % 512
            if length:
                view[at + skew : at + skew + length] = _bytes_at(start, length)
            size = min([4, *(arguments[i].itemsize for i in members)])
            lines.append(f"segment {at} {skew} {length} {size}")
            for i in members:
                place[i] = (number, arguments[i].address - start)
                lines.append(f"array {i} {place[i][1]} {arguments[i].bytes}")
        for i, a in enumerate(arguments):
            if a.kind == "pointer":
                number, offset = place[i]
                lines.append(f"pointer {a.code or 'any'} {number} {offset}")
            elif a.kind == "real":
                lines.append(f"real {float(a.value).hex()}")
            else:
                lines.append(f"{a.kind} {a.value if a.kind == 'integer' else ''}")
        ended, output = _follow("\n".join(lines), files, time_limit)
        ran = _read_report(report, ended, output)
        ran.traced = _contents(log) if mode == TRACED else b""
        for (start, length, _), at in zip(pieces, offsets, strict=True):
            skew = start % 512
            ran.segments.append((start, length, view[at + skew : at + skew + length]))
        view.close()
        return ran
    finally:
        for f in files:
            os.close(f)


def _bytes_at(address: int, length: int) -> memoryview:
    return memoryview((ctypes.c_char * length).from_address(address)).cast("B")


def _follow(request: str, files: list[int], time_limit: float) -> tuple[str, str]:
    process = subprocess.Popen(
        [str(runner())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        pass_fds=files,
    )
    try:
        output, _ = process.communicate(request.encode(), timeout=time_limit + 5)
    except BaseException as error:
        process.kill()
        process.wait()
        if isinstance(error, subprocess.TimeoutExpired):
            return "timeout", ""
        raise
    text = output.decode(errors="replace")[:20_000]
    return ("" if process.returncode == 0 else f"exit {process.returncode}"), text


def _contents(file: int) -> bytes:
    size = os.lseek(file, 0, os.SEEK_END)
    return os.pread(file, size, 0) if size else b""


def _read_report(report: int, ended: str, output: str) -> Ran:
    ran = Ran(ended or "exit", [], output, 0.0)
    for line in _contents(report).decode(errors="replace").splitlines():
        item = json.loads(line)
        if "finding" in item:
            ran.findings.append(item)
        elif "shared" in item:
            ran.shared.append(item)
        else:
            ran.ended, ran.seconds = item["ended"], item["ns"] / 1e9
    return ran


def write_back(ran: Ran) -> None:
    """Copies what the kernel wrote into the caller's tensors."""
    for start, length, after in ran.segments:
        if length:
            before = _bytes_at(start, length)
            if before != after:
                before[:] = after


def tensor_argument(tensor: torch.Tensor, code: str, extent: int) -> Argument:
    """The memory of a tensor: `extent` elements from its first."""
    size = tensor.element_size()
    return Argument("pointer", 0, code, tensor.data_ptr(), extent * size, size)


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
