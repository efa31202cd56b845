"""Failed builds that people really had are read rightly."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from course_utils.explain import explain
from course_utils.failure_rules import RULES

FAILURES = json.loads((Path(__file__).parent / "data/build_failures.json").read_text())
DECOYS = """\
W1017 12:57:34 torch/utils/cpp_extension.py:507] The detected CUDA version (12.2) \
has a minor version mismatch with the version that was used to compile PyTorch (12.8).
W1017 12:57:34 torch/utils/cpp_extension.py:517] There are no g++ version bounds defined
W1017 12:57:34 torch/utils/cpp_extension.py:2425] TORCH_CUDA_ARCH_LIST is not set, all \
archs for visible cards are included for compilation.
x.h:3: warning: 'AT_CHECK' was not declared in this scope, they said
"""
ECHO = (
    "\nninja: build stopped: subcommand failed.\n"
    "subprocess.CalledProcessError: Command '['ninja', '-v']' returned non-zero exit "
    "status 1.\nRuntimeError: Error building extension 'relu'"
)


@pytest.mark.parametrize("case", FAILURES, ids=lambda c: (c["topic"] or "unknown")[:30])
def test_the_family_is_found_and_the_line_is_in_the_log(case):
    found = explain(case["log"])
    assert found.topic == case["topic"]
    if found.known:
        assert found.evidence[:40] in re.sub(r"\n\s*", "\n", case["log"])
        assert found.cause and found.mend


@pytest.mark.parametrize("case", FAILURES, ids=lambda c: (c["topic"] or "unknown")[:30])
def test_warnings_before_and_echoes_behind_change_nothing(case):
    if case["topic"] == "error not shown":
        return  # its log is the echo
    assert explain(DECOYS + case["log"] + ECHO).topic == case["topic"]


def test_warnings_alone_are_no_error():
    found = explain(DECOYS)
    assert not found.known
    assert "reports no error" in found.cause
    assert "harmless" in found.cause


def test_a_warning_counts_only_where_nothing_failed():
    warning = (
        "UserWarning: CUDA initialization: The NVIDIA driver on your system is too old "
        "(found version 11020)."
    )
    assert explain(warning + "\nFalse").topic == "driver too old"
    found = explain(warning + "\nfoo.cpp:3:1: error: 'flurb' is not a thing")
    assert (found.topic, found.evidence[:9]) == ("", "foo.cpp:3")


def test_typographic_quotation_marks_of_a_compiler_change_nothing():
    line = "a.cpp:4:1: error: \u2018__global__\u2019 does not name a type"
    found = explain(line)
    assert found.topic == "kernel in a .cpp"
    assert found.evidence == line


@pytest.mark.parametrize(
    "line",
    [
        "x.cpp:3:5: error: 'threshold' was not declared in this scope",
        'x.cu(3): error: identifier "theta" is undefined',
        "x.cpp:3: error: expected primary-expression before ')' token",
        "fatal error: my_header.h: No such file or directory",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (3x4 and 5x6)",
        "No CUDA runtime is found, using CUDA_HOME='/usr/local/cuda'",
    ],
)
def test_a_reader_s_own_mistake_is_not_taken_for_a_known_family(line):
    assert not explain(line).known


def test_a_symbol_of_torch_is_told_from_one_of_the_extension_s_own():
    text = "undefined symbol: {}"
    own = explain(text.format("_Z12relu_forwardRKN2at6TensorE"))
    theirs = explain(text.format("_ZN3c104cuda9SetDeviceEi"))
    assert own.topic == "undefined symbol"
    assert theirs.topic == "built for another torch"


def test_an_unknown_error_is_named_and_not_guessed():
    found = explain("a\nfoo.cpp:3:1: error: 'flurb' is not a thing\nb" + ECHO)
    assert not found.known
    assert found.evidence == "foo.cpp:3:1: error: 'flurb' is not a thing"


def test_a_driver_that_only_reports_a_failure_is_not_taken_for_the_cause():
    found = explain(ECHO)
    assert found.topic == "error not shown"
    assert "ninja --version" in found.mend


def test_two_places_mean_two_files_and_one_place_means_two_loads():
    text = (
        "Only a single TORCH_LIBRARY can be used to register the namespace n; Previous "
        "registration of TORCH_LIBRARY was registered at {}; latest registration was "
        "registered at {}"
    )
    assert "Two files" in explain(text.format("/a.cpp:1", "/b.cpp:2")).cause
    assert "loaded twice" in explain(text.format("/a.cpp:1", "/a.cpp:1")).cause


def test_the_direction_of_an_abi_mismatch_is_told():
    symbol = "undefined symbol: _ZN3c105ErrorC1ENS_14SourceLocationE"
    new, old = f"{symbol}NSt7__cxx1112basic_string", f"{symbol}Ss"
    assert "compiled for the new" in explain(new).cause
    assert "compiled for the old" in explain(old).cause


def test_bad_advice_is_named():
    text = "The detected CUDA version (12.3) mismatches the version that was used"
    assert "Do not comment the check out" in explain(text).mend


def test_an_exception_is_read_with_its_cause():
    try:
        try:
            raise OSError("No such file or directory: 'ninja'")
        except OSError as error:
            raise RuntimeError("Error building extension") from error
    except RuntimeError as error:
        assert explain(error).topic == "ninja missing"


def test_an_explanation_shows_as_text_and_html():
    found = explain("error: 'AT_CHECK' was not declared in this scope <b>")
    assert "mend" in repr(found) and "TORCH_CHECK" in repr(found)
    assert "<b>" not in found._repr_html_()


def test_every_family_has_words_for_people():
    for rule in RULES:
        assert len(rule.cause) > 10 or rule.cause.startswith("{"), rule.topic
        assert rule.patterns
