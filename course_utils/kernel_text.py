"""Takes C++ text apart without understanding it: comments, brackets, declarations.

Used by `kernel_source`, which decides what each declaration is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


class KernelError(RuntimeError):
    """A kernel that can't be compiled or launched; the message says why.

    Notebooks show it without the Python stack.
    """

    def _render_traceback_(self) -> list[str]:
        return [f"{type(self).__name__}: {self}"]


def blank(text: str) -> str:
    """The text with comments and the insides of literals as spaces."""
    pattern = (
        r"//(?:\\\n|[^\n])*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|(?<!\w)'(?:\\.|[^'\\\n])+'"
    )

    def spaces(match: re.Match[str]) -> str:
        found = match.group()
        if found[0] in "\"'":
            return found[0] + " " * (len(found) - 2) + found[0]
        return re.sub(r"[^\n]", " ", found)

    return re.sub(pattern, spaces, text, flags=re.DOTALL)


def blank_directives(text: str) -> str:
    """The text with form feeds, which are white space, for the preprocessor's lines."""
    return re.sub(
        r"^[ \t]*#(?:\\\n|[^\n])*",
        lambda m: re.sub(r"[^\n]", "\f", m.group()),
        text,
        flags=re.MULTILINE,
    )


def matching(text: str, start: int, pair: str = "{}") -> int:
    """The index of the bracket that closes the one at `start`; -1 if none does."""
    depth = 0
    for i in range(start, len(text)):
        if text[i] == pair[0]:
            depth += 1
        elif text[i] == pair[1]:
            depth -= 1
            if depth == 0:
                return i
    return -1


@dataclass
class Chunk:
    start: int
    end: int
    head: str
    body: bool
    scope: tuple[str, ...]


def chunks(flat: str, name: str) -> Iterator[Chunk]:
    """The declarations at namespace scope, in order."""
    scope: list[str] = []
    start, i, depth = 0, 0, 0
    while i < len(flat):
        c = flat[i]
        if c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        elif depth == 0 and c == "{":
            head = flat[start:i]
            opens = re.search(
                r"(?:\bnamespace\s*([\w:]*)|\bextern\s*\"\s*\")\s*$", head
            )
            if opens:
                scope.append(opens.group(1) or "")
                start = i + 1
            else:
                close = matching(flat, i)
                if close < 0:
                    line = flat.count("\n", 0, i) + 1
                    raise KernelError(f"{name}: the brace of line {line} has no end")
                if _is_function(head):
                    yield Chunk(start, close + 1, head, True, tuple(scope))
                    start = close + 1
                i = close
        elif depth == 0 and c == "}":
            if scope:
                scope.pop()
            start = i + 1
        elif depth == 0 and c == ";":
            yield Chunk(start, i + 1, flat[start:i], False, tuple(scope))
            start = i + 1
        i += 1


def _is_function(head: str) -> bool:
    nested = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
    head = re.sub(rf"\b(?:alignas|__align__|__attribute__)\s*{nested}", " ", head)
    outside = outside_parentheses(head)
    if re.search(
        r"(?<!operator)=", re.sub(r"operator\s*[=!<>]*=", "operator", outside)
    ):
        return False
    return "(" in head


def outside_parentheses(text: str) -> str:
    text = re.sub(r"\btemplate\s*<[^;{}()]*?>(?=\s*[\w_])", " ", text)
    while True:
        shorter = re.sub(r"\([^()]*\)", " ", text)
        if shorter == text:
            return text
        text = shorter
