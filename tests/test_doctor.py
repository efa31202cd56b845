"""Each trouble that readers have is provoked and recognized."""

from __future__ import annotations

import os
import sys
import time

import pytest

from course_utils import doctor


def row(examine):
    return examine()


def test_the_report_has_a_verdict_and_words_for_each_row():
    table = doctor.report()
    assert len(table) >= 9
    for _, found, verdict, words in table.rows:
        assert found and words
        assert verdict in (doctor.OK, doctor.NOTE, doctor.TROUBLE)


def test_a_missing_torch_is_told_and_the_other_rows_stay(monkeypatch):
    for name in [n for n in sys.modules if n.split(".")[0] == "torch"]:
        monkeypatch.setitem(sys.modules, name, None)
    verdicts = {
        what: (found, verdict) for what, found, verdict, _ in doctor.report().rows
    }
    assert verdicts["torch"] == ("missing", doctor.TROUBLE)
    assert verdicts["gpu"] == ("not examined", doctor.NOTE)
    assert verdicts["Python"][1] == doctor.OK


def test_a_missing_compiler(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert row(doctor._compiler)[1:3] == ("missing", doctor.TROUBLE)


def test_an_old_compiler(monkeypatch):
    monkeypatch.setattr(doctor.compiler, "version", lambda path: "g++ (GCC) 9.4.0")
    assert row(doctor._compiler)[2] == doctor.TROUBLE


def test_a_missing_ninja(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert row(doctor._ninja)[1:3] == ("missing", doctor.TROUBLE)


def test_a_ninja_that_does_not_run(monkeypatch, tmp_path):
    stale = tmp_path / "ninja"
    stale.write_text("#!/bin/sh\nexit 1\n")
    stale.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert row(doctor._ninja)[1:3] == ("broken", doctor.TROUBLE)


@pytest.mark.parametrize(
    ("home", "words"),
    [
        (":/usr/local/cuda", "one folder"),
        ("'/usr/local/cuda'", "one folder"),
        ("/no/such/folder", "no such folder"),
    ],
)
def test_a_bad_cuda_home(monkeypatch, home, words):
    monkeypatch.setenv("CUDA_HOME", home)
    what, _, verdict, mend = row(doctor._nvcc)
    assert (what, verdict) == ("CUDA_HOME", doctor.TROUBLE)
    assert words in mend


def test_a_toolkit_of_another_major(monkeypatch, tmp_path):
    import torch

    nvcc = tmp_path / "nvcc"
    nvcc.write_text("#!/bin/sh\necho Cuda compilation tools, release 11.8, V11.8\n")
    nvcc.chmod(0o755)
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.delenv("CUDA_PATH", raising=False)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    _, found, verdict, mend = row(doctor._nvcc)
    assert (found, verdict) == ("11.8", doctor.TROUBLE)
    assert "same major" in mend


def test_no_gpu_in_colab_says_where_to_switch(monkeypatch):
    import torch

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setenv("COLAB_RELEASE_TAG", "release-colab")
    assert "Change runtime type" in row(doctor._gpu)[3]


def test_an_unwritable_cache(monkeypatch, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    monkeypatch.setenv("COURSE_CACHE", str(file / "below"))
    assert row(doctor._cache)[2] == doctor.TROUBLE


def test_a_stale_lock_is_told_with_its_age(monkeypatch, tmp_path):
    lock = tmp_path / "py311_cpu" / "relu" / "lock"
    lock.parent.mkdir(parents=True)
    lock.write_text("")
    monkeypatch.setenv("TORCH_EXTENSIONS_DIR", str(tmp_path))
    assert row(doctor._locks)[2] == doctor.OK  # somebody may just be building
    hour_ago = time.time() - 3600
    os.utime(lock, (hour_ago, hour_ago))
    _, found, verdict, mend = row(doctor._locks)
    assert (found, verdict) == ("a lock, 60 min old", doctor.TROUBLE)
    assert str(lock) in mend


def test_an_edited_cpp_extension(monkeypatch, tmp_path):
    from torch.utils import cpp_extension

    edited = tmp_path / "cpp_extension.py"
    edited.write_text("command = ['ninja', '--version']\n")
    monkeypatch.setattr(cpp_extension, "__file__", str(edited))
    assert row(doctor._unedited)[1:3] == ("edited", doctor.TROUBLE)


def test_the_command_line_fails_where_there_is_trouble(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "EXAMINATIONS", (doctor._python, doctor._compiler))
    assert doctor.main() == 0
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert doctor.main() == 1
    assert "missing" in capsys.readouterr().out
