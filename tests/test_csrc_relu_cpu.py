"""One ReLU in the three forms that an extension can have; all give the same values.

The pybind form includes torch/extension.h; it is compiled once here, without
optimization, and that takes most of this file's time.
"""

from __future__ import annotations

import pytest
import torch

from course_utils import build, inputs

FORMS = {"stable": (), "library": (), "pybind": ("-O0",)}


@pytest.fixture(scope="module", params=FORMS)
def relu(request):
    form = request.param
    return build.load(f"relu_cpu/relu_{form}.cpp", form=form, flags=FORMS[form])


@pytest.fixture(scope="module", params=["stable", "library"])
def registered(request):
    """The two forms that register operators, with autograd and a fake kernel."""
    form = request.param
    made = build.load(f"relu_cpu/relu_{form}.cpp", form=form)
    made.load()
    name = f"{made.namespace}::relu_forward"

    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    def backward(ctx, grad):
        return made.relu_backward(grad, *ctx.saved_tensors)

    with torch.library._scoped_library(made.namespace, "FRAGMENT") as library:
        torch.library.register_fake(
            name, lambda x: torch.empty(x.shape, dtype=x.dtype), lib=library
        )
        torch.library.register_fake(
            f"{made.namespace}::relu_backward",
            lambda grad, x: torch.empty(x.shape, dtype=x.dtype),
            lib=library,
        )
        torch.library.register_autograd(
            name, backward, setup_context=setup_context, lib=library
        )
        yield made


@pytest.mark.parametrize("dtype", inputs.FLOATING, ids=str)
def test_it_equals_torch_relu_on_every_input(relu, dtype):
    for name, x in inputs.pointwise(dtypes=(dtype,)):
        y = relu.relu_forward(x)
        assert y.dtype == dtype and y.shape == x.shape, name
        assert torch.equal(y.nan_to_num(123), torch.relu(x).nan_to_num(123)), name


@pytest.mark.parametrize("dtype", inputs.FLOATING, ids=str)
def test_its_gradient_equals_that_of_torch_relu_where_x_is_a_number(relu, dtype):
    for name, x in inputs.pointwise(dtypes=(dtype,)):
        grad = torch.full_like(x, 3.0)
        expected = torch.where(x <= 0, 0.0, 3.0).to(dtype)
        assert torch.equal(relu.relu_backward(grad, x), expected), name
        leaf = x.detach().clone().requires_grad_()
        (theirs,) = torch.autograd.grad(torch.relu(leaf), leaf, torch.full_like(x, 3.0))
        keep = ~x.isnan()
        assert torch.equal(theirs[keep], expected[keep]), name


def test_the_gradient_at_zero_is_zero_and_an_infinite_one_stays_out(relu):
    x = torch.tensor([0.0, -0.0, -1.0, 1.0])
    grad = torch.tensor([1.0, torch.inf, torch.nan, torch.inf])
    assert relu.relu_backward(grad, x).tolist() == [0, 0, 0, torch.inf]


def test_a_gradient_of_any_strides_is_read_rightly(relu):
    x = torch.tensor([[1.0, -1.0, 2.0], [-2.0, 3.0, 0.0]])
    grad = torch.arange(6.0).reshape(3, 2).t()
    expected = torch.where(x > 0, grad, 0.0)
    assert torch.equal(relu.relu_backward(grad, x), expected)
    one = torch.ones(1, 1).expand(2, 3)
    assert torch.equal(relu.relu_backward(one, x), (x > 0).float())


def test_gradcheck_in_double_agrees_away_from_zero(registered):
    x = torch.tensor([-2.0, -0.5, 0.5, 2.0], dtype=torch.double, requires_grad=True)
    assert torch.autograd.gradcheck(registered.relu_forward, (x,))


def test_opcheck_finds_no_fault(registered):
    for x in (torch.randn(4, 3), torch.randn(3, 4).t(), torch.ones(0)):
        x = x.requires_grad_()
        torch.library.opcheck(registered.relu_forward.default, (x,))


def test_torch_compile_keeps_it_in_one_graph(registered):
    x = torch.tensor([-1.0, 0.0, torch.nan, 2.0])

    def doubled(t):
        return registered.relu_forward(t) * 2

    whole = torch.compile(doubled, fullgraph=True, backend="aot_eager")
    assert torch.equal(whole(x).nan_to_num(9), (torch.relu(x) * 2).nan_to_num(9))


def test_a_wrong_shape_or_dtype_is_refused_in_words(registered):
    with pytest.raises(RuntimeError, match="expected grad to have the shape of x"):
        registered.relu_backward(torch.ones(2), torch.ones(3))
    with pytest.raises(RuntimeError, match="expected grad to have the shape of x"):
        registered.relu_backward(torch.ones(3, 1), torch.ones(3))
    with pytest.raises(RuntimeError, match="to have one dtype"):
        registered.relu_backward(torch.ones(3), torch.ones(3).double())
    with pytest.raises(RuntimeError, match="relu_forward.*not implemented for 'Int'"):
        registered.relu_forward(torch.ones(3, dtype=torch.int32))
