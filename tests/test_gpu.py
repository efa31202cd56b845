"""On a machine with a GPU: kernels against torch, and every lesson live and solved.

Run by `make gpu`, with the machine's own torch and without network.
"""

from __future__ import annotations

import nbformat
import pytest
import torch
from test_notebooks import run_solved_once

from course_utils import inputs, lesson
from course_utils.paths import CSRC

pytestmark = pytest.mark.gpu
_HALF_MATH = "#define INFINITY __int_as_float(0x7f800000)\n"


def kernel(file: str, name: str):
    source = _HALF_MATH + (CSRC / file).read_text()
    return torch.cuda._compile_kernel(source, name)


def blocks(threads: int, size: int) -> tuple[int, int, int]:
    return (-(-threads // size), 1, 1)


STEPS = [
    ("relu_steps/02_keeps_nan.cu", "relu_keeps_nan", 256, 1),
    ("relu_steps/03_grid_stride.cu", "relu_grid_stride", 256, 64),
    ("relu_steps/04_float4.cu", "relu_float4", 128, 4),
]


@pytest.mark.parametrize("n", [1, 3, 4, 127, 128, 129, 1025, 2**20 + 3])
@pytest.mark.parametrize(("file", "name", "size", "each"), STEPS)
def test_the_steps_of_relu_are_torchs(file, name, size, each, n):
    x = inputs.randn(n, device="cuda")
    x[0] = float("nan")
    y = torch.full_like(x, 7)
    kernel(file, name)(blocks(n // each + 1, size), (size, 1, 1), (x, y, n))
    torch.testing.assert_close(y, torch.relu(x), rtol=0, atol=0, equal_nan=True)


def test_the_first_step_has_the_fault_that_it_is_shown_for():
    x = torch.tensor([float("nan"), 1.0], device="cuda")
    y = torch.empty_like(x)
    run = kernel("relu_steps/01_article.cu", "relu_article")
    run((1, 1, 1), (256, 1, 1), (x, y, 2))
    assert y.tolist() == [0.0, 1.0]


SUMS = [
    ("sum/01_atomic.cu", "sum_atomic", 256, None),
    ("sum/02_shared_tree.cu", "sum_shared_tree", 256, None),
    ("sum/03_warp_shuffle.cu", "sum_warp_shuffle", 512, 64),
    ("sum/04_float4.cu", "sum_float4", 512, 64),
]


@pytest.mark.parametrize("n", [4, 1024, 2**16 + 4, 2**20])
@pytest.mark.parametrize(("file", "name", "size", "grid"), SUMS)
def test_the_steps_of_the_sum_agree_with_double(file, name, size, grid, n):
    x = inputs.randn(n, device="cuda")
    total = torch.zeros(1, device="cuda")
    shape = (grid, 1, 1) if grid else blocks(n, size)
    kernel(file, name)(shape, (size, 1, 1), (x, total, n))
    # One after the other, partial sums reach sqrt(n) and each of n additions rounds by
    # half an eps of that: a random walk of 6e-8 * n.
    error = abs(total.item() - x.double().sum().item())
    assert error <= 3e-7 * n + 1e-5


@pytest.mark.parametrize(
    ("file", "name", "size", "arguments"),
    [
        ("softmax/01_three_passes.cu", "softmax_three_passes", 256, (8192,)),
        ("softmax/02_row_in_registers.cu", "softmax_row_in_registers", 512, ()),
    ],
)
def test_softmax_agrees_with_double(file, name, size, arguments):
    x = inputs.randn(64, 8192, device="cuda") * 10
    x[0, 5] = 1e4  # without the maximum first, exp would overflow
    y = torch.full_like(x, 7)
    kernel(file, name)((64, 1, 1), (size, 1, 1), (x, y, *arguments))
    want = x.double().softmax(-1)
    torch.testing.assert_close(y.double(), want, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("cols", [512, 4096, 4100])
def test_bias_gelu_and_its_gradient_agree_with_torch(cols):
    x, grad = (inputs.randn(33, cols, device="cuda", seed=s) for s in (0, 1))
    bias = inputs.randn(cols, device="cuda", seed=2)
    grid = (33 * -(-cols // 512), 1, 1)
    y, grad_x = torch.full_like(x, 7), torch.full_like(x, 7)
    file = "bias_gelu/01_fused.cu"
    kernel(file, "bias_gelu")(grid, (128, 1, 1), (x, bias, y, 33, cols))
    run = kernel(file, "bias_gelu_backward")
    run(grid, (128, 1, 1), (grad, x, bias, grad_x, 33, cols))
    leaf = x.double().requires_grad_()
    want = torch.nn.functional.gelu(leaf + bias.double())
    want.backward(grad.double())
    torch.testing.assert_close(y.double(), want.detach(), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(grad_x.double(), leaf.grad, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("text", lesson.texts(), ids=lambda p: p.stem)
def test_every_lesson_runs_live_with_its_solutions(text):
    run_solved_once(nbformat.read(lesson.notebook_of(text), 4))
