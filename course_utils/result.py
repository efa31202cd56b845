"""The box that a check shows: as HTML in a notebook, as text everywhere else.

Used by `check`. Colors are Okabe-Ito and are never the only sign: the word says it too.
"""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from typing import Any

# status: color of the bar, mark, words
_LOOK = {
    "correct": ("#009E73", "✓", "correct"),
    "wrong": ("#D55E00", "✗", "not right yet"),
    "not attempted": ("#999999", "○", "not attempted yet"),
    "broken": ("#CC79A7", "?", "the check itself failed"),
}


@dataclass
class Result:
    """What a check found.

    Attributes:
        status: "correct", "wrong", "not attempted" or "broken".
        cases: how many cases were tried, the wrong one included.
        sentence: the cause, in one sentence.
        facts: what shows it, as pairs of a label and a text.
    """

    id: str
    title: str
    status: str
    cases: int = 0
    sentence: str = ""
    facts: list[tuple[str, str]] = field(default_factory=list)
    advice: str = ""
    printed: str = ""
    trace: str = ""

    def __bool__(self) -> bool:
        return self.status == "correct"

    def _head(self) -> str:
        _, mark, words = _LOOK[self.status]
        count = ""
        if self.status == "correct" and self.cases:
            count = f" ({self.cases} case{'s' if self.cases > 1 else ''})"
        return f"{mark} {self.id} {self.title}: {words}{count}"

    def __repr__(self) -> str:
        lines = [self._head()]
        if self.sentence:
            lines.append(f"  {self.sentence}")
        width = max((len(label) for label, _ in self.facts), default=0)
        lines += [f"    {label:<{width}}  {text}" for label, text in self.facts]
        if self.advice:
            lines.append(f"  {self.advice}")
        if self.printed:
            lines += ["  It printed:", *_indented(self.printed, 8)]
        if self.trace:
            lines += ["  Where:", *_indented(self.trace, 12)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        color, mark, words = _LOOK[self.status]
        e = html.escape
        head = e(self._head()).replace(e(words), f"<b>{e(words)}</b>", 1)
        parts = [f'<div style="font-size:1.05em">{head}</div>']
        if self.sentence:
            parts.append(f'<div style="margin-top:.3em">{_code(self.sentence)}</div>')
        if self.facts:
            rows = "".join(
                '<tr style="background:none"><td style="text-align:left;opacity:.7;'
                f'padding:0 1em 0 0;vertical-align:top">{e(label)}</td>'
                '<td style="text-align:left;padding:0"><code style="white-space:'
                f'pre-wrap">{e(text)}</code></td></tr>'
                for label, text in self.facts
            )
            parts.append(f'<table style="margin:.4em 0">{rows}</table>')
        if self.advice:
            parts.append(f'<div style="opacity:.8">{_code(self.advice)}</div>')
        parts += [
            f"<details><summary>{title}</summary>"
            f'<pre style="white-space:pre-wrap">{e(text)}</pre></details>'
            for title, text in (
                ("what it printed", self.printed),
                ("where it failed", self.trace),
            )
            if text
        ]
        return (
            f'<div style="border-left:5px solid {color};padding:.5em 1em;'
            f'margin:.3em 0;background:{color}14">' + "".join(parts) + "</div>"
        )

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> tuple[dict[str, str], dict[str, Any]]:
        data = {"text/plain": repr(self), "text/html": self._repr_html_()}
        return data, {"course": {"id": self.id, "status": self.status}}


def _indented(text: str, most: int) -> list[str]:
    lines = text.rstrip().splitlines()
    shown = [f"    {line[:160]}" for line in lines[:most]]
    if len(lines) > most:
        shown.append(f"    [{len(lines) - most} lines more]")
    return shown


def _code(text: str) -> str:
    """Escapes a sentence and sets what stands between backquotes as code."""
    pieces = html.escape(text).split("`")
    if len(pieces) % 2 == 0:  # an unpaired backquote: leave all as it is
        return html.escape(text)
    return "".join(
        f"<code>{piece}</code>" if i % 2 else piece for i, piece in enumerate(pieces)
    )
