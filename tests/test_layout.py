"""The picture of a tensor shows where its elements really lie."""

from __future__ import annotations

import ctypes

import pytest
import torch
from matplotlib.patches import Rectangle

from course_utils import layout, layout_draw


def value(table, row: str) -> str:
    return dict(table.rows)[row]


def cells(picture) -> list[Rectangle]:
    return [p for p in picture.axes[0].patches if isinstance(p, Rectangle)]


def texts(picture) -> list[str]:
    return [text.get_text() for text in picture.axes[0].texts]


VIEWS = {
    "transposed": lambda x: x.t(),
    "sliced": lambda x: x[1:, ::2],
    "expanded": lambda x: x[:1].expand(5, 4),
    "windows": lambda x: x.as_strided((4, 3), (1, 1), 2),
    "three dimensions": lambda x: x.view(3, 2, 2).permute(2, 0, 1),
    "a scalar": lambda x: x[2, 3],
    "empty": lambda x: x[:0],
}


@pytest.mark.parametrize("name", VIEWS)
def test_positions_are_the_places_that_memory_confirms(name):
    x = torch.arange(12.0).reshape(3, 4)
    view = VIEWS[name](x)
    memory = (ctypes.c_float * 12).from_address(x.data_ptr())
    found = [memory[place] for place in layout.positions(view)]
    assert found == view.reshape(-1).tolist()


def test_describe_says_shape_strides_offset_and_bytes():
    view = torch.arange(12.0).reshape(3, 4).t()[1:]
    table = layout.describe(view)
    assert value(table, "shape") == "(3, 3)"
    assert value(table, "strides") == "(1, 4)"
    assert value(table, "offset") == "1"
    assert value(table, "bytes of the elements") == "36"
    assert value(table, "bytes of the storage") == "48"
    assert value(table, "contiguous") == "False"
    assert value(table, "a view of").startswith("a tensor of shape")


def test_describe_takes_inference_tensors_which_keep_no_version():
    with torch.inference_mode():
        assert value(layout.describe(torch.ones(2)), "version") == "-"


def test_a_view_shares_its_storage_and_a_copy_does_not():
    x = torch.ones(3, 4)
    assert layout.same_storage(x, x[1:].t())
    assert layout.same_storage(x[0], x[2])
    assert not layout.same_storage(x, x.clone())


def test_a_tensor_without_storage_is_refused_by_its_layout():
    with pytest.raises(ValueError, match="got one of layout torch.sparse_coo"):
        layout.draw(torch.eye(2).to_sparse())
    with pytest.raises(ValueError, match="got one of layout torch.sparse_coo"):
        layout.same_storage(torch.eye(2).to_sparse(), torch.eye(2))


def test_the_same_element_has_the_same_color_everywhere():
    x = torch.arange(6.0).reshape(2, 3)
    faces = [cell.get_facecolor() for cell in cells(layout.draw(x, x.t()))]
    strip, straight, turned = faces[:6], faces[6:12], faces[12:]
    assert len(set(strip)) == 6
    assert straight == strip
    assert turned == [strip[i] for i in (0, 3, 1, 4, 2, 5)]


def test_an_expanded_dimension_repeats_its_colors():
    picture = layout.draw(torch.ones(1, 3).expand(4, 3))
    faces = [cell.get_facecolor() for cell in cells(picture)]
    assert faces[3:] == faces[:3] * 4


def test_elements_that_no_tensor_reaches_are_hatched():
    picture = layout.draw(torch.arange(6.0)[1:5:2])
    hatched = [i for i, cell in enumerate(cells(picture)[:6]) if cell.get_hatch()]
    assert hatched == [0, 2, 4, 5]
    picture = layout.draw(torch.arange(6.0))
    assert not any(cell.get_hatch() for cell in cells(picture))


def test_two_storages_are_two_strips_and_views_share_one():
    x = torch.ones(4)
    shown = texts(layout.draw(x, x[1:], x.clone()))
    assert shown.count("storage: 4 elements of float32, 16 bytes") == 2


def test_a_storage_read_as_another_dtype_is_drawn_in_its_units():
    x = torch.ones(2)
    shown = texts(layout.draw(x, x.view(torch.int16)))
    assert "storage: 2 elements of float32, 8 bytes" in shown
    assert "storage: 4 elements of int16, 8 bytes" in shown


def test_more_than_two_dimensions_are_blocks_with_their_indices():
    shown = texts(layout.draw(torch.arange(24).view(2, 1, 3, 4)))
    assert "[0, 0]" in shown and "[1, 0]" in shown


def test_channels_last_shows_in_the_strip():
    x = torch.arange(8).view(1, 2, 2, 2).to(memory_format=torch.channels_last)
    shown = texts(layout.draw(x))
    assert [t for t in shown if t.isdigit()][:16:2] == list("04152637")


def test_names_are_written_and_have_to_be_as_many_as_the_tensors():
    x = torch.ones(2)
    assert "my x" in texts(layout.draw(x, names=["my x"]))
    with pytest.raises(ValueError, match="a name for each of 1 tensors, got 2"):
        layout.draw(x, names=["a", "b"])


def test_too_many_elements_are_refused_with_what_to_do():
    with pytest.raises(ValueError, match="at most 64 .* of 65 .* draw a smaller one"):
        layout.draw(torch.ones(65))
    with pytest.raises(ValueError, match="tensor 1 of 1 in a storage of 100"):
        layout.draw(torch.ones(100)[:1])
    x = torch.ones(2)
    with pytest.raises(ValueError, match="tensor 2 of 80; draw a part"):
        layout.draw(x, x.expand(40, 2))
    with pytest.raises(ValueError, match="at least one tensor"):
        layout.draw()


@pytest.mark.parametrize(
    "x",
    [
        torch.empty(0),
        torch.empty(2, 0, 3),
        torch.tensor(3),
        torch.tensor([True, False]),
        torch.tensor([1 + 2j]).conj(),
        torch.ones(3, device="meta"),
        torch.ones(3, requires_grad=True),
        torch.tensor([float("nan"), -2.25e7], dtype=torch.bfloat16),
    ],
    ids=lambda x: f"{x.dtype}{list(x.shape)}{x.device}",
)
def test_odd_tensors_can_be_drawn(x):
    shown = texts(layout.draw(x))
    assert f"shape {tuple(x.shape)}, strides {x.stride()}" in shown


@pytest.mark.parametrize("shape", [(64,), (2, 32), (4, 4, 4), (2, 2, 4, 4), (32, 2)])
def test_every_cell_lies_inside_the_picture_and_on_no_other(shape):
    picture = layout.draw(torch.arange(64).view(shape), torch.arange(3))
    width, height = picture.get_size_inches()
    assert width <= 9.2
    corners = {(round(c.get_x(), 3), round(c.get_y(), 3)) for c in cells(picture)}
    assert len(corners) == 64 * 2 + 3 * 2
    side = layout_draw._CELL
    assert all(x >= 0 and x + side <= width for x, _ in corners)
    assert all(y >= 0 and y + side <= height for _, y in corners)
