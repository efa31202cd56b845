"""Turns `__shared__` declarations into memory that the host's runner watches.

`__shared__ float s[256];` becomes a reference to an array that the runner lays out with
room on both sides; each place that declares one has its own. Used by `kernel_compile`.
"""

from __future__ import annotations

import re

from course_utils.kernel_source import KernelError, blank, matching
from course_utils.kernel_types import split


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
