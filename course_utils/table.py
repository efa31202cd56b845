"""A small table that a notebook shows as HTML and everything else as aligned text.

Used by `doctor`, `layers`, `layout` and `check.progress`.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any


class Table:
    """Rows under column names, with an optional title.

    Args:
        rows: each with as many cells as there are columns; cells are shown by `str`.
        columns: names; "" for a column that needs none.
        title: a line above the table.

    Raises:
        ValueError: if a row has another number of cells than there are columns.
    """

    def __init__(
        self,
        rows: Iterable[Sequence[Any]],
        columns: Sequence[str],
        title: str = "",
    ) -> None:
        self.rows = [tuple(row) for row in rows]
        self.columns = list(columns)
        self.title = title
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(
                    f"expected {len(self.columns)} cells in each row, one for each of "
                    f"{self.columns}, got {len(row)}: {row!r}"
                )

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> list[Any]:
        """The cells of one column."""
        return [row[self.columns.index(name)] for row in self.rows]

    def __repr__(self) -> str:
        cells = [[_line(c) for c in row] for row in [self.columns, *self.rows]]
        widths = [max(len(row[i]) for row in cells) for i in range(len(self.columns))]
        right = [self._is_number(i) for i in range(len(self.columns))]
        lines = [self.title] if self.title else []
        for n, row in enumerate(cells):
            parts = [
                c.rjust(w) if r else c.ljust(w)
                for c, w, r in zip(row, widths, right, strict=True)
            ]
            lines.append("  ".join(parts).rstrip())
            if n == 0:
                lines.append("  ".join("-" * w for w in widths))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        align = ["right" if self._is_number(i) else "left" for i in range(self._wide)]
        style = "text-align:{};vertical-align:top;padding:.2em .8em"
        head = "".join(
            f'<th style="{style.format(a)}">{_cell(c)}</th>'
            for c, a in zip(self.columns, align, strict=True)
        )
        body = "".join(
            "<tr>"
            + "".join(
                f'<td style="{style.format(a)}">{_cell(c)}</td>'
                for c, a in zip(row, align, strict=True)
            )
            + "</tr>"
            for row in self.rows
        )
        title = (
            f'<caption style="text-align:left;font-weight:bold">{_cell(self.title)}'
            "</caption>"
            if self.title
            else ""
        )
        return (
            f'<table style="margin-left:0">{title}<thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table>"
        )

    @property
    def _wide(self) -> int:
        return len(self.columns)

    def _is_number(self, column: int) -> bool:
        kinds = {type(row[column]) for row in self.rows}
        return bool(kinds) and kinds <= {int, float}


def _line(cell: Any) -> str:
    return " ".join(str(cell).split("\n"))


def _cell(cell: Any) -> str:
    """Escapes a cell and sets what stands between backquotes as code."""
    pieces = html.escape(str(cell)).replace("\n", "<br>").split("`")
    if len(pieces) % 2 == 0:
        return "`".join(pieces)
    return "".join(
        f"<code>{piece}</code>" if i % 2 else piece for i, piece in enumerate(pieces)
    )
