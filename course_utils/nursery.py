"""The warm child behind `isolate.run`: imports torch once, then forks for each answer.

Run as `python -m course_utils.nursery FD`. The nursery itself never runs a tensor
operation, so no thread pool exists when it forks (a forked child hangs in its first
parallel operation if its parent had already run one), and every answer gets a process
in which nothing has been replaced, registered or leaked by an earlier answer.

One request at a time: the parent sends a byte with two descriptors (a socket for the
task and its result, a pipe for what the answer prints); the nursery forks, reports the
child's process number, waits, and reports how the child ended.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import os
import pickle
import resource
import select
import signal
import socket
import struct
import sys
import time
import traceback

GIB = 2**30
# Imported when nobody waits; a child would import them anew for every answer.
IDLE_IMPORTS = ("torch._library.custom_ops", "torch.testing")

_channel: socket.socket | None = None  # set in the child that runs an answer


def send(channel: socket.socket, kind: bytes, body: bytes) -> None:
    """One message: a kind of one byte, eight bytes of length, the body."""
    channel.sendall(kind + struct.pack("<Q", len(body)) + body)


def announce(stage: str) -> None:
    """Tells the parent what is about to happen, so that a crash can be placed.

    Does nothing outside a child of the nursery.
    """
    if _channel is not None:
        send(_channel, b"S", stage.encode())


def in_child() -> bool:
    """True in a process that `isolate.run` started."""
    return _channel is not None


def _read_exactly(channel: socket.socket, count: int) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        piece = channel.recv(min(count - len(parts), 1 << 20))
        if not piece:
            os._exit(0)  # the parent gave up; nobody waits for a result
        parts += piece
    return bytes(parts)


def _limit(memory: int) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not memory:
        return
    with open("/proc/self/statm") as f:
        held = int(f.read().split()[5]) * os.sysconf("SC_PAGE_SIZE")
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    resource.setrlimit(resource.RLIMIT_DATA, (held + memory, hard))


def _run_task(channel: socket.socket, output: int) -> None:
    """In the forked child: read the task, run it, send the result, end at once."""
    global _channel
    os.setsid()
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.stdout = os.fdopen(1, "w", buffering=1, closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, closefd=False)
    (size,) = struct.unpack("<Q", _read_exactly(channel, 8))
    body = _read_exactly(channel, size)
    _channel = channel
    setup, task = pickle.loads(body)
    try:
        os.chdir(setup["cwd"])
        sys.path[:] = setup["path"]
        if sys.platform == "linux":
            _limit(setup["memory"])
        result = _attempt(setup, task)
    except BaseException as error:  # unpickling the task itself failed
        result = {"ended": "raised", "error": _describe(error)}
    _reply(channel, result)
    os._exit(0)


def _attempt(setup: dict, task: bytes) -> dict:
    import torch

    for library in setup["libraries"]:
        announce(f"loading {os.path.basename(library)}")
        torch.ops.load_library(library)
    fn, args = pickle.loads(task)
    announce("")
    try:
        value = fn(*args)
    except BaseException as error:
        return {"ended": "raised", "error": _describe(error)}
    return {"ended": "returned", "value": value}


def _describe(error: BaseException) -> dict:
    lines = traceback.format_exception(error)
    return {
        "type": type(error).__name__,
        "message": str(error),
        "code": getattr(error, "code", None) if isinstance(error, SystemExit) else None,
        "traceback": "".join(lines[-40:]),
        "deep": isinstance(error, RecursionError),
    }


def _reply(channel: socket.socket, result: dict) -> None:
    from course_utils import transport

    try:
        body = transport.dumps(result)
    except Exception as error:
        value = type(result.get("value")).__name__
        result = {"ended": "unsendable", "error": _describe(error), "what": value}
        body = pickle.dumps(result)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):  # the answer closed it; the result still counts
            continue
    ctypes.CDLL(None).fflush(None)
    send(channel, b"R", body)


def _wait(child: int, control: socket.socket) -> int:
    """Waits for the child; ends both if the parent has gone."""
    pause = 0.0005
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        ready, _, _ = select.select([control], [], [], pause)
        if ready:  # the parent never speaks while a task runs, so this is its end
            os.killpg(child, signal.SIGKILL)
            os._exit(0)
        pause = min(pause * 2, 0.01)


def main(descriptor: int) -> None:
    """Serves requests until the parent closes the socket."""
    control = socket.socket(fileno=descriptor)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Jupyter interrupts the whole group
    import numpy  # noqa: F401
    import torch  # noqa: F401
    import torch._dynamo  # noqa: F401  (dispatch modes and optimizers need it)

    import course_utils.exercise  # noqa: F401
    import course_utils.transport  # noqa: F401

    gc.collect()
    gc.freeze()  # a collection in a child would copy every page it touches
    control.sendall(b"r")
    idle = list(IDLE_IMPORTS)
    while True:
        ready, _, _ = select.select([control], [], [], 0.3 if idle else None)
        if not ready:
            importlib.import_module(idle.pop(0))
            gc.freeze()
            continue
        head, descriptors, _, _ = socket.recv_fds(control, 1, 2)
        if not head:
            return
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            control.close()
            _run_task(socket.socket(fileno=descriptors[0]), descriptors[1])
        for d in descriptors:
            os.close(d)
        control.sendall(struct.pack("<i", child))
        status = _wait(child, control)
        try:
            os.killpg(child, signal.SIGKILL)  # whatever the answer itself had started
        except (ProcessLookupError, PermissionError):
            pass
        control.sendall(struct.pack("<i", status))
        time.sleep(0)


if __name__ == "__main__":
    # Under `-m` this file is `__main__`; answers must meet the importable module.
    from course_utils import nursery

    nursery.main(int(sys.argv[1]))
