"""course::relu agrees with torch.relu everywhere, on the CPU and on a GPU."""

from __future__ import annotations

import shutil
import subprocess

import pytest
import torch

from course_utils import inputs
from course_utils.paths import CSRC
from course_utils.relu import operators, relu

DEVICES = ["cpu", pytest.param("cuda", marks=pytest.mark.gpu)]
on_each_device = pytest.mark.parametrize("device", DEVICES)


def same(a, b):
    torch.testing.assert_close(a, b, rtol=0, atol=0, equal_nan=True)


@on_each_device
def test_values_and_dtypes_are_torchs(device):
    for name, x in inputs.pointwise(inputs.FLOATING, device):
        y = relu(x)
        same(y, torch.relu(x))
        assert y.device == x.device, name


@on_each_device
def test_dense_strides_are_kept(device):
    x = inputs.randn(2, 3, 4, 5, device=device)
    for dense in (x.transpose(1, 3), x.to(memory_format=torch.channels_last)):
        assert relu(dense).stride() == dense.stride()


@on_each_device
def test_views_that_start_anywhere_are_right(device):
    x = inputs.randn(1030, device=device)
    for start in range(5):
        same(relu(x[start:]), torch.relu(x[start:]))


@on_each_device
def test_the_gradient_is_torchs_at_zero_and_nan_too(device):
    for _, x in inputs.pointwise((torch.float32, torch.bfloat16), device):
        grads = []
        for fn in (relu, torch.relu):
            leaf = x.detach().clone().requires_grad_()
            fn(leaf).sum().backward()  # an expanded gradient, of stride 0
            grads.append(leaf.grad)
        same(*grads)


@on_each_device
def test_gradcheck_and_gradgradcheck_in_double(device):
    x = inputs.randn(4, 5, dtype=torch.float64, device=device).t()
    x = x.where(x.abs() > 0.01, 1.0).requires_grad_()
    assert torch.autograd.gradcheck(relu, x)
    assert torch.autograd.gradgradcheck(relu, x)


@on_each_device
def test_opcheck_finds_nothing(device):
    for x in (inputs.randn(3, 4, device=device), inputs.randn(0, device=device)):
        torch.library.opcheck(operators().relu.default, (x.requires_grad_(),))
        y = torch.relu(x).detach()
        args = (torch.ones_like(y, requires_grad=True), y)
        torch.library.opcheck(operators().relu_backward.default, args)


@on_each_device
def test_it_compiles_without_a_graph_break(device):
    operators()
    compiled = torch.compile(
        lambda x: relu(x * 2) + 1, fullgraph=True, backend="aot_eager"
    )
    x = inputs.randn(33, device=device)
    same(compiled(x), torch.relu(x * 2) + 1)


@on_each_device
def test_wrong_input_is_refused_in_words(device):
    whole = torch.arange(3, device=device)
    with pytest.raises(RuntimeError, match="(?i)relu.*long"):
        relu(whole)
    y = torch.ones(3, device=device)
    backward = operators().relu_backward
    with pytest.raises(RuntimeError, match="expected grad of size 3"):
        backward(torch.ones(2, device=device), y)
    with pytest.raises(RuntimeError, match="dimensions of y, got 2"):
        backward(torch.ones(3, 1, device=device), y)
    with pytest.raises(RuntimeError, match="of one dtype"):
        backward(y.double(), y)


@pytest.mark.gpu
def test_it_works_on_a_side_stream_and_in_a_cuda_graph():
    x = inputs.randn(1 << 20, device="cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(10**7)  # a slow producer: the wrong stream reads too early
        made = x * 2
        y = relu(made)
    stream.synchronize()
    same(y, torch.relu(x * 2))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = relu(x)
    x.copy_(inputs.randn(1 << 20, device="cuda", seed=1))
    graph.replay()
    same(out, torch.relu(x))


@pytest.mark.gpu
def test_more_than_two_to_the_31_elements():
    x = torch.full((2**31 + 8,), -1.0, dtype=torch.bfloat16, device="cuda")
    x[-1] = 3
    y = relu(x)
    assert y[-1].item() == 3
    assert y[2**31].item() == 0


def cuda_sources():
    skip = CSRC / "host_cuda"
    return sorted(p for p in CSRC.rglob("*.cu") if not p.is_relative_to(skip))


@pytest.mark.parametrize(
    "path", cuda_sources(), ids=lambda p: f"{p.parent.name}-{p.stem}"
)
def test_every_cuda_file_compiles_where_nvcc_is(path, tmp_path):
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        print("nvcc is not here: no CUDA file was compiled")
        return
    architectures = [f"-gencode=arch=compute_{n},code=sm_{n}" for n in (75, 80, 90)] + [
        "-gencode=arch=compute_90,code=compute_90"
    ]
    command = [nvcc, "-c", "-std=c++17", *architectures, str(path), "-o"]
    done = subprocess.run(
        [*command, str(tmp_path / "out.o")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
