"""Where things lie: the course's own folders, and the two places it writes to.

Used by every other module; notebooks do not need it.
"""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"
CSRC = ROOT / "csrc"
EXERCISES = ROOT / "course_utils" / "exercises"
SOLUTIONS = ROOT / "course_utils" / "solutions"
RECORDINGS = ROOT / "course_utils" / "recordings"


def cache_dir() -> Path:
    """The folder for compiled extensions, made on first use.

    `$COURSE_CACHE` if set, otherwise `~/.cache/torch-under-the-hood`.
    """
    given = os.environ.get("COURSE_CACHE")
    folder = Path(given) if given else Path.home() / ".cache" / "torch-under-the-hood"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def progress_file() -> Path:
    """The JSON file with the reader's progress.

    `$COURSE_PROGRESS` if set, otherwise `.progress.json` beside the notebooks'
    folder, so that two clones of the course do not mix.
    """
    given = os.environ.get("COURSE_PROGRESS")
    return Path(given) if given else ROOT / ".progress.json"


def lesson_of(exercise_id: str) -> str:
    """The two digits of the lesson: `"20.3"` gives `"20"`."""
    return exercise_id.split(".")[0]


def topic_of(lesson: str) -> str | None:
    """The topic in a lesson's file name: `"20"` gives `"cpp_relu"`, or None."""
    for folder, ending in ((NOTEBOOKS / "text", ".md"), (NOTEBOOKS, ".ipynb")):
        for path in sorted(folder.glob(f"{lesson}_*{ending}")):
            return path.stem.split("_", 1)[1]
    return None
