"""Reads a failed build, or a failed import of what was built, as an expert would.

Used by lesson 20. Root causes come before their echoes: "ninja -v returned non-zero
exit status 1" is only the driver saying that something above it failed.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from course_utils.failure_rules import RULES, Rule

_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_DECOYS = re.compile(
    r"^(?:\[rank\d+\]:)?\[?W\d{3,4}[ \d]|^\S*\s*(?:User|Deprecation|Future)Warning|"
    r"\bwarning:|^W\w* .*cpp_extension|minor version mismatch|no g\+\+ version bounds|"
    r"TORCH_CUDA_ARCH_LIST is not set",
    re.I,
)
_ERROR = re.compile(
    r"\b(?:fatal )?error\b\s*[:C#]|\w*Error:|^E\s{3}|CMake Error|nvcc fatal|undefined "
    r"(?:symbol|reference)|FAILED|terminate called",
)
_QUOTES = str.maketrans("\u2018\u2019\u201c\u201d", "''\"\"")
_ECHO = re.compile(
    r"ninja['\", ]+-v|subprocess-exited-with-error|Error building extension|"
    r"Error compiling objects|CalledProcessError|ninja: build stopped|"
    r"exit (?:status|code)|FAILED: "
)


@dataclass(frozen=True)
class Explanation:
    """What a log says.

    Attributes:
        topic: a short name of the family, "" if it is not known.
        cause, mend: for people.
        evidence: the line of the log that this rests on.
    """

    topic: str
    cause: str
    mend: str
    evidence: str

    @property
    def known(self) -> bool:
        return bool(self.topic)

    def __repr__(self) -> str:
        parts = [
            ("problem", self.topic or "not one that I know"),
            ("seen in", self.evidence),
            ("cause", self.cause),
            ("mend", self.mend),
        ]
        return "\n".join(f"{k:>7}: {v}" for k, v in parts if v)

    def _repr_html_(self) -> str:
        rows = "".join(
            f'<tr style="background:none"><td style="text-align:left;opacity:.7;'
            f'vertical-align:top">{k}</td>'
            f'<td style="text-align:left">{_code(v)}</td></tr>'
            for k, v in (
                ("problem", self.topic or "not one that I know"),
                ("seen in", f"`{self.evidence}`" if self.evidence else ""),
                ("cause", self.cause),
                ("mend", self.mend),
            )
            if v
        )
        return f'<table style="margin-left:0">{rows}</table>'


def explain(log: str | BaseException) -> Explanation:
    """Says what a build log, a traceback or an exception means.

    Args:
        log: the whole text is best; the first real error in it counts, and warnings
            that stand in nearly every log do not.

    Returns:
        An `Explanation`; its topic is "" where no rule fits, and it then names the
        first error line instead of guessing.
    """
    text = getattr(log, "text", "") or str(log)
    if isinstance(log, BaseException) and log.__cause__ is not None:
        text = f"{log.__cause__}\n{text}"
    lines = [_ANSI.sub("", line) for line in text.splitlines()]
    kept = [line for line in lines if not _DECOYS.search(line)]
    found = _first_rule(RULES, "\n".join(kept))
    if found is None and not _real_errors(kept):
        # Nothing failed but by a warning: some families say no more than that.
        found = _first_rule([r for r in RULES if r.warns], "\n".join(lines))
    return found or _unknown(kept, len(kept) < len(lines))


def _first_rule(rules: Sequence[Rule], body: str) -> Explanation | None:
    plain = body.translate(_QUOTES)  # one character for one: positions stay
    for rule in rules:
        match = rule.find(plain)
        if match:
            return Explanation(
                rule.topic,
                _fill(rule.cause, plain),
                _fill(rule.mend, plain),
                _line_of(body, match),
            )
    return None


def _real_errors(lines: list[str]) -> list[str]:
    errors = [line for line in lines if _ERROR.search(line)]
    return [line for line in errors if not _ECHO.search(line)]


def _unknown(lines: list[str], warned: bool) -> Explanation:
    real = _real_errors(lines)
    if real:
        return Explanation(
            "",
            "No family that I know. The first line that reports an error is above; "
            "what follows it is often only its consequence.",
            "Look that line up with the names of your own files taken out.",
            real[0].strip()[:300],
        )
    echo = next((line for line in lines if _ECHO.search(line)), None)
    if echo is not None:
        return Explanation(
            "error not shown",
            "This line comes from a driver (`ninja -v`, setuptools, pip) and only "
            "reports that a command of the build failed; the command and its error "
            "stand above, in a part that is not in this text.",
            "Run again and read upwards to `FAILED:` and the first `error:` behind it. "
            "Do not change `ninja -v` to `ninja --version` in torch's files, as some "
            "advise: then nothing is built at all.",
            echo.strip()[:300],
        )
    harmless = (
        " Its warnings (a minor version mismatch, no g++ bounds, no "
        "TORCH_CUDA_ARCH_LIST and their like) stand in nearly every log and are "
        "harmless."
    )
    return Explanation(
        "",
        "This text reports no error." + (harmless if warned else ""),
        "Give me the whole output, from the first command on; the first `error:` in "
        "it is what counts.",
        "",
    )


def _line_of(body: str, match: re.Match[str]) -> str:
    """The last line of a match that spans several: that is where it was recognized."""
    at = match.end() - 1 if "\n" in match[0] else match.start()
    at = max(at, 0)
    begin = body.rfind("\n", 0, at) + 1
    end = body.find("\n", at)
    line = body[begin : end if end >= 0 else None].strip()
    return line[:300] or match[0].strip().splitlines()[0][:300]


def _fill(text: str, body: str) -> str:
    if text == "{registered}":
        return _registered(body)[0]
    if text == "{register_mend}":
        return _registered(body)[1]
    if text == "{abi}":
        return _abi(body)
    return text


def _registered(body: str) -> tuple[str, str]:
    """Two registrations at one place are one library loaded twice."""
    places = re.findall(r"registered at ([^\s;]+)", body)
    if len(set(places)) > 1:
        return (
            "Two files each open TORCH_LIBRARY for one namespace "
            f"({' and '.join(dict.fromkeys(places))}); only one may define it.",
            "Leave TORCH_LIBRARY in one file and write TORCH_LIBRARY_FRAGMENT, or "
            "TORCH_LIBRARY_IMPL for implementations, in the others.",
        )
    return (
        "One library was loaded twice into one process, from two places or after a "
        "rebuild; each load registers the same operators, and the second one ends the "
        "process.",
        "Load it once, restart the kernel after a rebuild, or give each build a "
        "namespace of its own, as this course's `build` does.",
    )


def _abi(body: str) -> str:
    """Whether the library wants the new strings (__cxx11) or the old (Ss)."""
    new = re.search(r"undefined symbol: \S*__cxx11", body) is not None
    mine, theirs = ("new", "old") if new else ("old", "new")
    return (
        f"The library was compiled for the {mine} C++11 ABI of std::string, and torch "
        f"for the {theirs} one: the functions' names differ in just that type."
    )


def _code(text: str) -> str:
    pieces = html.escape(text).split("`")
    if len(pieces) % 2 == 0:
        return html.escape(text)
    return "".join(
        f"<code>{piece}</code>" if i % 2 else piece for i, piece in enumerate(pieces)
    )
