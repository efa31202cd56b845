"""A table reads well as text and is safe as HTML."""

from __future__ import annotations

import pytest

from course_utils.table import Table


def test_text_is_aligned_and_numbers_stand_at_the_right():
    table = Table([("relu", 5), ("addmm", 120)], ["op", "bytes"], title="Costs")
    assert repr(table).splitlines() == [
        "Costs",
        "op     bytes",
        "-----  -----",
        "relu       5",
        "addmm    120",
    ]


def test_a_table_without_rows_still_shows_its_columns():
    assert repr(Table([], ["op", "bytes"])).splitlines() == ["op  bytes", "--  -----"]


def test_a_row_with_a_cell_too_few_is_refused_and_shown():
    with pytest.raises(ValueError, match=r"expected 2 cells .* got 1: \('relu',\)"):
        Table([("relu",)], ["op", "bytes"])


def test_a_cell_of_two_lines_is_one_line_as_text_and_two_in_html():
    table = Table([("a\nb",)], ["x"])
    assert "a b" in repr(table)
    assert "a<br>b" in table._repr_html_()


def test_html_is_escaped_and_backquotes_become_code():
    page = Table([("`x<y>` & z",)], ["a<b"])._repr_html_()
    assert "<code>x&lt;y&gt;</code> &amp; z" in page
    assert "a&lt;b" in page


def test_a_single_backquote_stays_what_it_is():
    assert "don`t" in Table([("don`t",)], ["x"])._repr_html_()


def test_numbers_are_right_aligned_in_html_too():
    page = Table([("relu", 5)], ["op", "bytes"])._repr_html_()
    assert 'text-align:right;vertical-align:top;padding:.2em .8em">5<' in page


def test_a_column_can_be_taken_out_by_its_name():
    table = Table([("relu", 5), ("mm", 7)], ["op", "bytes"])
    assert table.column("bytes") == [5, 7]
    assert len(table) == 2
