"""Shows real source text, highlighted: a Python object, a file, or a marked region.

Used by every lesson that reads code, so that nothing is pasted into a notebook twice.
A region is what stands between `// [name]` and `// [/name]` (`#` in Python).
"""

from __future__ import annotations

import html
import inspect
import re
import textwrap
from pathlib import Path
from typing import Any

from course_utils.paths import CSRC, ROOT

_LEXERS = {
    ".py": "python",
    ".cpp": "cpp",
    ".h": "cpp",
    ".cu": "cuda",
    ".cuh": "cuda",
    ".toml": "toml",
    ".yml": "yaml",
    ".ninja": "text",
}


class Source:
    """Source text with a caption; `repr` is the bare text."""

    def __init__(self, text: str, caption: str, language: str) -> None:
        self.text, self.caption, self.language = text, caption, language

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from pygments import highlight
        from pygments.formatters import HtmlFormatter
        from pygments.lexers import get_lexer_by_name
        from pygments.util import ClassNotFound

        try:
            lexer = get_lexer_by_name(self.language)
        except ClassNotFound:
            lexer = get_lexer_by_name("cpp")
        # Colors made for white would vanish on a dark page; a light ground of our own
        # keeps them readable on both.
        body = highlight(
            self.text,
            lexer,
            HtmlFormatter(noclasses=True, nobackground=True, style="default"),
        )
        return (
            '<div style="border-left:3px solid #999999;background:#f7f7f7;color:#111;'
            'padding:.3em .8em;overflow-x:auto;line-height:1.35">'
            f'<div style="color:#666;font-size:.85em">{html.escape(self.caption)}</div>'
            f"{body}</div>"
        )


def show(thing: Any, region: str | None = None) -> Source:
    """The source of a Python object, or of a file of the course.

    Args:
        thing: a function, class or module, or a path below the course's folder or
            below `csrc` ("relu/relu.cpp").
        region: only the part of the file between the marks of this name.

    Raises:
        FileNotFoundError: if the file does not exist, or lies outside the course.
        ValueError: if the file has no such region (lists those that it has), or the
            region is never closed.
        TypeError: if Python cannot tell the source, as with built-in functions.
    """
    if isinstance(thing, str | Path):
        return _file(Path(thing), region)
    if region is not None:
        raise ValueError("expected a path with `region`, got a Python object")
    name = getattr(thing, "__name__", type(thing).__name__)
    try:
        lines, first = inspect.getsourcelines(thing)
    except TypeError:
        raise TypeError(
            f"{name} has no Python source to show: it is compiled, or an instance; "
            "expected a function, class, module or path"
        ) from None
    path = inspect.getsourcefile(thing) or ""
    return Source(
        textwrap.dedent("".join(lines)).rstrip("\n"),
        f"{name}, in {_short(path)}, from line {max(first, 1)}",
        "python",
    )


def _short(path: str) -> str:
    if "ipykernel" in path or path.startswith("<"):
        return "this notebook"
    parts = Path(path).parts
    if "site-packages" in parts:
        return "/".join(parts[parts.index("site-packages") + 1 :])
    try:
        return str(Path(path).resolve().relative_to(ROOT))
    except ValueError:
        return Path(path).name


def _file(path: Path, region: str | None) -> Source:
    full = _find(path)
    lines = full.read_text().splitlines()
    shown, first = _region(lines, region, path) if region else (_unmarked(lines), 1)
    where = f", from line {first}" if region else ""
    text = textwrap.dedent("\n".join(shown)).strip("\n")
    caption = f"{full.relative_to(ROOT)}{where}"
    return Source(text, caption, _LEXERS.get(full.suffix, "text"))


def _find(path: Path) -> Path:
    for base in (ROOT, CSRC):
        full = (base / path).resolve()
        if full.is_file() and full.is_relative_to(ROOT):
            return full
    raise FileNotFoundError(
        f"expected a file below the course's folder or below csrc, got {str(path)!r}"
    )


_MARK = re.compile(r"^\s*(?://|#) \[(/?)([\w-]+)\]\s*$")


def _unmarked(lines: list[str]) -> list[str]:
    return [line for line in lines if not _MARK.match(line)]


def _region(lines: list[str], region: str, path: Path) -> tuple[list[str], int]:
    marks = [(i, m) for i, line in enumerate(lines) if (m := _MARK.match(line))]
    begins = [i for i, m in marks if m[2] == region and not m[1]]
    ends = [i for i, m in marks if m[2] == region and m[1]]
    if len(begins) == 1 and not ends:
        raise ValueError(f"region {region!r} of {path} is never closed: [/{region}]")
    if len(begins) != 1 or len(ends) != 1:
        closed = {m[2] for _, m in marks if m[1]}
        known = [m[2] for _, m in marks if not m[1] and m[2] in closed]
        raise ValueError(
            f"{path} has no region {region!r}; it has: {', '.join(known) or 'none'}"
        )
    return _unmarked(lines[begins[0] + 1 : ends[0]]), begins[0] + 2
