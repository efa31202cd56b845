"""The contracts of lesson 11: strides, windows, views and addresses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from course_utils import inputs
from course_utils.exercise import Trial, exercise
from course_utils.exercises.start import Seen


@exercise(
    "11.1",
    "The strides of a shape",
    difficulty=1,
    minutes=10,
    hints=(
        "The last dimension has stride 1. Each stride before it is the stride of its "
        "right neighbor times the size of its right neighbor.",
        "Walk over the shape from the right, keep a running product that starts at 1, "
        "write it down and then multiply. Turn the list round at the end.",
        "A dimension of size 0 would make every stride to its left 0. PyTorch counts "
        "it as 1 there: multiply by `size or 1`.",
    ),
)
def strides_of(answer: Callable, t: Trial) -> None:
    """shape: a tuple of sizes, each >= 0; returns a tuple of strides, in elements.

    Exact, and the same as those of `torch.empty(shape)`, for every shape: no
    dimensions, sizes of 1, sizes of 0.
    """
    with Seen() as seen:
        got = t.run(answer, (3, 4), case="how it is done")
    t.require(
        not seen.names,
        f"it asks PyTorch (aten.{seen.names[0] if seen.names else ''}); compute the "
        "strides from the sizes",
    )
    t.require(
        isinstance(got, tuple) or got is None,
        f"the result is a {type(got).__name__}; strides come as a tuple",
    )
    for case, shape in (
        ("one dimension", (5,)),
        ("a matrix", (3, 4)),
        ("a scalar, shape ()", ()),
        ("three dimensions", (2, 3, 4)),
        ("sizes of 1", (2, 1, 3, 1)),
        ("a size of 0 in the middle", (2, 0, 3)),
        ("a size of 0 at the end", (2, 3, 0)),
        ("five dimensions", (2, 3, 5, 7, 11)),
    ):
        want = torch.empty(shape).stride()
        t.call(answer, shape, expect=want, case=case, why=_stride_reasons())


def _stride_reasons() -> tuple[tuple, ...]:
    def first_fastest(got: Any, want: Any, shape: tuple) -> bool:
        strides, product = [], 1
        for size in shape:
            strides.append(product)
            product *= max(size, 1)
        return len(shape) > 1 and list(got) == strides and got != want

    return (
        (
            first_fastest,
            "the first dimension moves by 1; in PyTorch the last one does (C order, "
            "not Fortran's)",
        ),
        (
            lambda got, want, shape: len(got) != len(shape),
            "there must be one stride for each dimension",
        ),
        (
            lambda got, want, shape: list(got) == [4 * stride for stride in want],
            "the strides are in bytes; PyTorch counts them in elements",
        ),
        (
            lambda got, want, shape: 0 in shape and 0 in got,
            "a size of 0 makes strides 0; PyTorch counts such a size as 1",
        ),
        (
            lambda got, want, shape: list(got) == list(shape[1:] + (1,)),
            "each stride is the size of the neighbor to the right; it must be the "
            "product of all sizes to the right",
        ),
        (
            lambda got, want, shape: list(got) == list(reversed(want)),
            "the strides come out in reverse order",
        ),
    )


@exercise(
    "11.2",
    "A sliding window that copies nothing",
    difficulty=2,
    minutes=12,
    hints=(
        "Count the windows first: in 6 elements there are 4 windows of 3. The result "
        "has that many rows and `size` columns.",
        "One step down, to the next window, and one step right, to the next element "
        "of a window, both move by one element of x. In the storage that is "
        "`x.stride(0)` elements, which need not be 1.",
        "`x.as_strided((n - size + 1, size), (step, step))` keeps x's own storage "
        "offset if you give none.",
    ),
)
def windows(answer: Callable, t: Trial) -> None:
    """x: (N,), any dtype and any stride; size: 1 to N. Returns (N - size + 1, size).

    Row i holds x[i], ..., x[i + size - 1]. The result is a view: it uses the storage
    of x, so that writing to x shows in it. Exact: nothing is computed.
    """
    base = torch.arange(24, dtype=torch.float32)
    for case, x, size in (
        ("6 elements, windows of 3", base[:6].clone(), 3),
        ("windows of 1", base[:4].clone(), 1),
        ("one window, as long as x", base[:4].clone(), 4),
        ("every second element, x[::2]", base[::2], 3),
        ("a view that starts later, x[5:12]", base[5:12], 2),
        ("a column of a (4, 6) matrix", base.view(4, 6)[:, 2], 2),
        ("an expanded number (stride 0)", base[3:4].expand(5), 2),
        ("int64", torch.arange(7), 3),
    ):
        _windows_case(answer, t, case, x, size)


def _windows_case(
    answer: Callable, t: Trial, case: str, x: torch.Tensor, size: int
) -> None:
    want = x.unfold(0, size, 1)
    step, start = x.stride(0), x.storage_offset()

    def contiguous_assumed(got: Any, want: Any, *_: Any) -> bool:
        return step != 1 and got.stride() == (1, 1)

    got = t.call(
        answer,
        x,
        size,
        expect=want,
        case=case,
        why=(
            (
                contiguous_assumed,
                f"it takes strides (1, 1), but x has stride {step}: neighbors in x "
                "are not neighbors in the storage",
            ),
            (
                lambda got, *_: got.shape == (len(x) - size, size),
                "the last window is missing: N elements have N - size + 1 windows",
            ),
            (
                lambda got, *_: got.shape[0] > len(x) - size + 1,
                "there are too many windows; the last ones run past the end of x",
            ),
            (
                lambda got, *_: (
                    got.storage_offset() == 0 != start
                    and got.untyped_storage()._cdata == x.untyped_storage()._cdata
                ),
                f"it starts at element 0 of the storage; x starts at {start}",
            ),
            (
                lambda got, *_: got.shape == (size, len(x) - size + 1),
                "rows and columns are exchanged: there is one row for each window",
            ),
            (
                lambda got, *_: size > 1 and got.stride(0) == size * step,
                "the windows do not overlap: from one to the next it moves by `size` "
                "elements instead of one",
            ),
        ),
    )
    t.require(
        got.untyped_storage()._cdata == x.untyped_storage()._cdata,
        "it copies: the windows have a storage of their own, of "
        f"{got.untyped_storage().nbytes()} bytes",
    )


@exercise(
    "11.3",
    "View or copy?",
    difficulty=2,
    minutes=8,
    kind="value",
    hints=(
        "The question to ask of each line is whether the new order of the elements "
        "can be described by one offset, one size and one stride per dimension.",
        "Indexing with numbers and slices is described by strides; indexing with a "
        "list or a mask picks elements at will and is not. A flip would need a "
        "negative stride, which PyTorch does not have.",
        "Two lines return x itself, since there is nothing to do. `x.t().reshape(2, "
        "2, 3)` only cuts the first dimension of x.t() in two.",
    ),
)
def kind_of(answer: dict[str, str], t: Trial) -> None:
    """For each expression "view", "copy" or "itself"; x is (3, 4) float32, contiguous.

    "view": another tensor on the storage of x. "copy": a storage of its own. "itself":
    the very same Python object.
    """
    x = torch.arange(12.0).reshape(3, 4)
    t.require(isinstance(answer, dict), "it must be a dict, as in the starter")
    for text, reason in REASONS.items():
        with t.case(text):
            t.require(text in answer, f"there is no answer for {text!r}")
            got = answer[text]
            t.require(
                got in ("view", "copy", "itself"),
                f'the answer for {text} must be "view", "copy" or "itself"',
                got=got,
            )
            y = eval(text, {"x": x, "torch": torch})
            shared = y.untyped_storage()._cdata == x.untyped_storage()._cdata
            want = "itself" if y is x else "view" if shared else "copy"
            t.require(got == want, f"`{text}` is not {_named(got)}: {reason}", got=got)
    extra = [key for key in answer if key not in REASONS]
    t.require(not extra, f"nobody asked for {extra}")


def _named(kind: str) -> str:
    return {"view": "a view", "copy": "a copy", "itself": "x itself"}[kind]


REASONS = {
    "x[:, 1]": "a column is an offset of 1 and a stride of 4 on the same storage",
    "x[[0, 1]]": "a list may name any rows in any order, which no stride describes",
    "x.t().reshape(12)": "no single stride walks through x column by column",
    "x.t().reshape(2, 2, 3)": "only a dimension is cut in two: strides (2, 1, 4) do it",
    "x.flip(0)": "going backward needs a negative stride, which PyTorch does not have",
    "x.expand(2, 3, 4)": "the new dimension has stride 0; nothing is written",
    "x.contiguous()": "x is contiguous already, so there is nothing to do",
    "x.to(torch.float32)": "x is float32 already, so there is nothing to do",
    "x.view(torch.int32)": "the same bytes are read as another type of the same size",
    "x.clone()": "clone always takes new memory",
}


@exercise(
    "11.4",
    "Where is this element?",
    difficulty=2,
    minutes=8,
    hints=(
        "Count in elements first: from the start of the storage to the tensor's first "
        "element it is `x.storage_offset()`.",
        "One step along dimension d moves by `x.stride(d)` elements, so the index "
        "contributes the sum of index[d] * stride[d].",
        "The answer is in bytes: multiply the whole count by `x.itemsize`.",
    ),
)
def byte_of(answer: Callable, t: Trial) -> None:
    """x: any shape, dtype and strides; index: one int >= 0 for each dimension.

    Returns the distance, in bytes, from the start of the storage of x to the first
    byte of x[index], as an int.
    """
    base = torch.arange(60.0)
    m = base.view(6, 10)
    for case, x, index in (
        ("element (1, 2) of a (6, 10) matrix", m, (1, 2)),
        ("element (1, 2) of m[2:, 3:]", m[2:, 3:], (1, 2)),
        ("element (0, 0) of m[2:, 3:]", m[2:, 3:], (0, 0)),
        ("element (4, 1) of m.t()", m.t(), (4, 1)),
        ("element (1, 2) of m[:, ::2]", m[:, ::2], (1, 2)),
        ("element (3, 1) of an expanded row", m[2:3].expand(4, 10), (3, 1)),
        ("a number without dimensions", m[5, 5], ()),
        ("three dimensions, float64", base.double().view(3, 4, 5)[1:], (1, 2, 3)),
        ("int16", base.to(torch.int16).view(4, 15)[1:], (2, 7)),
        (
            "channels last",
            inputs.randn(2, 3, 4, 5).to(memory_format=torch.channels_last),
            (1, 2, 3, 4),
        ),
    ):
        elements = sum(i * s for i, s in zip(index, x.stride(), strict=True))
        size = x.itemsize
        want = (x.storage_offset() + elements) * size
        whole = x.storage_offset() + elements
        row_major = sum(
            i * s for i, s in zip(index, torch.empty(x.shape).stride(), strict=True)
        )
        start = x.storage_offset()
        said = (
            (whole, "this is a count of elements; the question asks for bytes"),
            (whole * 4, f"{x.dtype} has {size} bytes an element, not 4"),
            (
                elements * size,
                f"x starts at element {start} of its storage (`storage_offset`), and "
                "that is left out",
            ),
            (
                start + elements * size,
                "the storage offset counts elements too; multiply it by itemsize",
            ),
            (
                (start + row_major) * size,
                "these are the strides of a contiguous tensor of that shape; x has "
                "its own",
            ),
        )
        why = tuple(
            (lambda got, want, *_, value=value: got == value, sentence)
            for value, sentence in said
        )
        got = t.call(answer, x, index, expect=want, case=case, why=why)
        t.require(type(got) is int, f"it returns a {type(got).__name__}, not an int")
