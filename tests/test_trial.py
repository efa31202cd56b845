"""A judge's helper finds the fault and words it."""

from __future__ import annotations

import pytest
import torch

from course_utils.trial import Trial, Wrong


def identity(x):
    return x


def test_call_passes_and_counts():
    t = Trial()
    t.call(identity, torch.ones(2), expect=torch.ones(2), case="ones")
    t.equal(1, 1, case="numbers")
    assert t.cases == 2


def test_the_first_why_that_holds_gives_the_sentence():
    t = Trial()
    with pytest.raises(Wrong) as caught:
        t.call(
            identity,
            torch.ones(2),
            expect=torch.zeros(2),
            case="ones",
            why=(
                (lambda got, want, x: got.nonsense, "a test that fails is skipped"),
                (lambda got, want, x: (got > want).all(), "everything is too large"),
                (lambda got, want, x: True, "never reached"),
            ),
        )
    assert caught.value.sentence == "everything is too large"
    assert caught.value.case == "ones"
    assert caught.value.call == "float32[2] [1.0, 1.0]"


def test_without_a_why_the_difference_is_named():
    with pytest.raises(Wrong, match=r"the result at index \(0,\) is 1, expected 0"):
        Trial().call(identity, torch.ones(1), expect=torch.zeros(1), case="one")


def test_a_changed_input_is_found():
    def clear(x):
        return x.zero_()

    with pytest.raises(Wrong, match="it changes its input: argument 0"):
        Trial().call(clear, torch.ones(1), expect=torch.zeros(1), case="one")


def test_a_replaced_torch_function_is_found(monkeypatch):
    monkeypatch.setattr(torch, "relu", torch.relu)  # restored afterwards

    def replace(x):
        torch.relu = identity
        return x

    with pytest.raises(Wrong, match=r"it replaces `torch\.relu`"):
        Trial().run(replace, torch.ones(1), case="one")


def test_an_exception_becomes_a_sentence_with_its_place():
    def fail(x):
        raise ValueError("no luck\nsecond line")

    with pytest.raises(Wrong, match="it raised ValueError: no luck") as caught:
        Trial().run(fail, 1, case="one")
    assert "in fail" in caught.value.trace


def test_refuses_wants_the_right_kind_of_error():
    def fail():
        raise TypeError("no")

    t = Trial()
    error = t.refuses(fail, case="a", sentence="accepts it", kinds=TypeError)
    assert str(error) == "no"
    with pytest.raises(Wrong, match="it raised TypeError"):
        t.refuses(fail, case="a", sentence="accepts it", kinds=ValueError)
    with pytest.raises(Wrong, match="accepts it"):
        t.refuses(identity, 1, case="a", sentence="accepts it")


def test_a_missing_operator_is_named():
    class Library:
        pass

    with pytest.raises(Wrong, match="defines no operator `relu`"):
        Trial().op(Library(), "relu")
