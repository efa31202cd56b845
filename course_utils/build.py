"""Compiles and loads C++ operators, as often as the reader edits them.

Used by lesson 20 and by every exercise in C++. Each build gets a namespace of its own
from a hash of its text, so an edited operator never meets its former self: registering
one name twice would end the process. The stable ABI is the usual form: its headers
compile in a second and a half, where `torch/extension.h` takes half a minute.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from course_utils import compiler
from course_utils.compiler import BuildError as BuildError
from course_utils.extension import Extension as Extension
from course_utils.extension import FailedBuild as FailedBuild
from course_utils.paths import CSRC, ROOT, cache_dir
from course_utils.torch_build import load_inline as load_inline

FORMS = ("stable", "library", "pybind")


def cpp(
    source: str,
    name: str,
    form: str = "stable",
    flags: Sequence[str] = (),
    first_line: int = 1,
    where: str = "",
) -> Extension:
    """Compiles C++ text and returns the operators in it.

    Args:
        source: registers with `STABLE_TORCH_LIBRARY(COURSE_NAMESPACE, m)`,
            `TORCH_LIBRARY(COURSE_NAMESPACE, m)` or
            `PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)`.
        name: an identifier; names the build in messages.
        form: "stable" (torch's stable ABI), "library" (ATen and `TORCH_LIBRARY`) or
            "pybind" (`torch/extension.h`).
        flags: more options for the compiler.
        first_line: number of the text's first line where the reader sees it.
        where: what error messages call the text; "cell <name>" if not given.

    Raises:
        BuildError: if it does not compile.
        ValueError: for an unknown form, or a name that is no identifier.
    """
    _check_names(name, form)
    namespace = f"{name}_{_key([source], form, flags)}"
    folder = cache_dir() / namespace
    text = f'#line {first_line} "{where or "cell " + name}"\n{source}\n'
    return _build(name, form, namespace, folder, source, flags, {f"{name}.cpp": text})


def load(
    files: str | Path | Sequence[str | Path],
    name: str | None = None,
    form: str = "stable",
    flags: Sequence[str] = (),
) -> Extension:
    """Compiles C++ files of `csrc` together and returns the operators in them.

    Args:
        files: one or several paths below `csrc` ("relu_cpu/relu_stable.cpp").
    Raises:
        BuildError, ValueError: as `cpp`. FileNotFoundError: if a file is not there.
    """
    paths = [files] if isinstance(files, str | Path) else list(files)
    full = [p if Path(p).is_absolute() else CSRC / p for p in paths]
    for path in full:
        if not Path(path).is_file():
            raise FileNotFoundError(f"expected a file below {CSRC.name}/, got {path}")
    name = name or Path(full[0]).stem
    _check_names(name, form)
    texts = [Path(p).read_text() for p in full]
    headers = _included(Path(p) for p in full)
    namespace = f"{name}_{_key([*texts, *headers], form, flags)}"
    source = "\n".join(texts)
    sources = {
        f"{i}_{Path(p).name}": f'#line 1 "{_short(Path(p))}"\n{t}'
        for i, (p, t) in enumerate(zip(full, texts, strict=True))
    }
    include = [f"-I{Path(p).parent}" for p in full]
    return _build(
        name,
        form,
        namespace,
        cache_dir() / namespace,
        source,
        [*flags, *dict.fromkeys(include)],
        sources,
    )


_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def _included(files: Iterable[Path]) -> list[str]:
    """The texts of the headers that the files include by quotation marks, and theirs:
    an edit in any of them is an edit of the operator."""
    waiting, seen = [Path(f).resolve() for f in files], {}
    folders = list(dict.fromkeys(f.parent for f in waiting))
    first = set(waiting)
    while waiting:
        file = waiting.pop()
        if file in seen:
            continue
        seen[file] = file.read_text()
        for name in _INCLUDE.findall(seen[file]):
            places = [folder / name for folder in (file.parent, *folders)]
            waiting += [p.resolve() for p in places if p.is_file()][:1]
    return [text for file, text in sorted(seen.items()) if file not in first]


def _short(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name


def _check_names(name: str, form: str) -> None:
    if form not in FORMS:
        raise ValueError(f"expected a form of {FORMS}, got {form!r}")
    if not re.fullmatch(r"[A-Za-z]\w*", name):
        raise ValueError(
            f"expected a name of letters, digits and underscores, got {name!r}"
        )


def _key(texts: Sequence[str], form: str, flags: Sequence[str]) -> str:
    import torch

    known = (
        list(texts),
        form,
        list(flags),
        torch.__version__,
        torch.compiled_with_cxx11_abi(),
        compiler.version(compiler.find()),
        compiler.OPTIONS,
        compiler.flags(form),
    )
    return hashlib.sha256(repr(known).encode()).hexdigest()[:10]


def _build(
    name: str,
    form: str,
    namespace: str,
    folder: Path,
    source: str,
    flags: Sequence[str],
    sources: dict[str, str],
) -> Extension:
    library = folder / f"{namespace}.so"
    begin = time.perf_counter()
    with _locked(folder):
        cached = library.exists()
        if not cached:
            for file, text in sources.items():
                (folder / file).write_text(text)
            partial = folder / f"{namespace}.{os.getpid()}.partial"
            macros = [f"COURSE_NAMESPACE={namespace}"]
            if form == "pybind":
                macros.append(f"TORCH_EXTENSION_NAME={namespace}")
            try:
                compiler.compile_library(
                    [Path(f) for f in sources], partial, form, macros, flags, folder
                )
                partial.replace(library)
            finally:
                partial.unlink(missing_ok=True)
    seconds = time.perf_counter() - begin
    return Extension(name, form, namespace, library, source, seconds, cached)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One build of one text at a time. The system drops the lock with its holder, so
    a build that was killed leaves nothing behind that could block the next."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = open(folder / "lock", "w")
    except OSError as error:
        raise BuildError(
            f"cannot write to {folder} ({error.strerror}); set COURSE_CACHE to "
            "another folder"
        ) from error
    with handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
