"""What a reader can do wrong, and what `check` says; it never raises.

The answers here are judged by the contract of exercise 00.1, a ReLU in Python.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import types

import pytest
import torch

from course_utils import isolate
from course_utils.check import check, expect_error, hint, progress, solution


@pytest.fixture(autouse=True)
def own_progress(tmp_path, monkeypatch):
    path = tmp_path / "progress.json"
    monkeypatch.setenv("COURSE_PROGRESS", str(path))
    return path


def answer(fn):
    """As if defined in a notebook."""
    fn.__module__ = "__main__"
    return fn


@answer
def good(x):
    return torch.where(x <= 0, torch.zeros_like(x), x)


@answer
def crash(x):
    return ctypes.string_at(0)


@answer
def abort(x):
    os.abort()


@answer
def endless(x):
    while True:
        pass


@answer
def recursive(x):
    return recursive(x)


@answer
def leave(x):
    raise SystemExit


@answer
def leave_hard(x):
    os._exit(0)


@answer
def gigantic(x):
    return torch.empty(10**13) + 1


@answer
def killed(x):
    os.kill(os.getpid(), signal.SIGKILL)


@answer
def chatty(x):
    for i in range(1_000_000):
        print(i)
    return x


@answer
def changes_input(x):
    x[x < 0] = 0
    return x


@answer
def replaces_relu(x):
    torch.relu = lambda x: x
    return good(x)


@answer
def raises(x):
    raise ValueError("no luck")


SURVIVED = [
    (crash, "it crashed with a segmentation fault"),
    (abort, "it aborted"),
    (endless, "it ran for more than"),
    (recursive, "it calls itself without end"),
    (leave, "it called `sys.exit`"),
    (leave_hard, "it ended the whole process"),
    (gigantic, "it raised RuntimeError"),
    (killed, "it was killed from outside"),
    (changes_input, "it changes its input: argument 0 was float32[3] [-1.0, 0.5, 2.0]"),
    (replaces_relu, "it replaces `torch.relu`"),
    (raises, "it raised ValueError: no luck"),
]


@pytest.mark.parametrize(
    ("bad", "words"), SURVIVED, ids=lambda v: getattr(v, "__name__", "")
)
def test_a_bad_answer_gets_a_sentence_and_the_next_check_works(bad, words):
    result = check("00.1", bad)
    assert result.status == "wrong"
    assert words in result.sentence
    assert not result
    assert check("00.1", good).status == "correct"
    assert torch.relu(torch.tensor(-1.0)) == 0


def test_a_million_printed_lines_are_cut_short():
    result = check("00.1", chatty)
    assert result.status == "wrong"
    assert result.sentence
    assert "lines more]" in repr(result)
    assert len(result._repr_html_()) < 50_000
    assert check("00.1", good).status == "correct"


@pytest.mark.parametrize(
    "value",
    [None, 3, "text", torch.ones(2), [1], types],
    ids=["none", "number", "text", "tensor", "list", "module"],
)
def test_something_that_is_no_function_is_told_so(value):
    result = check("00.1", value)
    assert result.status == "wrong"
    assert "pass the function itself" in result.sentence


def test_an_unknown_exercise_lists_those_that_exist():
    result = check("00.99", good)
    assert result.status == "broken"
    assert "00.1" in result.sentence


def test_no_answer_at_all_is_not_attempted():
    assert check("00.1").status == "not attempted"
    assert check("00.1", ...).status == "not attempted"


def test_an_answer_that_cannot_travel_is_told_so():
    lock = __import__("threading").Lock()

    @answer
    def locked(x):
        with lock:
            return x

    result = check("00.1", locked)
    assert result.status == "wrong"
    assert "could not be sent" in result.sentence


def test_a_result_shows_as_text_and_html_and_tells_machines():
    result = check("00.1", raises)
    assert "not right yet" in repr(result)
    assert "ValueError: no luck" in result._repr_html_()
    data, metadata = result._repr_mimebundle_()
    assert set(data) == {"text/plain", "text/html"}
    assert metadata["course"] == {"id": "00.1", "status": "wrong"}


def test_html_is_escaped():
    @answer
    def sneaky(x):
        raise ValueError("<script>")

    assert "<script>" not in check("00.1", sneaky)._repr_html_()


def test_progress_is_kept(own_progress):
    check("00.1", raises)
    assert json.loads(own_progress.read_text())["00.1"]["status"] == "wrong"
    check("00.1", good)
    check("00.1", raises)
    record = json.loads(own_progress.read_text())["00.1"]
    assert record["status"] == "correct"
    assert record["tries"] == 3
    table = repr(progress())
    assert "1 of " in table


def test_a_broken_progress_file_is_no_trouble(own_progress):
    own_progress.write_text("{")
    assert check("00.1", good)
    own_progress.unlink()
    own_progress.mkdir()
    assert check("00.1", good)


def test_hints_come_one_by_one_and_begin_again():
    seen = [repr(hint("00.1")) for _ in range(4)]
    assert len(set(seen[:3])) == 3
    assert seen[0].startswith("Hint 1 of")
    assert repr(hint("77.7")).startswith("no exercise '77.7'")


def test_the_solution_is_shown_and_is_the_tested_file():
    shown = solution("00.1")
    assert "def my_relu" in repr(shown)
    assert shown._repr_html_().startswith("<details>")


def test_an_expected_error_is_printed(capsys):
    with expect_error(ValueError, contains="luck"):
        raise ValueError("no luck\nmore")
    assert capsys.readouterr().out == "ValueError: no luck\nmore\n"


def test_an_expected_error_that_does_not_come_fails():
    with pytest.raises(AssertionError, match="expected ValueError, but nothing"):
        with expect_error(ValueError):
            pass
    with pytest.raises(AssertionError, match="expected a message with 'luck'"):
        with expect_error(ValueError, contains="luck"):
            raise ValueError("other")
    with pytest.raises(KeyError):
        with expect_error(ValueError):
            raise KeyError


def test_a_killed_warm_process_does_not_fail_a_check():
    assert check("00.1", good)
    isolate._nursery.process.kill()
    assert check("00.1", good)
