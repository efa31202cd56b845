"""What a lesson shows is what stands in the file."""

from __future__ import annotations

import pytest
import torch

from course_utils import paths, source, table


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A course of its own, with one C++ file of two regions."""
    (tmp_path / "csrc" / "op").mkdir(parents=True)
    (tmp_path / "csrc" / "op" / "op.cpp").write_text(
        "#include <cmath>\n"
        "\n"
        "// [one]\n"
        "int one() {\n"
        "  // [inner]\n"
        "  return 1;\n"
        "  // [/inner]\n"
        "}\n"
        "// [/one]\n"
        "// [open]\n"
    )
    (tmp_path / "answer.py").write_text("# [answer]\nx = 42\n# [/answer]\n")
    monkeypatch.setattr(source, "ROOT", tmp_path)
    monkeypatch.setattr(source, "CSRC", tmp_path / "csrc")
    return tmp_path


def test_a_python_object_shows_its_own_source():
    shown = source.show(table.Table.column)
    assert repr(shown).startswith("def column(self, name: str)")
    assert shown.caption.startswith("column, in course_utils/table.py, from line ")
    number = int(shown.caption.rsplit(" ", 1)[1])
    lines = (paths.ROOT / "course_utils" / "table.py").read_text().splitlines()
    assert "def column" in lines[number - 1]


def test_code_of_torch_is_named_without_the_folders_of_this_machine():
    shown = source.show(torch.nn.ReLU.forward)
    assert ", in torch/nn/modules/activation.py, from line " in shown.caption


def test_a_region_is_cut_out_without_its_marks_and_with_its_line_numbers(folder):
    shown = source.show("csrc/op/op.cpp", region="one")
    assert repr(shown) == "int one() {\n  return 1;\n}"
    assert shown.caption.startswith("csrc/op/op.cpp, from line 4")


def test_an_inner_region_loses_its_indent(folder):
    assert repr(source.show("op/op.cpp", region="inner")) == "return 1;"


def test_python_marks_work_too(folder):
    assert repr(source.show("answer.py", region="answer")) == "x = 42"


def test_a_whole_file_is_shown_without_marks(folder):
    text = repr(source.show("op/op.cpp"))
    assert text.startswith("#include <cmath>") and "[one]" not in text


def test_an_unknown_region_lists_those_that_exist(folder):
    with pytest.raises(ValueError, match=r"no region 'two'; it has: one, inner$"):
        source.show("op/op.cpp", region="two")


def test_a_region_that_is_never_closed_is_said_to_be_so(folder):
    with pytest.raises(ValueError, match=r"region 'open' .* never closed"):
        source.show("op/op.cpp", region="open")


def test_a_file_outside_the_course_is_refused(folder):
    (folder.parent / "secret.txt").write_text("42")
    with pytest.raises(FileNotFoundError, match="below the course's folder"):
        source.show("../secret.txt")
    with pytest.raises(FileNotFoundError, match="below the course's folder"):
        source.show("/etc/hostname")


def test_a_built_in_function_has_no_python_source_and_the_error_says_why():
    with pytest.raises(TypeError, match="relu.* is compiled"):
        source.show(torch.relu)


def test_a_region_of_a_python_object_is_refused():
    with pytest.raises(ValueError, match="expected a path with `region`"):
        source.show(table.Table, region="one")


def test_html_is_highlighted_and_escaped(folder):
    page = source.show("op/op.cpp")._repr_html_()
    assert "&lt;cmath&gt;" in page and "<cmath>" not in page
    assert page.count("<span style=") > 3
    assert "csrc/op/op.cpp" in page


def test_html_has_a_ground_and_an_ink_of_its_own_for_dark_pages(folder):
    page = source.show("op/op.cpp")._repr_html_()
    assert "background:#f7f7f7" in page and "color:#111" in page
