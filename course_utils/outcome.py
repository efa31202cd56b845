"""How an isolated call ended, in words.

Used by `isolate`, which moves the bytes; here they are understood.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
from dataclasses import dataclass
from typing import Any

KEPT_OUTPUT = 20_000  # bytes of what an answer printed

_SIGNALS = {
    signal.SIGSEGV: "crashed with a segmentation fault: it used memory that is not its "
    "own, or its recursion never ended",
    signal.SIGABRT: "aborted: C++ code ended the process, as an exception does that "
    "nobody catches",
    signal.SIGBUS: "crashed with a bus error: it used memory that is not there",
    signal.SIGFPE: "crashed with an arithmetic trap, such as an integer divided by "
    "zero",
    signal.SIGILL: "crashed at an illegal instruction; a C++ function that ends "
    "without its return statement can do that",
    signal.SIGKILL: "was killed from outside (signal 9), perhaps because the machine "
    "ran out of memory",
    signal.SIGTERM: "was ended from outside (signal 15)",
}


@dataclass
class Outcome:
    """How one isolated call ended.

    Attributes:
        ended: "returned", "raised", "signal", "exit", "timeout" or "unsendable".
        value: what the function returned.
        sentence: what went wrong, as a predicate without a subject ("ran for more
            than 10 s and was stopped"); "" when it returned.
        error: name of the exception's type, "" if none; `message` and `traceback` are
            its text.
        output: what was printed, at most `KEPT_OUTPUT` bytes.
        stage: the last stage that the code announced, such as a test case's name.
    """

    ended: str
    value: Any = None
    sentence: str = ""
    error: str = ""
    message: str = ""
    traceback: str = ""
    output: str = ""
    stage: str = ""

    @property
    def ok(self) -> bool:
        return self.ended == "returned"


class Messages:
    """Takes the child's messages apart as they arrive."""

    def __init__(self) -> None:
        self.buffer = bytearray()
        self.stage = ""
        self.result: dict | None = None

    def feed(self, data: bytes) -> None:
        self.buffer += data
        while len(self.buffer) >= 9:
            (size,) = struct.unpack("<Q", self.buffer[1:9])
            if len(self.buffer) < 9 + size:
                return
            kind, body = bytes(self.buffer[:1]), bytes(self.buffer[9 : 9 + size])
            del self.buffer[: 9 + size]
            if kind == b"S":
                self.stage = body.decode()
            else:
                self.result = pickle.loads(body)


class Output:
    """Keeps the beginning of what was printed and counts the rest."""

    def __init__(self) -> None:
        self.kept = bytearray()
        self.dropped = 0

    def feed(self, data: bytes) -> None:
        room = max(0, KEPT_OUTPUT - len(self.kept))
        self.kept += data[:room]
        self.dropped += len(data) - len(data[:room])

    def text(self) -> str:
        text = self.kept.decode(errors="replace")
        return text + (f"\n[{self.dropped:,} bytes more]" if self.dropped else "")


def understand(
    messages: Messages, output: str, status: int, timed_out: bool, time_limit: float
) -> Outcome:
    result, stage = messages.result, messages.stage
    made = Outcome("returned", output=output, stage=stage)
    if result is not None:
        made.ended = result["ended"]
        made.value = result.get("value")
        error = result.get("error")
        if error:
            made.error, made.message = error["type"], error["message"]
            made.traceback = error["traceback"]
            made.sentence = _raised(error, result)
        return made
    if timed_out:
        made.ended = "timeout"
        made.sentence = (
            f"ran for more than {time_limit:g} s and was stopped; "
            "does every loop in it end?"
        )
    elif os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        made.ended = "signal"
        made.sentence = _SIGNALS.get(number, f"was ended by signal {number}")
        if number == signal.SIGABRT:
            lines = [s.strip() for s in output.splitlines() if "what():" in s]
            if lines:
                made.sentence += f" ({lines[0].removeprefix('what():').strip()[:300]})"
    else:
        made.ended = "exit"
        made.sentence = (
            f"ended the whole process (exit code {os.WEXITSTATUS(status)}), as "
            "`os._exit` or C's `exit` does, instead of returning"
        )
    return made


def _raised(error: dict, result: dict) -> str:
    if result["ended"] == "unsendable":
        return f"returned a {result['what']}, which cannot be sent between processes"
    if error["type"] == "SystemExit":
        return "called `sys.exit`, which ends a program; return a value instead"
    if error["deep"]:
        return "called itself without end (RecursionError)"
    if error["type"] == "MemoryError" or any(
        words in error["message"] for words in ("not enough memory", "allocate memory")
    ):
        return f"asked for more memory than it may have ({_first_line(error)})"
    return f"raised {_first_line(error)}"


def _first_line(error: dict) -> str:
    lines = error["message"].strip().splitlines()
    return f"{error['type']}: {lines[0][:300]}" if lines else error["type"]
