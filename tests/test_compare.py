"""The first difference is found and named."""

from __future__ import annotations

import pytest
import torch

from course_utils import compare

nan = float("nan")


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (torch.tensor([nan, -0.0]), torch.tensor([nan, 0.0])),
        (torch.ones(2, 3).t(), torch.ones(3, 2)),
        ([1, 2], (1, 2)),
        ({"a": torch.zeros(0)}, {"a": torch.zeros(0)}),
        (3, 3.0),
        (nan, nan),
        (None, None),
        (torch.ones(2, device="meta"), torch.ones(2, device="meta")),
    ],
)
def test_equal_values_have_no_difference(got, want):
    assert compare.difference(got, want) is None


@pytest.mark.parametrize(
    ("got", "want", "words"),
    [
        (None, torch.ones(1), "is None, expected a tensor; is a `return` missing"),
        (1.0, torch.ones(1), "is a float, expected a tensor"),
        (torch.ones(2, 1), torch.ones(2), "has shape (2, 1), expected (2,)"),
        (torch.ones(2).double(), torch.ones(2), "has dtype torch.float64"),
        (torch.ones(2, device="meta"), torch.ones(2), "has device meta"),
        (torch.tensor([1.0, nan]), torch.tensor([1.0, 2.0]), "at index (1,) is nan"),
        (torch.tensor([0.0, 0.0]), torch.tensor([nan, nan]), "(2 of 2 values differ)"),
        (torch.tensor(True), torch.tensor(False), "is True, expected False"),
        ([1], [1, 2], "has 1 items, expected 2"),
        ([1, 3], [1, 2], "item 1 of the result is 3, expected 2"),
        (5, [1, 2], "is a int, expected a list of 2"),
        ({"a": 1}, {"a": 1, "b": 2}, "has no entry 'b'"),
        ({"a": 1, "b": 2}, {"a": 1}, "has an entry 'b' that should not be there"),
        ("CPU", "CUDA", "is 'CPU', expected 'CUDA'"),
        (True, 1, "is a bool, expected a int"),
        (2.0, 1.0, "is 2.0, expected 1.0"),
    ],
)
def test_a_difference_is_named(got, want, words):
    assert words in compare.difference(got, want).sentence


def test_strides_count_only_where_asked():
    got, want = torch.ones(2, 3).t(), torch.ones(3, 2)
    assert compare.difference(got, want) is None
    found = compare.difference(got, want, strict_strides=True)
    assert "has strides (1, 3), expected (2, 1)" in found.sentence


def test_a_tolerance_is_for_numbers_that_round():
    got, want = torch.tensor([1.0 + 1e-6]), torch.tensor([1.0])
    assert compare.difference(got, want)
    assert compare.difference(got, want, rtol=1e-5) is None
