"""What a record says is what the call did, and it leaves no trace in the process."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from course_utils import backends, layers, nesting, operators


def training_step():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, target = torch.randn(3, 4), torch.randn(3, 1)

    def step(x, target):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), target)
        loss.backward()
        optimizer.step()

    return step, x, target


def test_relu_passes_python_the_dispatcher_aten_and_its_kernel():
    assert repr(layers.record(torch.relu, torch.tensor([-1.0, 2.0]))) == (
        "torch.relu\n"
        "  $1: f32[2] = aten.relu($0)\n"
        "      AutogradCPU > CPU   [RegisterCPU.cpp; ATen's own code]"
    )


def test_the_result_of_the_call_is_in_value():
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    value = layers.record(torch.relu, x).value
    assert value.tolist() == [0, 2]
    value.sum().backward()
    assert x.grad.tolist() == [0, 1]


def test_a_composite_operator_stands_above_those_it_is_made_of():
    lines = repr(layers.record(nn.Linear(4, 8), torch.ones(3, 4))).splitlines()
    assert [line.strip().split(" (")[0] for line in lines[:3]] == [
        "Linear",
        "torch.nn.functional.linear",
        "aten::linear",
    ]
    assert lines[3] == "      $2: f32[4, 8] = aten.t($1)"
    assert "aten.addmm(" in lines[5]


def test_a_training_step_falls_into_forward_backward_and_optimizer():
    record = layers.record(*training_step())
    phases = [op.phase for op in record.ops]
    assert list(dict.fromkeys(phases)) == ["forward", "backward", "optimizer"]
    assert [op.short for op in record.ops if op.phase == "optimizer"] == [
        "aten.add_"
    ] * 4
    assert {op.short for op in record.ops if op.phase == "forward"} == {
        "aten.t",
        "aten.addmm",
        "aten.relu",
        "aten.mse_loss",
    }
    assert "SGD.step" in record.python and "Sequential" in record.python


def test_backward_operators_stand_under_the_node_that_called_them():
    record = layers.record(*training_step())
    (op,) = [op for op in record.ops if op.short == "aten.threshold_backward"]
    assert [name for _, name in op.above] == ["ReluBackward0"]
    products = [op for op in record.ops if op.short == "aten.mm"]
    assert {name for op in products for _, name in op.above} == {"AddmmBackward0"}
    (first, *_) = [op for op in record.ops if op.short == "aten.sum"]
    assert [name for _, name in first.above] == ["engine, after AddmmBackward0"]


def test_two_records_of_the_same_step_read_the_same():
    texts = {repr(layers.record(*training_step())) for _ in range(2)}
    assert len(texts) == 1
    assert "0x" not in texts.pop()


def test_the_kernel_of_relu_calls_clamp_min():
    assert layers.record(torch.relu, torch.ones(3)).ops[0].inside == ["aten::clamp_min"]


def test_bytes_are_counted_and_views_cost_none():
    record = layers.record(nn.Linear(4, 8), torch.ones(3, 4))
    turned, product = record.ops
    assert (turned.view, turned.bytes_read, turned.bytes_written) == (True, 0, 0)
    assert product.bytes_read == 4 * (8 + 3 * 4 + 4 * 8)
    assert product.bytes_written == 4 * 3 * 8


def test_inference_mode_shows_linear_whole():
    layer = nn.Linear(4, 8)
    with torch.inference_mode():
        record = layers.record(layer, torch.ones(3, 4))
    assert [op.short for op in record.ops] == ["aten.linear"]
    assert record.ops[0].way[-1].what == "composite"
    assert record.ops[0].keys == ["CPU"]


def test_a_view_in_inference_mode_still_passes_adinplaceorview():
    # gdb: ADInplaceOrView's t, then at::native::t; autograd's is not called.
    x = torch.ones(3, 4)
    with torch.inference_mode():
        record = layers.record(x.t)
    assert record.ops[0].keys == ["ADInplaceOrView", "CPU"]


def test_autocast_shows_the_casts_it_makes():
    layer = nn.Linear(4, 8)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        record = layers.record(layer, torch.ones(3, 4))
    assert [op.short for op in record.ops].count("aten._to_copy") == 3
    assert record.value.dtype == torch.bfloat16


def test_meta_and_fake_tensors_are_said_to_have_no_numbers():
    from torch._subclasses.fake_tensor import FakeTensorMode

    meta = layers.record(torch.relu, torch.ones(3, device="meta"))
    assert meta.ops[0].keys[-1] == "Meta"
    with FakeTensorMode():
        fake = layers.record(torch.relu, torch.ones(3))
    assert fake.ops[0].keys == ["AutogradCPU", "Python"]
    assert fake.ops[0].kernel == "FakeTensor"
    assert meta.libraries == fake.libraries == ["no numbers"]


def test_sparse_tensors_and_vmap_can_be_recorded():
    sparse = layers.record(torch.relu, torch.eye(3).to_sparse())
    assert sparse.ops[0].keys == ["AutogradCPU", "SparseCPU"]
    batched = layers.record(torch.vmap(torch.relu), torch.ones(2, 3))
    assert batched.ops[0].text == "$1: f32[2, 3] = aten.relu($0)"


class Wrapped(torch.Tensor):
    """A subclass that answers for itself, with the tensor that it wraps."""

    @staticmethod
    def __new__(cls, inner):
        made = torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)
        made.inner = inner
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        plain = [a.inner if type(a) is cls else a for a in args]
        return cls(func(*plain, **(kwargs or {})))


def test_a_subclass_is_named_as_the_one_that_answers():
    record = layers.record(torch.relu, Wrapped(torch.tensor([-1.0, 2.0])))
    assert [op.short for op in record.ops] == ["aten.relu"]
    assert record.ops[0].keys == ["AutogradCPU", "Python"]
    assert record.ops[0].kernel == "Wrapped"
    assert record.value.inner.tolist() == [0, 2]


def test_a_custom_operator_shows_its_file_and_what_it_calls():
    @torch.library.custom_op("course_layers::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    (op,) = [
        op
        for op in layers.record(twice, torch.ones(3)).ops
        if op.name.startswith("course_layers")
    ]
    assert op.text == "$1: f32[3] = course_layers.twice($0)"
    assert op.kernel == "custom_ops.py"
    assert "aten::mul" in op.inside


def test_a_gradient_asked_for_without_backward_is_a_backward_pass_too():
    x = torch.ones(3, requires_grad=True)
    record = layers.record(lambda: torch.autograd.grad(torch.relu(x).sum(), x))
    assert [op.short for op in record.ops if op.phase == "backward"] == [
        "aten.ones_like",
        "aten.expand",
        "aten.threshold_backward",
    ]
    assert "torch.autograd.grad" in record.python


def listeners() -> tuple:
    modules = torch.nn.modules.module
    return (
        torch._C._len_torch_function_stack(),
        torch._C._len_torch_dispatch_stack(),
        len(modules._global_forward_pre_hooks),
        len(modules._global_forward_hooks),
        torch.autograd._profiler_enabled(),
    )


def test_nothing_stays_behind_when_the_call_raises():
    before = listeners()
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        layers.record(nn.Linear(4, 8), torch.ones(3, 5))
    assert listeners() == before


def test_an_operator_that_raised_inside_a_try_is_left_out():
    def careful(x):
        try:
            torch.mm(x, torch.ones(7, 7))
        except RuntimeError:
            return torch.relu(x)

    record = layers.record(careful, torch.ones(2, 3))
    assert [op.short for op in record.ops] == ["aten.ones", "aten.relu"]


def test_under_another_profiler_only_the_callers_are_missing():
    with torch.autograd.profiler.profile():
        record = layers.record(nn.Linear(4, 8), torch.ones(3, 4))
    assert [op.short for op in record.ops] == ["aten.t", "aten.addmm"]
    assert all(op.above == [] for op in record.ops)


def test_a_call_that_starts_a_profiler_of_its_own_keeps_its_result():
    def profiled(x):
        with torch.autograd.profiler.profile() as profiler:
            torch.relu(x)
        return [event.name for event in profiler.function_events]

    record = layers.record(profiled, torch.ones(3))
    assert "aten::relu" in record.value
    assert [op.short for op in record.ops] == ["aten.relu"]


def test_recording_does_not_change_what_a_step_computes():
    step, x, target = training_step()
    weights = [cell.cell_contents for cell in step.__closure__]
    model = next(w for w in weights if isinstance(w, nn.Module))
    step(x, target)
    plain = [p.clone() for p in model.parameters()]
    step, x, target = training_step()
    weights = [cell.cell_contents for cell in step.__closure__]
    model = next(w for w in weights if isinstance(w, nn.Module))
    layers.record(step, x, target)
    for ours, theirs in zip(model.parameters(), plain, strict=True):
        assert torch.equal(ours, theirs)


@pytest.mark.skipif(
    not torch.backends.mkl.is_available(), reason="this torch has no MKL"
)
def test_a_float32_product_is_computed_by_mkl_and_relu_by_aten():
    def product(a, b):
        return torch.relu(a @ b)

    record = layers.record(product, torch.ones(64, 64), torch.ones(64, 64))
    assert record.libraries == ["MKL", backends.ATEN]


@pytest.mark.skipif(
    not torch.backends.mkldnn.is_available(), reason="this torch has no oneDNN"
)
def test_onednn_is_heard_in_another_process():
    rows = layers.onednn(nn.Conv2d(3, 8, 3), torch.ones(4, 3, 32, 32))
    (row,) = [row for row in rows if row["primitive"] == "convolution"]
    assert row["shape"].startswith("mb4_ic3oc8")
    assert layers.onednn(torch.relu, torch.ones(3)) == []


def test_a_call_that_fails_in_the_other_process_raises_its_sentence():
    from course_utils.isolate import Crashed

    with pytest.raises(Crashed, match="shapes cannot be multiplied"):
        layers.onednn(nn.Linear(4, 8), torch.ones(3, 5))


def test_the_backends_are_those_that_torch_reports():
    table = layers.backends()
    here = dict(zip(table.column("backend"), table.column("here"), strict=True))
    assert here["CUDA"] == ("yes" if torch.cuda.is_available() else "no")
    assert here["MKL"] == ("yes" if torch.backends.mkl.is_available() else "no")
    assert here["threads"] == str(torch.get_num_threads())
    assert here["XLA"] == "no"


def test_strange_arguments_are_named_by_type_and_never_by_address():
    names = operators.Names()
    text = names.text("x.f", (object(), torch.float32, torch.preserve_format), {}, [])
    assert text == "x.f(object, f32, torch.preserve_format)"


def texts(picture) -> list[str]:
    return [text.get_text() for text in picture.axes[0].texts]


def test_one_operator_is_drawn_stop_by_stop():
    shown = texts(layers.record(torch.relu, torch.ones(3)).draw())
    for word in ("torch.relu", "aten.relu   f32[3]", "AutogradCPU", "RegisterCPU.cpp"):
        assert word in shown
    assert "which calls aten::clamp_min" in shown


def test_a_step_is_drawn_with_a_column_for_each_operator():
    record = layers.record(*training_step())
    picture = record.draw()
    shown = texts(picture)
    for op in record.ops:
        assert op.short.removeprefix("aten.") in shown
    assert f"{len(record.ops)} operators" in shown
    assert 6.4 <= picture.get_figwidth() <= 9.1


def test_no_texts_of_a_drawing_overlap():
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    for call in ((torch.relu, torch.ones(3)), training_step()):
        picture = layers.record(*call).draw()
        renderer = FigureCanvasAgg(picture).get_renderer()
        boxes = [
            (t.get_text(), t.get_window_extent(renderer))
            for t in picture.axes[0].texts
            if t.get_text()
        ]
        for i, (name, box) in enumerate(boxes):
            for other, second in boxes[i + 1 :]:
                assert not box.shrunk(0.9, 0.9).overlaps(second), f"{name} / {other}"


def test_a_call_without_an_operator_cannot_be_drawn_and_says_so():
    with pytest.raises(ValueError, match="this one ran none"):
        layers.record(lambda: 1).draw()


@pytest.mark.gpu
def test_cuda_kernels_are_named_by_the_profiler():
    layer = nn.Linear(64, 64, device="cuda")
    record = layers.record(layer, torch.ones(64, 64, device="cuda"))
    assert record.ops[-1].keys == ["AutogradCUDA", "CUDA"]
    assert record.libraries[-1] == "CUDA"
    assert record.ops[-1].cuda
    relu = layers.record(torch.relu, record.value.detach())
    assert relu.cuda == ["vectorized_elementwise_kernel"]
    assert repr(relu).endswith(
        "[RegisterCUDA.cpp; CUDA; vectorized_elementwise_kernel]"
    )


def test_a_kernel_is_named_without_its_templates():
    name = "void at::native::vectorized_elementwise_kernel<4, at::native::F, 2>(int)"
    assert nesting._short(name) == "vectorized_elementwise_kernel"
    assert nesting._short("sm80_xmma_gemm_f32") == "sm80_xmma_gemm_f32"
    name = "void (anonymous namespace)::softmax_warp_forward<float>(float*)"
    assert nesting._short(name) == "softmax_warp_forward"


def test_a_function_with_two_names_goes_by_its_own():
    a = torch.ones(2, 2)
    assert layers.record(torch.mm, a, a).python == ["torch.mm"]
    assert layers.record(torch.relu, a).python == ["torch.relu"]


def test_no_library_is_named_that_was_not_heard():
    sparse, dense = torch.eye(3).to_sparse(), torch.ones(3, 3)
    assert layers.record(torch.mm, sparse, dense).libraries == ["not known"]

    @torch.library.custom_op("course_tests::unheard", mutates_args=())
    def unheard(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    assert layers.record(unheard, dense).libraries == ["its own code"]
