"""The slips that the exercises are tried with are made as meant."""

from __future__ import annotations

import mutants


def changes(source, suffix=".py", values=False):
    return {m.change for m in mutants.of(source, suffix, values)}


def test_python_slips():
    found = changes("def f(x, y):\n    return g(x, y) if x < 2 * y else -y\n")
    assert "x < 2 * y  ->  x <= 2 * y" in found
    assert "x < 2 * y  ->  x > 2 * y" in found
    assert "2 * y  ->  y" in found
    assert "2 * y  ->  2 + y" in found
    assert "2  ->  3" in found
    assert "-y  ->  y" in found
    assert "g(x, y)  ->  g(y, x)" in found
    assert "return g(x, y) if x < 2 * y else -y  ->  return None" in found


def test_a_statement_and_a_method_call_can_be_dropped():
    found = changes("def f(x):\n    x.contiguous()\n    return x.clone()\n")
    assert "x.contiguous()  ->  removed" in found
    assert "x.clone()  ->  x" in found


def test_docstrings_imports_and_annotations_stay():
    source = 'import a\n\ndef f(x: int = 1) -> "b":\n    """2 < 3"""\n    return x\n'
    assert changes(source) == {"1  ->  2", "1  ->  0", "return x  ->  return None"}


def test_strings_change_only_in_predictions():
    assert changes("a = 'CPU'\n") == set()
    assert changes("a = 'CPU'\n", values=True) == {"'CPU'  ->  'CPUx'"}


def test_cpp_slips_leave_templates_comments_and_strings_alone():
    source = (
        "#include <a.h>\n// 1 < 2\n"
        "std::vector<float> f(const float* x, int n) {\n"
        '  STD_TORCH_CHECK(n > 0, "n > 0");\n'
        "  for (int i = 0; i < n; ++i) y[i] = x[i] > 0 ? x[i] * 2 : 0;\n}\n"
        'TORCH_LIBRARY(a, m) {\n  m.def("f(int x) -> int", 3);\n}\n'
    )
    found = changes(source, ".cpp")
    assert "line 5: <  ->  <=" in found
    assert "line 5: >  ->  >=" in found
    assert "line 5: *  ->  +" in found
    assert any(c.startswith("line 4: STD_TORCH_CHECK") for c in found)
    assert not any(
        c.startswith(("line 1", "line 2", "line 7", "line 8")) for c in found
    )
