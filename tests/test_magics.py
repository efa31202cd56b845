"""A cell in C++ binds its name, whatever is in it."""

from __future__ import annotations

import pytest

from course_utils import answers, build, magics

GOOD = """\
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/tensor.h>
using torch::stable::Tensor;
Tensor same(const Tensor& x) { return x; }
STABLE_TORCH_LIBRARY(COURSE_NAMESPACE, m) { m.def("same(Tensor(a) x) -> Tensor(a)"); }
STABLE_TORCH_LIBRARY_IMPL(COURSE_NAMESPACE, CPU, m) {
  m.impl("same", TORCH_BOX(&same));
}
"""


def test_a_good_cell_becomes_operators():
    name, value, error = magics.cpp_magic("same", GOOD)
    assert (name, error) == ("same", None)
    assert value.operators() == ["same"]
    assert repr(value) == "same: same"


def test_a_cell_with_a_gap_is_not_compiled():
    name, value, error = magics.cpp_magic("same", "int x;\n  ...\n")
    assert isinstance(value, answers.Unattempted)
    assert error is None
    with pytest.raises(AttributeError, match="not attempted yet"):
        _ = value.same


def test_a_cell_that_fails_binds_its_failure():
    name, value, error = magics.cpp_magic("same", GOOD.replace("return x", "return y"))
    assert isinstance(value, build.FailedBuild)
    assert "cell same:5:" in str(error)  # the magic line is line 1
    assert value.build_error in repr(value)


@pytest.mark.parametrize(
    "line", ["", "two names", "1st", "print", "class", "x --form cmake", "x --what"]
)
def test_a_bad_first_line_is_refused_in_a_sentence(line):
    with pytest.raises(ValueError, match="expected"):
        magics.cpp_magic(line, GOOD)


def test_the_magics_are_registered_in_a_shell():
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    magics.load_ipython_extension(shell)
    known = shell.magics_manager.magics["cell"]
    assert {"cpp", "cuda"} <= set(known)


@pytest.fixture
def shell():
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    magics.load_ipython_extension(shell)
    yield shell
    InteractiveShell.clear_instance()


def test_in_a_shell_a_failure_replaces_the_name_and_shows_no_stack(shell, capsys):
    for _ in range(2):  # running a cell twice is fine
        assert shell.run_cell(f"%%cpp same\n{GOOD}").success
    assert shell.user_ns["same"].operators() == ["same"]
    capsys.readouterr()
    bad = GOOD.replace("return x", "return y")
    assert not shell.run_cell(f"%%cpp same\n{bad}").success
    shown = capsys.readouterr()
    text = shown.out + shown.err
    assert "cell same:5:" in text and "Traceback" not in text
    assert isinstance(shell.user_ns["same"], build.FailedBuild)
    assert shell.run_cell(f"%%cpp same\n{GOOD}").result.cached


def test_a_wrong_type_is_refused_with_the_argument_s_name():
    _, value, _ = magics.cpp_magic("same", GOOD)
    with pytest.raises(RuntimeError, match="type 'Tensor' for argument 'x'.*'list'"):
        value.same([1.0])
    with pytest.raises(RuntimeError, match="missing value for argument 'x'"):
        value.same()
