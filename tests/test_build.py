"""C++ becomes operators, again and again, and its failures become sentences."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time

import pytest
import torch

from course_utils import build, compiler, isolate, torch_build
from course_utils.paths import ROOT

SCALE = """\
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/util/Exception.h>
using torch::stable::Tensor;
Tensor scale(const Tensor& x) {
  STD_TORCH_CHECK(x.dim() == 1, "scale: expected x to be 1-D, got ", x.dim());
  Tensor y = torch::stable::empty_like(x);
  for (int64_t i = 0; i < x.numel(); ++i)
    y.mutable_data_ptr<float>()[i] = FACTOR * x.const_data_ptr<float>()[i];
  return y;
}
STABLE_TORCH_LIBRARY(COURSE_NAMESPACE, m) { m.def("scale(Tensor x) -> Tensor"); }
STABLE_TORCH_LIBRARY_IMPL(COURSE_NAMESPACE, CPU, m) {
  m.impl("scale", TORCH_BOX(&scale));
}
"""
X = torch.tensor([1.0, 2.0])


def scale(factor):
    return SCALE.replace("FACTOR", str(factor))


@pytest.fixture(autouse=True, scope="module")
def own_cache(tmp_path_factory):
    patch = pytest.MonkeyPatch()
    patch.setenv("COURSE_CACHE", str(tmp_path_factory.mktemp("cache")))
    yield
    patch.undo()


def test_an_edited_operator_is_rebuilt_in_one_process_after_failures_too():
    for factor in (2, 3, 4):
        assert build.cpp(scale(factor), "scale").scale(X).tolist() == [
            factor,
            2 * factor,
        ]
        with pytest.raises(build.BuildError):
            build.cpp(scale("nonsense"), "scale")
    again = build.cpp(scale(2), "scale")
    assert again.cached
    assert again.scale(X).tolist() == [2, 4]


def test_errors_are_short_and_name_the_line_of_the_cell():
    with pytest.raises(build.BuildError) as caught:
        build.cpp(scale("nonsense"), "scale", first_line=2)
    text = str(caught.value)
    assert "cell scale:11:" in text
    assert "'nonsense' was not declared" in text
    assert len(text.splitlines()) < 12
    assert "/torch/include" not in text
    assert caught.value.summary.startswith("cell scale:11:")
    assert caught.value._render_traceback_() == text.splitlines()


def test_an_error_inside_the_operator_is_an_exception_with_its_words():
    operator = build.cpp(scale(2), "scale").scale
    with pytest.raises(RuntimeError, match="expected x to be 1-D, got 2"):
        operator(torch.ones(2, 2))


def test_a_missing_operator_lists_those_that_exist():
    with pytest.raises(AttributeError, match="has no operator 'scael'; it has: scale"):
        _ = build.cpp(scale(2), "scale").scael


def test_an_extension_travels_to_another_process():
    extension = build.cpp(scale(5), "scale")
    assert pickle.loads(pickle.dumps(extension)) == extension

    def use(e):
        return e.scale(torch.ones(1)).item()

    use.__module__ = "__main__"
    assert isolate.run(use, extension).value == 5


def test_a_second_process_finds_the_first_ones_build(tmp_path):
    program = (
        "import sys, torch\nfrom course_utils import build\n"
        f"e = build.cpp({scale(7)!r}, 'scale')\n"
        "print(e.cached, e.scale(torch.ones(1)).item())"
    )
    build.cpp(scale(7), "scale")
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT
    )
    assert done.stdout.split() == ["True", "7.0"], done.stderr


def test_a_build_that_is_killed_blocks_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path))
    program = (
        "from course_utils import build\n"
        "import pathlib, time\n"
        f"with build._locked(pathlib.Path({str(tmp_path / 'x')!r})):\n"
        "    print('locked', flush=True)\n    time.sleep(60)\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert holder.stdout.readline() == "locked\n"
    holder.kill()
    holder.communicate()
    begin = time.monotonic()
    with build._locked(tmp_path / "x"):
        assert time.monotonic() - begin < 5


def test_a_name_that_is_registered_already_is_a_sentence_and_no_crash():
    literal = scale(2).replace("COURSE_NAMESPACE", "literal_name")
    build.cpp(literal, "literal").load()
    with pytest.raises(build.BuildError, match="literal_name is registered"):
        build.cpp(literal + "// edited", "literal").load()


def test_a_library_that_crashes_when_loaded_is_a_sentence_and_no_crash():
    source = scale(2) + "\nstatic int crash = *static_cast<volatile int*>(nullptr);\n"
    with pytest.raises(build.BuildError, match="crashed with a segmentation fault"):
        build.cpp(source, "crash").load()


def test_the_aten_form_works():
    source = """\
#include <ATen/core/Tensor.h>
#include <ATen/ops/clamp_min.h>
#include <torch/library.h>
static at::Tensor relu(const at::Tensor& x) { return at::clamp_min(x, 0); }
TORCH_LIBRARY(COURSE_NAMESPACE, m) { m.def("relu(Tensor x) -> Tensor", &relu); }
"""
    made = build.cpp(source, "aten", form="library")
    assert made.relu(torch.tensor([-1.0, 2.0])).tolist() == [0, 2]
    assert made.operators() == ["relu"]


def test_a_missing_compiler_is_a_sentence(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(build.BuildError, match="CXX names 'no-such-compiler'"):
        build.cpp(scale(2), "scale")
    monkeypatch.delenv("CXX")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(build.BuildError, match="apt install g"):
        build.cpp(scale(2), "scale")


def test_an_unwritable_cache_is_a_sentence(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("COURSE_CACHE", str(tmp_path))
    with pytest.raises(build.BuildError, match="set COURSE_CACHE to another folder"):
        with build._locked(file / "below"):
            pass


@pytest.mark.parametrize("name", ["", "2fast", "a-b", "a b"])
def test_a_bad_name_is_refused(name):
    with pytest.raises(ValueError, match="expected a name of letters"):
        build.cpp(scale(2), name)


def test_an_unknown_form_is_refused():
    with pytest.raises(ValueError, match="expected a form of"):
        build.cpp(scale(2), "scale", form="cmake")


def test_a_missing_file_is_refused():
    with pytest.raises(FileNotFoundError, match="nowhere.cpp"):
        build.load("nowhere.cpp")


def test_linker_errors_are_shown_too():
    source = scale(2).replace("  Tensor y =", "  missing();\n  Tensor y =")
    source = source.replace("Tensor scale(", "void missing();\nTensor scale(", 1)
    made = build.cpp(source, "unlinked")  # a library may lack symbols until it loads
    with pytest.raises(build.BuildError, match="undefined symbol"):
        made.load()


def test_the_summary_of_a_silent_failure_has_its_code():
    error = compiler.failure("", 4)
    assert "ended with code 4" in error.summary


def executable(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_compiler_that_is_too_old_is_a_sentence(tmp_path, monkeypatch):
    said = "g++: error: unrecognized command line option '-std=c++20'"
    old = executable(
        tmp_path / "g++-8",
        'test "$1" = --version && echo "g++ 8.5.0" && exit 0\n'
        f'echo "{said}" >&2\nexit 1',
    )
    monkeypatch.setenv("CXX", str(old))
    with pytest.raises(build.BuildError, match="8.5.0 is too old.*set CXX"):
        build.cpp(scale(2), "scale")


def test_an_edit_in_an_included_header_is_an_edit_of_the_operator(tmp_path):
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper/factor.h").write_text("constexpr float kFactor = 2;\n")
    (tmp_path / "factors.h").write_text('#include "deeper/factor.h"\n')
    file = tmp_path / "scale.cpp"
    file.write_text('#include "factors.h"\n' + scale("kFactor"))
    assert build.load(file).scale(X).tolist() == [2, 4]
    (tmp_path / "deeper/factor.h").write_text("constexpr float kFactor = 3;\n")
    assert build.load(file).scale(X).tolist() == [3, 6]
    assert build.load(file).cached


def test_an_error_in_a_file_names_the_file_and_its_line(tmp_path):
    file = tmp_path / "scale.cpp"
    file.write_text(scale("nonsense"))
    with pytest.raises(
        build.BuildError, match=r"\nscale\.cpp:10:\d+: error: .*nonsense"
    ):
        build.load(file)


# --- torch's own load_inline, behind a look at what makes it fail


def inline(factor, **options):
    source = scale(factor).replace("COURSE_NAMESPACE", f"inline_{factor}")
    return build.load_inline(
        "course_test_inline",
        source,
        is_python_module=False,
        no_implicit_headers=True,
        **options,
    )


@pytest.fixture
def extensions(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path / "extensions"))
    monkeypatch.setenv("PATH", os.environ["PATH"])  # it is changed; put it back
    return tmp_path / "extensions"


def test_load_inline_forgets_a_build_that_failed(extensions):
    for _ in range(2):
        with pytest.raises(build.BuildError, match=r"main\.cpp:10:.*nonsense"):
            inline("nonsense")
    inline(6)
    assert torch.ops.inline_6.scale(X).tolist() == [6, 12]


def test_load_inline_without_ninja_is_a_sentence(extensions, monkeypatch, tmp_path):
    monkeypatch.setattr(torch_build.sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(
        torch_build.shutil, "which", lambda name: None if name == "ninja" else name
    )
    with pytest.raises(build.BuildError, match="ninja, which is not on PATH; run"):
        inline(7)


def test_load_inline_runs_ninja_and_does_not_only_look_for_it(
    extensions, monkeypatch, tmp_path
):
    monkeypatch.setattr(torch_build.sys, "executable", str(tmp_path / "python"))
    executable(tmp_path / "ninja", "echo 'No module named ninja' >&2; exit 1")
    with pytest.raises(build.BuildError, match="does not run .No module named ninja"):
        inline(7)


def test_load_inline_names_a_lock_that_nobody_holds_and_its_age(extensions, tmp_path):
    folder = tmp_path / "here"
    folder.mkdir()
    lock = folder / "lock"
    lock.write_text("")
    long_ago = time.time() - 30 * 60
    os.utime(lock, (long_ago, long_ago))
    with pytest.raises(build.BuildError, match="lock is 30 min old.*delete that file"):
        inline(8, build_directory=str(folder))


def test_a_lock_of_a_build_that_still_compiles_is_waited_for(tmp_path):
    lock = tmp_path / "lock"
    lock.write_text("")
    os.utime(lock, (time.time() - 3600,) * 2)
    remover = subprocess.Popen(["/bin/sh", "-c", "sleep 0.5; rm lock"], cwd=tmp_path)
    torch_build.check_lock(lock)
    assert not lock.exists()
    assert remover.wait(10) == 0
