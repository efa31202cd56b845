"""What a notebook defines arrives in another process."""

from __future__ import annotations

import pickle

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from course_utils import isolate, transport

aten = torch.ops.aten


@pytest.mark.parametrize(
    "thing", [torch.ops, aten, aten.mm, aten.mm.default, aten.add.Tensor]
)
def test_torch_operators_are_found_again_by_name(thing):
    assert pickle.loads(transport.dumps(thing)) is thing


def test_a_dispatch_mode_of_the_notebook_travels():
    class Count(TorchDispatchMode):
        def __init__(self):
            super().__init__()
            self.products = 0

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            self.products += func.overloadpacket in (aten.mm, aten.addmm)
            return func(*args, **(kwargs or {}))

    def use(mode):
        with mode() as count:
            torch.ones(2, 2) @ torch.ones(2, 2)
        return count.products

    Count.__module__ = use.__module__ = "__main__"
    assert isolate.run(use, Count).value == 1


def test_an_autograd_function_of_the_notebook_travels():
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * grad

    def use(function):
        x = torch.ones(3, requires_grad=True)
        function.apply(x).sum().backward()
        return x.grad

    Double.__module__ = use.__module__ = "__main__"
    outcome = isolate.run(use, Double)
    assert outcome.ok, outcome.sentence
    assert torch.equal(outcome.value, torch.full((3,), 2.0))
