"""Reads CUDA C++ text: which kernels it holds, what they take, what can't be run.

The kernel lab hands the same text to two compilers, NVRTC and the host's. Neither
takes host code such as a launch with `<<<...>>>`, so functions without `__device__`
or `__global__` are left out here, each line keeping its number. Used by `kernel_lab`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from course_utils import kernel_types
from course_utils.kernel_text import (
    Chunk,
    KernelError,
    blank,
    blank_directives,
    chunks,
    matching,
    outside_parentheses,
)
from course_utils.kernel_types import Parameter

KEPT_HEADERS = {
    "shim": "cuda.h cuda_runtime.h cuda_runtime_api.h device_launch_parameters.h "
    "device_functions.h vector_types.h math_constants.h cuda_fp16.h cuda_bf16.h "
    "cooperative_groups.h cooperative_groups/reduce.h cooperative_groups/scan.h",
    "standard": "assert.h cassert float.h cfloat limits.h climits limits math.h cmath "
    "stddef.h cstddef stdint.h cstdint stdio.h cstdio stdlib.h cstdlib string.h "
    "cstring type_traits utility algorithm functional tuple array",
}

# What the host's runtime does not have, and the words a kernel would name it by.
MISSING = (
    (r"\basm\b|\b__asm__\b", "inline PTX (`asm`)"),
    (r"\bwmma\b|\bnvcuda\b|\bmma_sync\b", "tensor cores (`wmma`)"),
    (r"\bcub::|\busing\s+namespace\s+cub\b", "CUB (`cub::`)"),
    (r"\bthrust::", "Thrust (`thrust::`)"),
    (r"\bcute::|\bcutlass::", "CUTLASS (`cute::`, `cutlass::`)"),
    (r"\bcuda::|\bcuda::std\b", "libcu++ (`cuda::`)"),
    (r"\btexture\s*<|\bcudaTextureObject_t\b|\btex[123]D\w*\s*[<(]", "textures"),
    (r"\bcudaSurfaceObject_t\b|\bsurf[123]D\w+\s*[<(]", "surfaces"),
    (r"\bmemcpy_async\b|\b__pipeline_\w+|\bcuda_pipeline\b", "asynchronous copies"),
    (r"\bcurand\w*", "cuRAND (`curand`)"),
    (r"\bthis_cluster\b|\b__cluster_dims__\b", "thread block clusters"),
    (r"\bthis_multi_grid\b", "multi-device groups"),
    (r"\bcudaMalloc\w*|\bcudaFree\w*|\bcudaMemcpy\w*", "memory calls in device code"),
    (r"<<<", "a launch from device code (`<<<...>>>`)"),
    (r"\b(?:malloc|free)\s*\(|\bnew\s+\w+\s*[\[(;]", "a heap in device code"),
    (r"\b__managed__\b", "managed memory (`__managed__`)"),
)


@dataclass(frozen=True)
class Kernel:
    """One `__global__` function.

    Attributes:
        name: as written; `qualified` with its namespaces.
        template: its template parameters as written, `()` for none.
        line: of the source, where its name stands.
    """

    name: str
    qualified: str
    template: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    line: int

    def __str__(self) -> str:
        inside = ", ".join(map(str, self.parameters))
        return f"{self.name}({inside})"


@dataclass
class Source:
    """What `read` found in a text.

    Attributes:
        kept: the text without host functions and without most includes.
        symbols: variables of the device at namespace scope, with their full names.
        missing: what the host's runtime lacks for it, in words.
    """

    name: str
    text: str
    kept: str = ""
    kernels: dict[str, Kernel] = field(default_factory=dict)
    symbols: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)


def _is_device(head: str) -> bool:
    return bool(re.search(r"\b(?:__device__|__global__|constexpr)\b", head))


# Types that only host code has; a variable of one is left out.
_HOST_TYPES = (
    r"\b(?:cublas|cudnn|cusolver|cusparse|nccl|curand)\w*_t\b|\bcudaDeviceProp\b|"
    r"\bcudaEvent_t\b|\bstd::(?:vector|string|map|unique_ptr|chrono|mt19937)\b|"
    r"\b(?:at|torch|c10)::"
)


def _is_host_prototype(head: str) -> bool:
    """A declaration of a function, or a template's instantiation, for the host."""
    head = head.strip()
    if re.search(_HOST_TYPES, head) and not _is_device(head):
        return True
    if re.match(r"template\b(?!\s*<)", head):
        return True
    if _is_device(head) or re.match(r"(?:using|typedef|static_assert|friend)\b", head):
        return False
    if "__constant__" in head or "=" in outside_parentheses(head):
        return False
    return bool(re.search(r"[\w>&*\]]\s+[*&]?\s*[\w:]+\s*\([^{}]*\)\s*$", head))


def read(
    text: str, name: str, first_line: int = 1, folder: Path | None = None
) -> Source:
    """Reads CUDA text.

    Args:
        text: a cell or a file.
        name: for messages and for the compiler.
        first_line: the number of the text's first line.
        folder: where `#include "..."` is looked for; None refuses it.

    Raises:
        KernelError: if there is no kernel, a file is not found, or braces don't match.
    """
    source = Source(name, text)
    text = f'#line {first_line} "{name}"\n' + _with_includes(text, name, folder)
    text = re.sub(r"\b__noinline__\b", "HC_NOINLINE", text)
    clean = blank(text)
    flat = blank_directives(clean)
    keep = list(text)
    for chunk in chunks(flat, name):
        if chunk.body and "__global__" in chunk.head:
            kernel = _kernel(chunk, _line_at(text, _name_at(chunk)), clean)
            source.kernels[kernel.name] = kernel
        elif not chunk.body and (symbol := _symbol(chunk)):
            source.symbols[symbol.split("::")[-1]] = symbol
        elif (chunk.body and not _is_device(chunk.head)) or (
            not chunk.body and _is_host_prototype(chunk.head)
        ):
            for i in range(chunk.start, chunk.end):
                if keep[i] != "\n" and flat[i] != "\f":
                    keep[i] = " "
    source.kept = _without_includes("".join(keep))
    if not source.kernels:
        raise KernelError(
            f"{name}: expected at least one kernel, a function that begins with "
            "`__global__ void`; found none"
        )
    source.missing = _missing(blank_directives(blank(source.kept)))
    return source


def _symbol(chunk: Chunk) -> str:
    """The name of a `__constant__` or `__device__` variable, "" if it is none."""
    before = re.split(r"=|\{", chunk.head)[0]
    if not re.search(r"\b__(?:constant|device)__\b", before):
        return ""
    plain = re.sub(r"\b(?:alignas|__align__)\s*\([^()]*\)", "", before)
    found = re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*$", plain)
    if "(" in plain or not found:
        return ""
    return "::".join([*(s for s in chunk.scope if s), found.group(1)])


def _line_at(text: str, index: int) -> int:
    """The line of an index as the `#line` before it counts."""
    marks = re.findall(r'^#line (\d+) "[^"]*"\n', text[:index], re.MULTILINE)
    begin = text.rindex("#line ", 0, index)
    return int(marks[-1]) + text.count("\n", begin, index) - 1


def _name_at(chunk: Chunk) -> int:
    return chunk.start + chunk.head.index("__global__")


def _kernel(chunk: Chunk, line: int, clean: str) -> Kernel:
    head = chunk.head.rstrip()
    close = len(head) - 1
    opened = close
    depth = 0
    for opened in range(close, -1, -1):
        depth += {")": 1, "(": -1}.get(head[opened], 0)
        if depth == 0:
            break
    name = re.search(r"(\w+)\s*$", head[:opened])
    if head[-1:] != ")" or not name:
        raise KernelError(f"the kernel of line {line} can't be read: {head.strip()!r}")
    template: tuple[str, ...] = ()
    begins = re.search(r"\btemplate\s*<", head)
    if begins:
        end = matching(head, begins.end() - 1, "<>")
        template = tuple(kernel_types.split(head[begins.end() : end]))
    aliases = kernel_types.aliases(clean)
    parameters = tuple(
        kernel_types.parameter(p, aliases, template)
        for p in kernel_types.split(head[opened + 1 : close])
        if p != "void"
    )
    scopes = [s for s in chunk.scope if s]
    qualified = "::".join([*scopes, name.group(1)])
    return Kernel(name.group(1), qualified, template, parameters, line)


def _with_includes(text: str, name: str, folder: Path | None) -> str:
    """The text with every `#include "..."` replaced by the file."""
    if folder is None:
        folder = Path("/nowhere")
    seen: set[Path] = set()

    def expand(text: str, label: str, where: Path, first: int) -> str:
        lines = []
        for number, line in enumerate(text.split("\n"), first):
            found = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if not found or found.group(1) in KEPT_HEADERS["shim"].split():
                lines.append(line)
                continue
            path = (where / found.group(1)).resolve()
            if not path.is_file():
                lines.append("")  # host code's own header; a kernel that needs it
                continue  # fails to compile, and the compiler names what it misses
            if path not in seen:
                seen.add(path)
                inner = path.read_text().replace("#pragma once", "")
                lines.append(f'#line 1 "{found.group(1)}"')
                lines.append(expand(inner, found.group(1), path.parent, 1))
            lines.append(f'#line {number + 1} "{label}"')
        return "\n".join(lines)

    return expand(text, name, folder, 1)


def _without_includes(text: str) -> str:
    kept = set(" ".join(KEPT_HEADERS.values()).split())

    def decide(match: re.Match[str]) -> str:
        return match.group() if match.group(1) in kept else ""

    return re.sub(
        r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"][^\n]*',
        decide,
        text,
        flags=re.MULTILINE,
    )


def _missing(flat: str) -> list[str]:
    found = [words for pattern, words in MISSING if re.search(pattern, flat)]
    for grid in re.findall(r"\b(\w+)\s*=\s*(?:\w+::)*this_grid\s*\(\s*\)", flat):
        if re.search(rf"\b{grid}\s*\.\s*sync\s*\(", flat):
            found.append("a barrier of the whole grid (`grid.sync()`)")
    return found
