"""The inputs cover what operators get wrong."""

from __future__ import annotations

import torch

from course_utils import inputs


def test_pointwise_inputs_cover_the_awkward_cases():
    found = dict(inputs.pointwise(inputs.FLOATING))
    tensors = list(found.values())
    assert any(x.numel() == 0 for x in tensors)
    assert any(x.dim() == 0 for x in tensors)
    assert any(x.isnan().any() for x in tensors)
    assert any(x.isinf().any() for x in tensors)
    assert any((x == 0).any() and x.signbit().any() for x in tensors)
    assert any(0 in x.stride() and x.numel() > 1 for x in tensors)
    assert any(not x.is_contiguous() for x in tensors)
    assert any(x.storage_offset() for x in tensors)
    assert {x.dtype for x in tensors} == set(inputs.FLOATING)
    sizes = {x.numel() for x in tensors}
    assert sizes >= {0, 1, 31, 32, 33, 1023, 1025}


def test_inputs_are_the_same_each_time_and_leave_the_global_seed_alone():
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    first = [x for _, x in inputs.pointwise()]
    assert torch.equal(before, torch.random.get_rng_state())
    second = [x for _, x in inputs.pointwise()]
    for a, b in zip(first, second, strict=True):
        assert torch.equal(a.nan_to_num(), b.nan_to_num())
        assert a is not b
