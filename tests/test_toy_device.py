"""The device of lesson 12, each time in a process of its own."""

from __future__ import annotations

import pytest
import torch

from course_utils import isolate, toy_device


def on_toy(fn):
    def work():
        toy_device.install()
        toy_device.install_relu()
        return fn()

    return isolate.call(work, time_limit=60.0)


def test_numbers_travel_there_and_back():
    def work():
        x = torch.tensor([[1.0, -2.0], [3.0, 4.0]]).to("toy")
        return str(x.device), x.cpu().tolist(), list(toy_device.calls)

    device, values, calls = on_toy(work)
    assert device == "toy:0"
    assert values == [[1.0, -2.0], [3.0, 4.0]]
    assert calls == ["empty_strided", "_copy_from", "_copy_from"]


def test_relu_keeps_nan_and_its_gradient_is_that_of_torch():
    values = [-1.0, 0.0, 2.0, float("nan")]

    def work():
        x = torch.tensor(values).to("toy").requires_grad_()
        y = torch.relu(x)
        y.sum().backward()
        return y.detach().cpu(), x.grad.cpu()

    y, grad = on_toy(work)
    x = torch.tensor(values, requires_grad=True)
    torch.relu(x).sum().backward()
    torch.testing.assert_close(y, torch.relu(x).detach(), equal_nan=True)
    torch.testing.assert_close(grad, x.grad, equal_nan=True)


def test_a_missing_kernel_is_named():
    def work():
        torch.ones(2).to("toy").sigmoid()

    with pytest.raises(isolate.Crashed, match="aten::sigmoid"):
        on_toy(work)


def test_a_kernel_before_install_is_refused_in_words():
    with pytest.raises(RuntimeError, match="call toy_device.install"):
        toy_device.kernel("relu")


def test_a_session_prints_and_leaves_this_process_alone(capsys):
    toy_device.session(lambda: print(torch.ones(2).to("toy").device))
    assert capsys.readouterr().out == "toy:0\n"
    assert torch._C._get_privateuse1_backend_name() == "privateuseone"


def test_a_session_that_fails_says_so():
    def work():
        raise ValueError("no such thing")

    with pytest.raises(isolate.Crashed, match="no such thing"):
        toy_device.session(work)
