"""The kernels of tests/kernels: right ones give their results and no alarm, wrong ones
get the sentence meant for them; nvcc takes them all."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch

from course_utils import kernel_lab, kernel_nvrtc, kernel_source
from course_utils.paths import ROOT

KERNELS = Path(__file__).parent / "kernels"
RIGHT = sorted((KERNELS / "right").glob("*.cu"))
WRONG = sorted((KERNELS / "wrong").glob("*.cu"))
NAMES = ("randn", "zeros", "arange", "randint", "full")
SCOPE = {"torch": torch, **{name: getattr(torch, name) for name in NAMES}}

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


def named(paths: list[Path]) -> list[Any]:
    return [pytest.param(path, id=path.stem) for path in paths]


@cache
def module(path: Path) -> kernel_lab.Module:
    return kernel_lab.load(path)


def head(path: Path) -> tuple[str, str, str]:
    """The launch, its arguments and the expectation, from a file's first comment."""
    lines = path.read_text().split("\n\n")[0].splitlines()
    text = " ".join(line.removeprefix("//").strip() for line in lines)
    found = re.fullmatch(r"launch: (\w.*?\])\((.*)\) (?:equals|expect): (.*)", text)
    assert found, f"{path.name}: its first comment says what to run, got {text!r}"
    return found.group(1), found.group(2), found.group(3)


def launch_of(path: Path) -> kernel_lab.Launch:
    return eval(f"module.{head(path)[0]}", {"module": module(path)})


def arguments(path: Path) -> list[Any]:
    torch.manual_seed(0)
    return list(eval(f"({head(path)[1]},)", SCOPE))


def on(device: str, args: list[Any]) -> list[Any]:
    return [a.to(device) if isinstance(a, torch.Tensor) else a for a in args]


def expectations(path: Path, names: list[str]) -> dict[str, tuple[bool, torch.Tensor]]:
    before = dict(zip(names, arguments(path), strict=True))
    wanted = {}
    for part in head(path)[2].split("; "):
        name, how, expression = part.split(" ", 2)
        assert how in ("==", "~"), part
        wanted[name] = (how == "==", eval(expression, {**SCOPE, **before}))
    return wanted


@pytest.mark.parametrize("path", named(RIGHT))
def test_a_right_kernel_causes_no_alarm(path):
    report = kernel_lab.check(launch_of(path), *arguments(path))
    assert report.ok, str(report)


@pytest.mark.parametrize("checked", [True, False], ids=["checked", "plain"])
@pytest.mark.parametrize("path", named(RIGHT))
def test_a_right_kernel_gives_its_result(path, checked):
    launch, args = launch_of(path), arguments(path)
    names = [p.name for p in launch.kernel.parameters]
    wanted = expectations(path, names)
    launch(*args, checked=checked)
    got = dict(zip(names, args, strict=True))
    for name, (exact, want) in wanted.items():
        limit = 0 if exact else 1e-4
        torch.testing.assert_close(got[name], want, rtol=limit, atol=limit)


@pytest.mark.parametrize("path", named(WRONG))
def test_a_wrong_kernel_gets_the_sentence_meant_for_it(path):
    kind, words = head(path)[2].split(": ", 1)
    seconds = 0.5 if kind == "endless" else 10.0
    args = arguments(path)
    before = [a.clone() if isinstance(a, torch.Tensor) else a for a in args]
    report = kernel_lab.check(launch_of(path), *args, time_limit=seconds)
    found = [f for f in report.findings if f.kind == kind and words in f.sentence]
    assert found, f"expected {kind}: ...{words}...\n{report}"
    for a, b in zip(args, before, strict=True):
        same = torch.equal(a, b) if isinstance(a, torch.Tensor) else a == b
        assert same, "a check leaves the arguments as they were"


def test_there_are_enough_of_both():
    assert len(RIGHT) >= 24
    assert len(WRONG) >= 24


def test_a_finding_names_the_line_of_its_source():
    path = KERNELS / "wrong" / "no_tail.cu"
    found = kernel_lab.check(launch_of(path), *arguments(path)).findings
    (finding,) = (f for f in found if f.array == "y")
    line = path.read_text().splitlines()[finding.line - 1]
    assert "y[i] = " in line
    assert (finding.array, finding.index) == ("y", 1000)
    assert (finding.thread, finding.block) == ((232, 0, 0), (3, 0, 0))
    assert finding.count == 24


def test_fibers_work_without_assembly(tmp_path):
    """On other machines than x86-64 threads switch by setjmp and longjmp."""
    path = KERNELS / "right" / "reduce_tree.cu"
    code = (
        "import torch\nfrom course_utils import kernel_lab\n"
        f"m = kernel_lab.load({str(path)!r})\n"
        "x, y = torch.randn(1000), torch.zeros(4)\n"
        "m[4, 256](x, y, 1000)\n"
        "assert torch.allclose(y.sum(), x.sum(), atol=1e-3)\n"
        "assert kernel_lab.check(m[4, 256], x, y, 1000).ok\n"
    )
    env = {**os.environ, "HOST_CUDA_PORTABLE": "1", "COURSE_CACHE": str(tmp_path)}
    env["PYTHONPATH"] = str(ROOT)
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (runner,) = (tmp_path / "host_cuda").glob("runner-*")
    symbols = runner.read_bytes()
    assert b"hc_switch" not in symbols, "the portable runner still has the assembly"


def test_nvcc_compiles_every_kernel(tmp_path):
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc on this machine, so nothing here compiles the kernels")
    files = [str(p) for p in RIGHT + WRONG if p.stem != "too_much_shared"]
    done = subprocess.run(
        [nvcc, "-ptx", "-arch=sm_80", "-w", "-odir", str(tmp_path), *files],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert len(list(tmp_path.glob("*.ptx"))) == len(files)


def test_nvcc_refuses_what_the_lab_refuses_for_its_size(tmp_path):
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc on this machine")
    path = KERNELS / "wrong" / "too_much_shared.cu"
    done = subprocess.run(
        [nvcc, "-cubin", "-arch=sm_80", "-o", str(tmp_path / "out"), str(path)],
        capture_output=True,
        text=True,
    )
    assert "too much shared data" in done.stderr


@pytest.mark.gpu  # such a torch brings NVRTC; the set-up's torch, for a CPU, does not
def test_nvrtc_compiles_every_kernel_that_is_no_template():
    assert kernel_nvrtc.include_folders()
    for path in RIGHT + WRONG:
        source = kernel_source.read(path.read_text(), path.stem)
        names = [k.qualified for k in source.kernels.values() if not k.template]
        if names and path.stem != "too_much_shared":
            binary, lowered = kernel_nvrtc.compile_cubin(source, names, "sm_80")
            assert binary and len(lowered) == len(names), path.name


@needs_gpu
@pytest.mark.gpu
@pytest.mark.parametrize("path", named(RIGHT))
def test_a_kernel_gives_the_same_on_the_gpu_and_on_the_host(path):
    launch = launch_of(path)
    host, device = arguments(path), on("cuda", arguments(path))
    launch(*host)
    launch(*device)
    torch.cuda.synchronize()
    names = [p.name for p in launch.kernel.parameters]
    for name, (exact, want) in expectations(path, names).items():
        got = dict(zip(names, device, strict=True))[name].cpu()
        ours = dict(zip(names, host, strict=True))[name]
        # NVRTC contracts a * b + c into one rounding; the host does not.
        limit = 1e-6 if exact else 1e-4
        torch.testing.assert_close(got, ours, rtol=limit, atol=limit)
        torch.testing.assert_close(got, want, rtol=limit, atol=limit)


@needs_gpu
@pytest.mark.gpu
def test_a_fault_is_found_before_it_reaches_the_gpu():
    path = KERNELS / "wrong" / "no_tail.cu"
    with pytest.raises(kernel_lab.KernelFault, match="writes y\\[1000\\]"):
        launch_of(path)(*on("cuda", arguments(path)))
    assert torch.ones(3, device="cuda").sum().item() == 3


@needs_gpu
@pytest.mark.gpu
def test_the_gpu_takes_numbers_by_the_type_of_the_parameter():
    text = """
    __global__ void put(double* y, long long a, float b, double c, short d, bool e) {
      y[0] = a, y[1] = b, y[2] = c, y[3] = d, y[4] = e;
    }"""
    y = torch.zeros(5, dtype=torch.float64, device="cuda")
    kernel_lab.compile(text, "put")[1, 1](y, 2**40 + 1, 0.5, 0.1, -7, True)
    assert y.tolist() == [2**40 + 1, 0.5, 0.1, -7, 1]


@needs_gpu
@pytest.mark.gpu
def test_a_launch_uses_the_current_stream():
    text = "__global__ void put(float* y) { y[threadIdx.x] = 1; }"
    put, y = kernel_lab.compile(text, "put"), torch.zeros(32, device="cuda")
    put[1, 32](y)  # compiled, checked
    y.zero_()
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(10_000_000)
        put[1, 32](y)
    stream.synchronize()
    assert y.sum().item() == 32
