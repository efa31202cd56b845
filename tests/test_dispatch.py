"""Keys come in the order in which the dispatcher tries them."""

from __future__ import annotations

import pytest
import torch

from course_utils import dispatch, layers


def rows(operator: str, *tensors: torch.Tensor) -> list[tuple[str, str]]:
    return [row[:2] for row in layers.dispatch_path(operator, *tensors).rows]


def test_a_plain_tensor_carries_autograds_key_with_or_without_a_gradient():
    x = torch.ones(3)
    assert layers.key_set(x) == ["AutocastCPU", "AutogradCPU", "ADInplaceOrView", "CPU"]
    assert layers.key_set(x.requires_grad_()) == layers.key_set(torch.ones(3))


def test_a_tensor_made_in_inference_mode_carries_no_autograd_key():
    with torch.inference_mode():
        assert layers.key_set(torch.ones(3)) == ["AutocastCPU", "CPU"]


def test_relu_is_tried_at_autograd_then_computed_at_cpu():
    # As gdb's backtrace has it: VariableType::relu, redispatch, at::native::relu.
    assert rows("aten::relu", torch.ones(3)) == [
        ("AutogradCPU", "kernel"),
        ("ADInplaceOrView", "fallthrough"),
        ("BackendSelect", "fallthrough"),
        ("CPU", "kernel"),
    ]


def test_somebody_sits_at_adinplaceorview_for_an_operator_in_place():
    assert ("ADInplaceOrView", "kernel") in rows("aten::relu_", torch.ones(3))


def test_a_composite_operator_ends_at_the_first_key_that_takes_it_apart():
    x = torch.ones(2, 2)
    assert rows("aten::linear", x, x) == [("AutogradCPU", "composite")]


def test_autocast_comes_first_and_only_while_it_is_on():
    x = torch.ones(2, 2)
    assert ("AutocastCPU", "kernel") not in rows("aten::mm", x, x)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert rows("aten::mm", x, x)[:2] == [
            ("AutocastCPU", "kernel"),
            ("AutogradCPU", "kernel"),
        ]


def test_inference_mode_leaves_autograd_out_and_no_grad_does_not():
    x = torch.ones(3)
    with torch.no_grad():
        assert "AutogradCPU" in dispatch.visited(x)
    with torch.inference_mode():
        assert "AutogradCPU" not in dispatch.visited(x)


def test_keys_of_several_tensors_are_united_in_order_of_priority():
    lazy = torch.ones(3, dtype=torch.complex64).conj()
    keys = dispatch.visited(torch.ones(3), lazy)
    assert keys.index("AutogradCPU") < keys.index("Conjugate") < keys.index("CPU")


def test_a_sparse_and_a_meta_tensor_end_at_their_own_keys():
    sparse = torch.eye(3).to_sparse()
    assert rows("aten::relu", sparse)[-1] == ("SparseCPU", "kernel")
    assert rows("aten::relu", torch.ones(3, device="meta"))[-1] == ("Meta", "kernel")


def test_an_operator_of_ones_own_is_found_with_the_file_that_registered_it():
    library = torch.library.Library("course_dispatch", "DEF")
    library.define("twice(Tensor x) -> Tensor")
    library.impl("twice", lambda x: x * 2, "CPU")
    table = layers.dispatch_path("course_dispatch::twice", torch.ones(3))
    assert table.rows[0][:2] == ("AutogradCPU", "fallback")
    assert table.rows[-1] == ("CPU", "kernel", "test_dispatch.py")


def test_file_names_have_no_folders_no_lines_and_no_numbers_of_parts():
    assert dispatch._file("/a/b/RegisterCPU_2.cpp:3928") == "RegisterCPU.cpp"
    assert dispatch._file("/a/VariableTypeEverything_4.cpp:1") == "VariableType.cpp"
    assert dispatch._file("/tmp/ipykernel_17/3.py:1") == "this notebook"


def test_an_unknown_operator_is_refused_with_an_example():
    with pytest.raises(KeyError, match="no operator 'aten::rleu'; try 'aten::relu'"):
        layers.dispatch_path("aten::rleu", torch.ones(3))


def test_the_way_of_a_fake_tensor_ends_at_python_and_skips_what_is_below():
    from torch._subclasses import FakeTensorMode

    fake = FakeTensorMode().from_tensor(torch.ones(2))
    rows = layers.dispatch_path("aten::relu", fake).rows
    assert [row[0] for row in rows] == ["AutogradCPU", "ADInplaceOrView", "Python"]
    assert rows[-1] == ("Python", "kernel", "FakeTensor")
    composite = layers.dispatch_path("aten::linear", fake, fake).rows
    assert composite[-1][1] == "composite"
