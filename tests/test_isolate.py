"""Nothing that an answer does reaches the process that asked."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time

import pytest
import torch

from course_utils import isolate, outcome


def by_value(fn):
    """As a notebook's function: it travels with its text, not by its module's name."""
    fn.__module__ = "__main__"
    return fn


@by_value
def plus_one(x):
    return x + 1


@by_value
def read_address_zero():
    ctypes.string_at(0)


@by_value
def abort():
    os.abort()


@by_value
def loop_forever():
    while True:
        pass


@by_value
def recurse():
    return recurse()


@by_value
def leave_by_sys_exit():
    sys.exit(3)


@by_value
def leave_by_os_exit():
    os._exit(0)


@by_value
def ask_for_forty_terabytes():
    return torch.ones(10**13)


@by_value
def take_memory_bit_by_bit():
    return [bytearray(2**27) for _ in range(1000)]


@by_value
def kill_itself():
    os.kill(os.getpid(), signal.SIGKILL)


@by_value
def return_a_generator():
    return (i for i in range(3))


@by_value
def register_twice():
    from torch.library import Library

    first = Library("registered_twice", "DEF")
    second = Library("registered_twice", "DEF")
    return first, second


FATES = [
    (read_address_zero, "signal", "segmentation fault"),
    (abort, "signal", "aborted"),
    (loop_forever, "timeout", "ran for more than 1 s"),
    (recurse, "raised", "called itself without end"),
    (leave_by_sys_exit, "raised", "called `sys.exit`"),
    (leave_by_os_exit, "exit", "ended the whole process"),
    (ask_for_forty_terabytes, "raised", "more memory than it may have"),
    (kill_itself, "signal", "killed from outside"),
    (return_a_generator, "unsendable", "returned a generator"),
    (register_twice, "raised", "Only a single TORCH_LIBRARY"),
]


def _name(value):
    return getattr(value, "__name__", "")


@pytest.mark.parametrize(("fn", "fate", "words"), FATES, ids=_name)
def test_a_bad_end_becomes_a_sentence_and_the_next_call_works(fn, fate, words):
    limit = 1.0 if fn is loop_forever else 20.0
    ended = isolate.run(fn, time_limit=limit)
    assert ended.ended == fate
    assert words in ended.sentence
    assert isolate.run(plus_one, 1).value == 2


def test_memory_taken_bit_by_bit_meets_a_limit():
    ended = isolate.run(take_memory_bit_by_bit, memory=2**29, time_limit=60)
    assert ended.ended == "raised"
    assert "more memory than it may have" in ended.sentence


def test_a_flood_of_output_is_cut_and_the_rest_counted():
    @by_value
    def flood():
        for i in range(200_000):
            print("line", i)
        return "done"

    ended = isolate.run(flood, time_limit=60)
    assert ended.value == "done"
    assert ended.output.startswith("line 0\nline 1\n")
    assert len(ended.output) < outcome.KEPT_OUTPUT + 100
    assert "bytes more]" in ended.output


def test_tensors_travel_both_ways_with_their_strides():
    @by_value
    def give_back(x):
        return x

    x = torch.randn(4, 6).t()[1:]
    y = isolate.run(give_back, x).value
    assert torch.equal(x, y)
    assert x.stride() == y.stride()


def test_what_one_call_replaces_the_next_does_not_see():
    @by_value
    def replace():
        torch.relu = None

    @by_value
    def use():
        return torch.relu(torch.tensor([-1.0, 2.0]))

    assert isolate.run(replace).ok
    assert torch.equal(isolate.run(use).value, torch.tensor([0.0, 2.0]))


def test_a_parallel_operation_runs_in_the_child():
    @by_value
    def multiply():
        a = torch.ones(600, 600)
        return float((a @ a).sum())

    torch.ones(600, 600) @ torch.ones(600, 600)  # the parent's pool exists
    assert isolate.run(multiply).value == 600.0**3


def test_a_warm_process_killed_from_outside_is_replaced():
    isolate.warm()
    assert isolate.run(plus_one, 1).value == 2
    isolate._nursery.process.kill()
    isolate._nursery.process.wait()
    assert isolate.run(plus_one, 2).value == 3


def test_processes_that_an_answer_starts_end_with_it():
    @by_value
    def start_a_sleeper():
        child = os.fork()
        if child == 0:
            time.sleep(60)
        return child

    child = isolate.run(start_a_sleeper).value
    for _ in range(200):
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        with open(f"/proc/{child}/stat") as f:
            if f.read().rsplit(")", 1)[1].split()[0] == "Z":
                return
        time.sleep(0.01)
    raise AssertionError(f"process {child} is still there")


def test_calls_from_two_threads_do_not_mix():
    results = {}

    def work(i):
        results[i] = [isolate.run(plus_one, 10 * i + k).value for k in range(5)]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert results == {i: [10 * i + k + 1 for k in range(5)] for i in range(2)}


def test_the_stage_tells_where_it_crashed():
    @by_value
    def crash_in_the_second_stage():
        from course_utils import nursery

        nursery.announce("first")
        nursery.announce("second")
        os.abort()

    assert isolate.run(crash_in_the_second_stage).stage == "second"


def test_call_raises_the_sentence():
    with pytest.raises(isolate.Crashed, match="the code aborted"):
        isolate.call(abort)
    assert isolate.call(plus_one, 4) == 5


def test_the_warm_process_has_one_thread_and_so_may_fork():
    isolate.run(plus_one, 1)
    tasks = os.listdir(f"/proc/{isolate._nursery.process.pid}/task")
    assert len(tasks) == 1
