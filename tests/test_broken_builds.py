"""The planted failures of lesson 20 fail as shown, and can be mended as promised."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys

import harness
import pytest

from course_utils import build, exercise, explain, isolate, lesson
from course_utils.exercises import cpp_relu
from course_utils.paths import NOTEBOOKS, SOLUTIONS

CONTRACT = exercise.find("20.4")
# (what stands in the starter, what must stand there, what it says until then)
STOPS_THE_BUILD = [
    ("...", "#include <torch/csrc/stable/ops.h>", "'empty_like' is not a member of"),
    ("AT_CHECK", "STD_TORCH_CHECK", "'AT_CHECK' was not declared in this scope"),
    (
        "STABLE_TORCH_LIBRARY(COURSE_NAMESPACE, m) {\n  m.impl",
        "STABLE_TORCH_LIBRARY_IMPL(COURSE_NAMESPACE, CPU, m) {\n  m.impl",
        "redefinition of",
    ),
]
ONLY_THE_CHECK_SEES = [
    ("Tensor& x, int start", "Tensor& x, int64_t start", "2**32 arrives as 0"),
    ("std::max(0.0f, a[i])", "std::max(a[i], 0.0f)", "NaN became 0"),
    (
        "empty_like(x);\n  const float* a = x.",
        "empty_like(torch::stable::contiguous(x));\n"
        "  const Tensor in = torch::stable::contiguous(x);\n  const float* a = in.",
        "elements come out in the wrong places",
    ),
]


def cell(begin: str) -> str:
    """The C++ in the cell of the lesson that begins so."""
    notebook = lesson.read_text(NOTEBOOKS / "text" / "20_cpp_relu.md")
    (found,) = [c.source for c in notebook.cells if c.source.startswith(begin)]
    return found.split("\n", 1)[1]


def starter() -> str:
    return cell("%%cpp relu_from")


def mended(*, but: str = "") -> str:
    """The starter of 20.4 with every fault mended except the one named."""
    text = starter()
    for before, after, _ in [*STOPS_THE_BUILD, *ONLY_THE_CHECK_SEES]:
        assert text.count(before) == 1, before
        if before == but and before != "...":
            continue
        text = text.replace(before, "" if before == but else after)
    return text


def test_the_mended_starter_is_correct():
    result = harness.judge(CONTRACT, harness.load(CONTRACT, mended()))
    assert result.status == "correct", repr(result)


@pytest.mark.parametrize("fault", STOPS_THE_BUILD, ids=lambda f: f[1][:24])
def test_each_of_the_three_stops_the_build_by_itself(fault):
    before, _, says = fault
    with pytest.raises(build.BuildError) as caught:
        build.cpp(mended(but=before), "relu_from")
    assert says in str(caught.value)


@pytest.mark.parametrize("fault", ONLY_THE_CHECK_SEES, ids=lambda f: f[1][:24])
def test_the_other_three_build_and_are_found_by_the_check(fault):
    before, _, says = fault
    result = harness.judge(CONTRACT, harness.load(CONTRACT, mended(but=before)))
    assert result.status == "wrong" and says in result.sentence, repr(result)


def test_a_page_that_ate_the_brackets_leaves_four_errors_and_one_cause():
    error = cpp_relu.failure("as_printed.cpp", "pybind")
    assert str(error).startswith("The compiler found 4 errors:")
    assert "#include expects" in error.summary


def test_int_in_a_signature_is_refused_by_torch_library_and_explained():
    error = cpp_relu.failure("int_argument.cpp", "library")
    assert "use `int64_t` in the C++ function signature" in str(error)
    assert "int64_t" in explain.explain(error.text).mend


def test_failure_complains_about_a_file_that_compiles(tmp_path, monkeypatch):
    shutil.copy(SOLUTIONS / "20_4_relu_from.cpp", tmp_path / "good.cpp")
    monkeypatch.setattr(cpp_relu, "LOGS", tmp_path)
    with pytest.raises(AssertionError, match="expected good.cpp not to compile"):
        cpp_relu.failure("good.cpp", "stable")


def test_a_file_for_each_log_and_a_log_for_each_file():
    files = sorted(p.stem for p in cpp_relu.LOGS.glob("log_*.txt"))
    assert files == [f"log_{n}" for n in cpp_relu.SAID]


@pytest.mark.parametrize("number", cpp_relu.SAID)
def test_the_explainer_points_at_the_line_that_the_exercise_wants(number):
    log = cpp_relu.log(number)
    found = explain.explain(log)
    assert found.known
    lines = cpp_relu.SAID[number][0]
    pointed = [i for i, line in enumerate(log.splitlines(), 1) if line.strip()]
    pointed = [i for i in pointed if found.evidence[:60] in log.splitlines()[i - 1]]
    assert set(pointed) & set(lines), (found.evidence, lines)


@pytest.fixture(scope="module")
def library() -> build.Extension:
    text = (SOLUTIONS / "20_2_clipped_relu.cpp").read_text()
    return build.cpp(text, "clipped_relu")


def test_log_3_is_what_a_library_says_before_torch_is_imported(library):
    code = f"import ctypes; ctypes.CDLL({str(library.path)!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    said = done.stderr.strip().splitlines()[-1].removeprefix("OSError: ")
    assert said.startswith("lib") and "cannot open shared object file" in said
    assert "cannot open shared object file" in cpp_relu.log(3)
    code = f"import torch; {code}"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_log_4_is_what_python_says_to_a_library_of_operators(library):
    import torch  # noqa: F401

    spec = importlib.util.spec_from_file_location("fast_relu", library.path)
    with pytest.raises(ImportError) as caught:
        importlib.util.module_from_spec(spec)
    assert f"ImportError: {caught.value}" in cpp_relu.log(4)


def test_log_5_is_what_a_second_copy_says_and_the_process_ends(tmp_path):
    library = build.cpp(cell("%%cpp relu_aten"), "relu_aten", "library")
    copy = shutil.copy(library.path, tmp_path / "copy.so")
    outcome = isolate.run(len, "", libraries=[library.path, copy])
    assert outcome.ended == "signal"
    same = isolate.run(len, "", libraries=[library.path, library.path])
    assert same.ok, same.sentence
    first = "Only a single TORCH_LIBRARY can be used to register the namespace"
    assert first in outcome.output and first in cpp_relu.log(5)
