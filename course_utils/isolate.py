"""Runs code that may crash, hang or misbehave, and says in a sentence what it did.

Used by `check` for every answer, by `build` to try a library before the notebook loads
it, and by lessons that show a crash. A call forks a warm process (`nursery`), so it
costs some 20 ms, and nothing that happens in it can reach the notebook's own process.
"""

from __future__ import annotations

import atexit
import os
import pickle
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from course_utils import transport
from course_utils.outcome import Messages, Outcome, Output, understand
from course_utils.paths import ROOT

GIB = 2**30


class Crashed(RuntimeError):
    """Raised by `call` when the isolated code did not return."""

    def _render_traceback_(self) -> list[str]:
        return [f"Crashed: {self}"]


class _Nursery:
    def __init__(self) -> None:
        self.control, theirs = socket.socketpair()
        paths = [str(ROOT), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in paths if p)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "course_utils.nursery", str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env=env,
        )
        theirs.close()
        self.ready = False

    def wait_ready(self) -> None:
        if not self.ready and self.control.recv(1) != b"r":
            raise ConnectionResetError
        self.ready = True

    def close(self) -> None:
        self.control.close()
        self.process.kill()
        self.process.wait()


_lock = threading.Lock()
_nursery: _Nursery | None = None


def warm() -> None:
    """Starts the warm process if it is not there, without waiting for it."""
    global _nursery
    if _nursery is not None and _nursery.process.poll() is not None:
        close()  # it was killed from outside
    if _nursery is None:
        _nursery = _Nursery()


@atexit.register
def close() -> None:
    """Ends the warm process; the next call starts another."""
    global _nursery
    if _nursery is not None:
        _nursery.close()
        _nursery = None


def run(
    fn: Callable,
    *args: Any,
    time_limit: float = 10.0,
    memory: int = 4 * GIB,
    libraries: Sequence[str] = (),
) -> Outcome:
    """Calls `fn(*args)` in a process of its own.

    Args:
        fn, args: sent by cloudpickle; functions and classes of the notebook travel
            with what they refer to.
        time_limit: seconds of wall-clock time, after which the process is killed.
        memory: bytes the call may allocate beyond what the warm process holds; 0 for
            no limit. Kept by the kernel on Linux (`RLIMIT_DATA`).
        libraries: shared libraries that torch loads before the call.

    Returns:
        An `Outcome`; `run` raises only if the warm process cannot be started.
    """
    try:
        task = transport.dumps((fn, args))
    except Exception as error:
        what = f"{type(error).__name__}: {error}"
        return Outcome(
            "unsendable",
            sentence=f"could not be sent to the process that tests it ({what})",
            error=type(error).__name__,
            message=str(error),
        )
    setup = {
        "cwd": os.getcwd(),
        "path": list(sys.path),
        "memory": memory,
        "libraries": [str(p) for p in libraries],
    }
    body = pickle.dumps((setup, task))
    with _lock:
        for attempt in range(3):
            try:
                return _run_once(struct.pack("<Q", len(body)) + body, time_limit)
            except (ConnectionError, BrokenPipeError):
                close()  # the warm process had been killed; start another
                if attempt == 2:
                    raise RuntimeError(
                        "the process that tests answers cannot be started: "
                        f"try `{sys.executable} -c 'import torch, cloudpickle'`"
                    ) from None
    raise AssertionError("unreachable")


def call(fn: Callable, *args: Any, **options: Any) -> Any:
    """Like `run`, but returns the value.

    Raises:
        Crashed: if the call did not return; the message is the sentence.
    """
    outcome = run(fn, *args, **options)
    if not outcome.ok:
        raise Crashed(f"the code {outcome.sentence}")
    return outcome.value


def _run_once(body: bytes, time_limit: float) -> Outcome:
    warm()
    nursery = _nursery
    assert nursery is not None
    nursery.wait_ready()
    ours, theirs = socket.socketpair()
    read_end, write_end = os.pipe()
    child = 0
    try:
        socket.send_fds(nursery.control, [b"t"], [theirs.fileno(), write_end])
        theirs.close()
        os.close(write_end)
        write_end = -1
        number = nursery.control.recv(4)
        if len(number) < 4:
            raise ConnectionResetError
        (child,) = struct.unpack("<i", number)
        return _follow(nursery, child, ours, read_end, body, time_limit)
    except BaseException:
        _kill(child)
        if child:  # an interrupt in the middle of a task: leave no answer unread
            close()
        raise
    finally:
        ours.close()
        os.close(read_end)
        if write_end >= 0:
            theirs.close()
            os.close(write_end)


def _kill(child: int) -> None:
    if child:
        for kill in (os.killpg, os.kill):
            try:
                kill(child, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue


def _follow(
    nursery: _Nursery,
    child: int,
    ours: socket.socket,
    read_end: int,
    body: bytes,
    time_limit: float,
) -> Outcome:
    messages, output = Messages(), Output()
    deadline = time.monotonic() + time_limit
    timed_out = False
    unsent = memoryview(body)
    ours.setblocking(False)
    os.set_blocking(read_end, False)
    watched: set[Any] = {ours, read_end, nursery.control}
    while True:
        left = deadline - time.monotonic()
        if left <= 0 and not timed_out:
            timed_out = True
            _kill(child)
        readable, writable, _ = select.select(
            watched, [ours] if unsent and ours in watched else [], [], max(left, 0.05)
        )
        if writable:
            try:
                unsent = unsent[ours.send(unsent) :]
            except (BrokenPipeError, ConnectionResetError):
                unsent = memoryview(b"")
        for source, sink in ((ours, messages), (read_end, output)):
            if source in readable and not _drain(source, sink):
                watched.discard(source)
        if nursery.control in readable:
            word = nursery.control.recv(4)
            if len(word) < 4:
                raise ConnectionResetError
            (status,) = struct.unpack("<i", word)
            _drain(ours, messages)
            _drain(read_end, output)
            return understand(messages, output.text(), status, timed_out, time_limit)


def _drain(source: Any, sink: Messages | Output) -> bool:
    """Reads what is there; False when the other end has closed."""
    for _ in range(64):  # a flood of output must not keep us from the clock
        try:
            data = (
                source.recv(65536)
                if isinstance(source, socket.socket)
                else os.read(source, 65536)
            )
        except BlockingIOError:
            return True
        except OSError:
            return False
        if not data:
            return False
        sink.feed(data)
    return True
