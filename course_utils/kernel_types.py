"""C++ types of kernel parameters, and the torch dtypes that fit them.

A short code stands for an element on both sides: "f4" is float and torch.float32, "b2"
is bfloat16. Used by `kernel_source` (to read signatures) and `kernel_lab` (to check
arguments).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import torch

CODES = {
    torch.float32: "f4",
    torch.float64: "f8",
    torch.float16: "f2",
    torch.bfloat16: "b2",
    torch.bool: "b1",
    torch.int8: "i1",
    torch.uint8: "u1",
    torch.int16: "i2",
    torch.uint16: "u2",
    torch.int32: "i4",
    torch.uint32: "u4",
    torch.int64: "i8",
    torch.uint64: "u8",
}
DTYPES = {code: dtype for dtype, code in CODES.items()}

_NAMES = {
    "f4": "float",
    "f8": "double",
    "f2": "half __half __nv_half half2 __half2",
    "b2": "nv_bfloat16 __nv_bfloat16 nv_bfloat162 __nv_bfloat162",
    "b1": "bool",
    "i1": "char int8_t",
    "u1": "uint8_t uchar",
    "i2": "short int16_t",
    "u2": "uint16_t ushort",
    "i4": "int int32_t",
    "u4": "unsigned uint32_t uint",
    "i8": "long int64_t ptrdiff_t ssize_t",
    "u8": "uint64_t size_t ulong",
}
_TYPES = {name: code for code, names in _NAMES.items() for name in names.split()}
_VECTORS = {
    "char": "i1",
    "uchar": "u1",
    "short": "i2",
    "ushort": "u2",
    "int": "i4",
    "uint": "u4",
    "long": "i8",
    "ulong": "u8",
    "longlong": "i8",
    "ulonglong": "u8",
    "float": "f4",
    "double": "f8",
}


_WORDS_OF_TYPES = ("char", "short", "int", "long", "float", "double", "bool")


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel.

    Attributes:
        type: as written, without the name.
        code: of the number, or of what the pointer points to; "" if unknown or `void`.
        variable: the template parameter that the type is, "" if it is none.
    """

    name: str
    type: str
    pointer: bool
    const: bool
    code: str
    variable: str = ""

    def __str__(self) -> str:
        return f"{self.type} {self.name}".strip()


def split(text: str) -> list[str]:
    """Splits at the commas that stand in no brackets."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text):
        if c in "<([{":
            depth += 1
        elif c in ">)]}":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    last = text[start:].strip()
    return [*parts, last] if last or parts else []


def code_of(type_: str) -> str:
    """The code of a type without `const`, "" if it is none we know."""
    words = [w for w in re.findall(r"[\w:]+", type_) if w not in ("const", "volatile")]
    words = [w.removeprefix("std::") for w in words if w not in ("typename", "struct")]
    if not words:
        return ""
    if len(words) == 1:
        vector = re.fullmatch(r"([a-z]+)[1-4]", words[0])
        if vector and vector.group(1) in _VECTORS:
            return _VECTORS[vector.group(1)]
        return _TYPES.get(words[0], "")
    if not set(words) <= {"unsigned", "signed", "char", "short", "int", "long"}:
        return ""
    sign = "u" if "unsigned" in words else "i"
    for word, size in (("char", 1), ("short", 2), ("long", 8)):
        if word in words:
            return f"{sign}{size}"
    return f"{sign}4"


def aliases(clean: str) -> dict[str, str]:
    """Names that stand for one type: `typedef`, `using` and `#define`.

    A name defined in two ways, as under `#if`, is left out: only the compiler knows.
    """
    found: dict[str, set[str]] = {}
    for type_, name in re.findall(r"\btypedef\s+([\w\s:]+?)\s+(\w+)\s*;", clean):
        found.setdefault(name, set()).add(type_)
    for name, type_ in re.findall(r"\busing\s+(\w+)\s*=\s*([\w\s:]+?)\s*;", clean):
        found.setdefault(name, set()).add(type_)
    for name, type_ in re.findall(
        r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([\w: ]+?)[ \t]*$", clean, re.MULTILINE
    ):
        found.setdefault(name, set()).add(type_)
    return {name: types.pop() for name, types in found.items() if len(types) == 1}


def fits(have: str, want: str) -> bool:
    """Whether elements of one code can be read as another: int as unsigned, too."""
    integers = "iu"
    both = have[0] in integers and want[0] in integers
    return have == want or (both and have[1:] == want[1:])


def parameter(text: str, known: dict[str, str], template: Sequence[str]) -> Parameter:
    """Reads one parameter, such as `const float* __restrict__ x`."""
    text = re.sub(r"\b__(?:restrict|restrict__|grid_constant__)\b", " ", text)
    text = re.sub(r"=.*", "", text, flags=re.DOTALL)
    text = re.sub(r"\(\s*\*\s*(?:const\b)?\s*(\w+)\s*\)", r" \1 ", text)
    array = re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)+$", text)
    if array:
        text = text[: array.start()] + "*" + array.group(1)
    named = re.search(r"(\w+)\s*$", text)
    name, type_ = "", text
    if named and (re.search(r"[\w*&>]\s*$", text[: named.start()])):
        before = text[: named.start()]
        alone = before.strip() == "const"  # `const float` names no parameter
        if not alone and named.group(1) not in _WORDS_OF_TYPES:
            name, type_ = named.group(1), before
    type_ = re.sub(r"\s+", " ", type_).strip()
    stars = type_.count("*")
    base = re.sub(r"\b(?:const|volatile)\b|\*", " ", type_).strip()
    variables = [t.split("=")[0].split()[-1] for t in template if t.split()]
    variable = base if base in variables else ""
    for _ in range(10):
        if base not in known or variable:
            break
        base = re.sub(r"\b(?:const|volatile)\b", " ", known[base]).strip()
    code = "" if variable or stars > 1 else code_of(base)
    const = bool(re.search(r"\bconst\b(?![^*]*$)", type_)) if stars else True
    const = const or (stars > 0 and re.match(r"const\b", type_) is not None)
    return Parameter(name, type_, stars > 0, const, code, variable)
