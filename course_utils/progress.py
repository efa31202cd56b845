"""Remembers which exercises the reader has solved, in one small file.

Used by `check`. The file is JSON: exercise id to status, number of tries and hints.
"""

from __future__ import annotations

import json
import os
from typing import Any

from course_utils.paths import progress_file


def read() -> dict[str, dict[str, Any]]:
    """The stored records; {} where there is no file or it cannot be read."""
    try:
        data = json.loads(progress_file().read_text())
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def note(id: str, **changes: Any) -> None:
    """Merges `changes` into the record of one exercise.

    A folder that cannot be written to is no reason to fail a check: the record is then
    lost with the session.
    """
    data = read()
    record = {"status": "not attempted", "tries": 0, "hints": 0, **data.get(id, {})}
    if record["status"] == "correct" and changes.get("status") == "wrong":
        changes.pop("status")  # solved once is solved
    data[id] = {**record, **changes}
    path = progress_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}")
        partial.write_text(json.dumps(data, indent=1, sort_keys=True) + "\n")
        partial.replace(path)
    except OSError:
        return


def tried(id: str, status: str) -> None:
    """Counts a try of an exercise."""
    note(id, status=status, tries=read().get(id, {}).get("tries", 0) + 1)


def hinted(id: str) -> int:
    """Counts a hint and returns how many there have been before it."""
    before = read().get(id, {}).get("hints", 0)
    note(id, hints=before + 1)
    return before
