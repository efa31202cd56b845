"""A starter is told from an answer, with its source text and without."""

from __future__ import annotations

import linecache

import pytest

from course_utils import answers


def make(source, with_text=True):
    name = f"<test {hash((source, with_text))}>"
    if with_text:
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space = {}
    exec(compile(source, name, "exec"), space)
    return space["f"]


STARTERS = [
    "def f(x):\n    ...\n",
    'def f(x):\n    """Says what."""\n    ...\n',
    'def f(x):\n    """Says what."""\n    # Your code here\n    ...\n',
]
STARTERS_WITH_TEXT = [
    "def f(x):\n    y = x + 1\n    ...\n    return y\n",
    "def f(x):\n    y = ...\n    return y\n",
    "def f(x):\n    return ...\n",
    "class f:\n    def g(self):\n        y = ...\n        return y\n",
    "class f:\n    @staticmethod\n    def g(x):\n        ...\n",
]
ANSWERS = [
    "def f(x):\n    return x[..., 0]\n",
    "def f(x, i):\n    return x[..., i]\n",
    "def f(x):\n    return x\n",
    "def f(x):\n    return 0\n",
    "f = lambda x: x + 1\n",
    "class f:\n    def g(self, x):\n        return x[..., 0]\n",
]


@pytest.mark.parametrize("source", STARTERS + STARTERS_WITH_TEXT)
def test_a_starter_is_unattempted(source):
    assert answers.is_unattempted(make(source))


@pytest.mark.parametrize("source", STARTERS)
def test_a_starter_without_its_text_is_unattempted(source):
    assert answers.is_unattempted(make(source, with_text=False))


@pytest.mark.parametrize("with_text", [True, False])
@pytest.mark.parametrize("source", ANSWERS)
def test_an_answer_counts_as_one(source, with_text):
    assert not answers.is_unattempted(make(source, with_text))


@pytest.mark.parametrize("value", [..., [1, ...], {"a": ...}, (1, {"b": [...]})])
def test_a_prediction_with_a_gap_is_unattempted(value):
    assert answers.is_unattempted(value)


@pytest.mark.parametrize("value", [0, None, [], {"a": 1}, "...", False])
def test_a_prediction_without_a_gap_is_an_answer(value):
    assert not answers.is_unattempted(value)


def test_the_gap_of_a_cpp_cell_is_a_line_of_its_own():
    assert answers.has_gap("int f() {\n  ...\n}\n")
    assert not answers.has_gap("template <typename... Ts>\nvoid f(Ts... ts);\n// ...\n")
