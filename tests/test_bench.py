"""The benches measure what they say, and leave the process as it was.

torch's half of the build bench takes half a minute an edit, so here something quick
stands in its place; what is compared with it is built for real.
"""

from __future__ import annotations

import os
import time
from types import SimpleNamespace

import pytest
import torch
from torch.utils import cpp_extension

from course_utils import bench
from course_utils.table import Table


@pytest.fixture
def slow_torch(monkeypatch):
    """A load_inline that takes a second, computes what the edit says, and notes how it
    was called."""
    calls = []

    def load_inline(name, source, **options):
        assert os.environ["TORCH_NO_COMPILER_WRAPPER"] == "1"
        assert os.environ["CCACHE_DISABLE"] == "1"
        assert "extra_cflags" not in options, "the comparison is with its defaults"
        calls.append(source)
        time.sleep(1)
        edit = float(source.split("? ")[1].split("f")[0])
        return SimpleNamespace(relu=lambda x: torch.where(x < 0, edit, x))

    monkeypatch.setattr(cpp_extension, "load_inline", load_inline)
    return calls


def test_the_build_bench_edits_both_sources_and_prints_a_ratio(slow_torch):
    before = dict(os.environ)
    table = bench.build(repeats=2)
    assert dict(os.environ) == before
    assert isinstance(table, Table)
    assert len(set(slow_torch)) == 2, "each round is an edit"
    (_, theirs, *_), (_, ours, least, most, ratio) = table.rows
    assert 1.0 <= theirs < 1.5
    assert 0.2 < least <= ours <= most, "our side was compiled, not found in a cache"
    assert ratio == pytest.approx(theirs / ours, rel=0.1)


def test_a_result_that_does_not_follow_the_edit_stops_the_bench(monkeypatch):
    stale = SimpleNamespace(relu=torch.relu)
    monkeypatch.setattr(cpp_extension, "load_inline", lambda *a, **k: stale)
    with pytest.raises(AssertionError):
        bench.build(repeats=1)


def test_a_middle_value_stands_between_the_least_and_the_most():
    assert bench._spread([3.0, 1.004, 2.0]) == (2.0, 1.0, 3.0)


def test_the_command_line_runs_the_benches_that_are_named(monkeypatch, capsys):
    monkeypatch.setitem(bench.BENCHES, "check", lambda: "a table")
    assert bench.main(["check", "check"]) == 0
    assert capsys.readouterr().out == "a table\na table\n"
    with pytest.raises(SystemExit):
        bench.main(["nothing"])
