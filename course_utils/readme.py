"""The table of lessons in README.md, made from the lessons themselves.

Used by `make publish` and `make fmt`, and held to by a test. Titles and minutes come
from the lessons; what a lesson shows is written by hand in the table and kept.
"""

from __future__ import annotations

import re

from course_utils import lesson

BEGIN, END = "<!-- lessons -->", "<!-- /lessons -->"
_BADGE = "https://colab.research.google.com/assets/colab-badge.svg"


def table(old: str = "") -> str:
    """The table as Markdown, one row a lesson; descriptions are taken from `old`."""
    repository, tag = lesson.address()
    row = re.compile(r"(?m)^\| \[[^\]]*\]\((\S+)\) \| (.*?) \|")
    about = {path: words for path, words in row.findall(old)}
    rows = ["| lesson | what you see | minutes | in Colab |", "|---|---|---|---|"]
    for text in lesson.texts():
        source = text.read_text()
        path = f"notebooks/{text.stem}.ipynb"
        minutes = re.search(r"(?:about|some) (\d+) minutes", source)
        title = re.search(r"(?m)^# (.+)$", source)
        assert title, text.name
        colab = "after publishing"
        match = re.fullmatch(r"https://github\.com/([\w.-]+/[\w.-]+)", repository)
        if match and tag:
            link = (
                f"https://colab.research.google.com/github/{match[1]}/blob/{tag}/{path}"
            )
            colab = f"[![Open in Colab]({_BADGE})]({link})"
        rows.append(
            f"| [{title[1]}]({path}) | {about.get(path, '')} | "
            f"{minutes[1] if minutes else '?'} | {colab} |"
        )
    return "\n".join(rows)


def with_table(text: str) -> str:
    """README's text with the table between its marks made anew.

    Raises:
        ValueError: if the marks are not there.
    """
    if BEGIN not in text or END not in text:
        raise ValueError(f"README.md lost its marks {BEGIN} and {END}")
    head, rest = text.split(BEGIN, 1)
    old, tail = rest.split(END, 1)
    return f"{head}{BEGIN}\n{table(old)}\n{END}{tail}"
