"""Prints how long things take, side by side in one run.

    python -m course_utils.bench build    edit-to-result of a C++ operator
    python -m course_utils.bench check    the first and the second check of an answer

Nothing here is a test: machines differ, and a slow day is no error. Compare the ratio.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from course_utils.table import Table

_PYBIND = """
at::Tensor relu(const at::Tensor& x) {{
  auto y = at::empty_like(x);
  const float* in = x.const_data_ptr<float>();
  float* out = y.mutable_data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); ++i)
    out[i] = in[i] < 0 ? {edit}f : in[i];
  return y;
}}
"""
_STABLE = """
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
using torch::stable::Tensor;
Tensor relu(const Tensor& x) {{
  Tensor y = torch::stable::empty_like(x);
  const float* in = x.const_data_ptr<float>();
  float* out = y.mutable_data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); ++i)
    out[i] = in[i] < 0 ? {edit}f : in[i];
  return y;
}}
STABLE_TORCH_LIBRARY(COURSE_NAMESPACE, m) {{ m.def("relu(Tensor x) -> Tensor"); }}
STABLE_TORCH_LIBRARY_IMPL(COURSE_NAMESPACE, CPU, m) {{
  m.impl("relu", TORCH_BOX(&relu));
}}
"""


def _seconds(fn: Callable[[], object]) -> float:
    begin = time.perf_counter()
    fn()
    return time.perf_counter() - begin


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    """These variables are set inside, and as before outside."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def build(repeats: int = 3) -> Table:
    """From an edit of a ReLU in C++ to its new result, by torch's load_inline with its
    defaults and by `build.cpp`: median seconds of `repeats` edits each, taken in turn.
    """
    import torch
    from torch.utils.cpp_extension import load_inline

    from course_utils import build as ours
    from course_utils import isolate

    x = torch.tensor([-1.0, 2.0])
    isolate.run(torch.relu, x)

    def by_torch(edit: float) -> None:
        module = load_inline(
            "course_bench_relu", _PYBIND.format(edit=edit), functions=["relu"]
        )
        assert module.relu(x).tolist() == [edit, 2.0]

    def by_us(edit: float) -> None:
        extension = ours.cpp(_STABLE.format(edit=edit), "bench_relu")
        assert extension.relu(x).tolist() == [edit, 2.0]

    times: dict[str, list[float]] = {"torch": [], "ours": []}
    programs = [os.path.dirname(sys.executable), os.environ["PATH"]]
    with (
        tempfile.TemporaryDirectory() as folder,
        _environment(
            TORCH_NO_COMPILER_WRAPPER="1",  # a ccache would compare two caches
            CCACHE_DISABLE="1",
            PATH=os.pathsep.join(programs),
            TORCH_EXTENSIONS_DIR=folder,
            COURSE_CACHE=os.path.join(folder, "ours"),
        ),
    ):
        for i in range(repeats):
            edit = i + 0.5
            times["torch"].append(_seconds(lambda edit=edit: by_torch(edit)))
            times["ours"].append(_seconds(lambda edit=edit: by_us(edit)))
    torch_median = statistics.median(times["torch"])
    our_median = statistics.median(times["ours"])
    rows = [
        ("load_inline, its defaults", *_spread(times["torch"]), 1.0),
        (
            "build.cpp, stable ABI",
            *_spread(times["ours"]),
            round(torch_median / our_median, 1),
        ),
    ]
    columns = ["edit to result", "median s", "min s", "max s", "times as fast"]
    return Table(rows, columns, title=f"ReLU in C++, {repeats} edits each")


def _spread(times: list[float]) -> tuple[float, float, float]:
    middle = statistics.median(times)
    return round(middle, 2), round(min(times), 2), round(max(times), 2)


def check() -> Table:
    """The first check of a session, which starts the warm process, and later ones."""
    import torch

    from course_utils.check import check as run_check

    def my_relu(x):
        return torch.where(x < 0, 0, x)

    my_relu.__module__ = "__main__"
    with (
        tempfile.TemporaryDirectory() as folder,
        _environment(COURSE_PROGRESS=os.path.join(folder, "progress.json")),
    ):
        first = _seconds(lambda: run_check("00.1", my_relu))
        second = _seconds(lambda: run_check("00.1", my_relu))
        time.sleep(6)  # the warm process imports the rest when nobody waits
        later = [_seconds(lambda: run_check("00.1", my_relu)) for _ in range(10)]
    rows = [
        ("first check", round(first, 3)),
        ("second check", round(second, 3)),
        ("later checks, median of 10", round(statistics.median(later), 3)),
    ]
    return Table(rows, ["exercise 00.1", "seconds"])


BENCHES: dict[str, Callable[[], Table]] = {"build": build, "check": check}


def main(arguments: list[str] | None = None) -> int:
    """Runs the named benches; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("which", nargs="+", choices=sorted(BENCHES))
    for name in parser.parse_args(arguments).which:
        print(BENCHES[name]())
    return 0


if __name__ == "__main__":
    sys.exit(main())
