"""One look for all pictures, and the same bytes for the same picture."""

from __future__ import annotations

import re

import matplotlib
import matplotlib.pyplot as plt
import pytest
from matplotlib.colors import to_rgb

from course_utils import plot


def test_the_style_sets_size_and_resolution():
    plot.use()
    assert tuple(matplotlib.rcParams["figure.figsize"]) == (6.4, 3.6)
    assert matplotlib.rcParams["figure.dpi"] == 110
    assert matplotlib.rcParams["axes.spines.top"] is False


def test_colors_are_those_of_okabe_and_ito_and_all_differ():
    okabe_ito = "#E69F00 #56B4E9 #009E73 #F0E442 #0072B2 #D55E00 #CC79A7 #999999"
    assert set(plot.COLORS.values()) == set(okabe_ito.split())
    assert plot.COLORS["ours"] == "#0072B2"
    assert plot.COLORS["wrong"] == "#D55E00"


def test_a_tint_goes_from_white_to_the_color():
    assert plot.tint("#0072B2", 0) == (1, 1, 1)
    assert plot.tint("#0072B2", 1) == pytest.approx(to_rgb("#0072B2"))


def test_a_picture_is_unknown_to_pyplot_and_so_shown_once():
    before = plt.get_fignums()
    plot.canvas(3, 2)
    plot.figure()
    assert plt.get_fignums() == before


def test_a_picture_prints_its_size_and_no_address():
    made, _ = plot.canvas(3, 2)
    assert re.fullmatch(r"<Picture size 330x220 with 1 Axes>", repr(made))


def test_the_same_drawing_gives_the_same_bytes():
    def draw() -> bytes:
        made, axes = plot.canvas(3, 2)
        plot.box(axes, 0.2, 0.2, 1, 0.5, "aten.mm")
        plot.arrow(axes, (0.7, 0.7), (0.7, 1.5))
        return made._repr_png_()

    first = draw()
    assert first.startswith(b"\x89PNG")
    assert first == draw()
    assert b"matplotlib" not in first


def test_text_that_is_too_wide_becomes_smaller_and_then_shorter():
    text = "RegisterCompositeExplicitAutograd.cpp"
    full = plot.text_width(text, 9)
    assert plot.fit(text, full, 9) == (text, 9)
    shrunk, size = plot.fit(text, full * 0.9, 9)
    assert shrunk == text and 6.5 <= size < 9
    cut, size = plot.fit(text, full * 0.3, 9)
    assert cut.endswith("…") and plot.text_width(cut, size) <= full * 0.3
    assert plot.fit(text, 0.01, 9)[0] == ""


def test_a_line_is_named_at_its_end_in_its_color():
    _, axes = plot.figure()
    (line,) = axes.plot([1, 2, 3], [1, 4, 9], color=plot.COLORS["ours"])
    plot.label_end(axes, line, "ours")
    (label,) = axes.texts
    assert label.get_text() == "ours"
    assert label.xy == (3, 9)
    assert label.get_color() == plot.COLORS["ours"]


def test_the_limit_is_drawn_at_its_value_with_its_name():
    _, axes = plot.figure()
    plot.limit_line(axes, 4800.0, "memory: 4800 GB/s")
    assert list(axes.lines[0].get_ydata()) == [4800.0, 4800.0]
    assert axes.texts[0].get_text() == "memory: 4800 GB/s"
