"""Makes plausible slips in a right answer: what a checker must notice.

Python is changed in its syntax tree, C++ and CUDA token by token (in clang-format's
layout binary operators stand between spaces and template brackets do not).
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """`change` says what was done, and where, in a form that can be listed."""

    change: str
    source: str


_COMPARE = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_BINARY = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


def of(source: str, suffix: str, values: bool = False) -> list[Mutant]:
    """All mutants of a solution; `values` changes strings too (for predictions)."""
    made = _python(source, values) if suffix == ".py" else _compiled(source)
    seen: dict[str, int] = {}
    out: list[Mutant] = []
    for mutant in made:
        if mutant.source == source:
            continue
        n = seen[mutant.change] = seen.get(mutant.change, 0) + 1
        name = mutant.change if n == 1 else f"{mutant.change} (#{n})"
        out.append(Mutant(name, mutant.source))
    return out


def _python(source: str, values: bool) -> Iterator[Mutant]:
    tree = ast.parse(source)
    for path, node in _walk(tree, ()):
        for replacement in _variants(node, values):
            changed = copy.deepcopy(tree)
            _put(changed, path, replacement)
            text = ast.unparse(ast.fix_missing_locations(changed))
            before = ast.unparse(node).splitlines()[0]
            after = ast.unparse(replacement).splitlines()[0] if replacement else ""
            yield Mutant(f"{before}  ->  {after or 'removed'}", text + "\n")


def _walk(node: ast.AST, path: tuple) -> Iterator[tuple[tuple, ast.AST]]:
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list"):
            continue
        items = value if isinstance(value, list) else [value]
        for i, item in enumerate(items):
            if not isinstance(item, ast.AST) or _is_docstring(item):
                continue
            if isinstance(item, ast.Import | ast.ImportFrom):
                continue
            where = (*path, (field, i if isinstance(value, list) else None))
            yield where, item
            yield from _walk(item, where)


def _is_docstring(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _put(tree: ast.AST, path: tuple, replacement: ast.AST | None) -> None:
    for field, i in path[:-1]:
        value = getattr(tree, field)
        tree = value if i is None else value[i]
    field, i = path[-1]
    if i is None:
        setattr(tree, field, replacement)
    elif replacement is None:
        getattr(tree, field)[i : i + 1] = [ast.Pass()]
    else:
        getattr(tree, field)[i] = replacement


def _variants(node: ast.AST, values: bool) -> Iterator[ast.AST | None]:
    new = copy.deepcopy(node)
    if isinstance(node, ast.Compare):
        for other in _COMPARE.get(type(node.ops[0]), ()):
            new = copy.deepcopy(node)
            new.ops[0] = other()
            yield new
    elif isinstance(node, ast.BinOp):
        if type(node.op) in _BINARY:
            new.op = _BINARY[type(node.op)]()
            yield new
        yield copy.deepcopy(node.left)
        yield copy.deepcopy(node.right)
    elif isinstance(node, ast.BoolOp):
        new.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield new
        yield from (copy.deepcopy(v) for v in node.values)
    elif isinstance(node, ast.UnaryOp):
        yield copy.deepcopy(node.operand)
    elif isinstance(node, ast.Constant):
        yield from _constants(node, values)
    elif isinstance(node, ast.IfExp):
        new.body, new.orelse = new.orelse, new.body
        yield new
    elif isinstance(node, ast.If | ast.While):
        new.test = ast.UnaryOp(ast.Not(), new.test)
        yield new
    elif isinstance(node, ast.Call):
        yield from _calls(node)
    elif isinstance(node, ast.Return) and node.value is not None:
        new.value = ast.Constant(None)
        yield new
    elif isinstance(node, ast.Expr | ast.AugAssign):
        yield None


def _constants(node: ast.Constant, values: bool) -> Iterator[ast.AST]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int | float):
        yield ast.Constant(value + 1)
        if value:
            yield ast.Constant(value - 1)
    elif isinstance(value, str) and values:
        yield ast.Constant(value + "x")


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    if isinstance(node.func, ast.Attribute) and not node.args and not node.keywords:
        if not isinstance(node.func.value, ast.Call | ast.Name) or not _is_module(
            node.func.value
        ):
            yield copy.deepcopy(node.func.value)  # x.contiguous() becomes x
    if len(node.args) >= 2:
        new = copy.deepcopy(node)
        new.args[-2:] = [new.args[-1], new.args[-2]]
        yield new
    for i in range(len(node.keywords)):
        new = copy.deepcopy(node)
        del new.keywords[i]
        yield new


def _is_module(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in ("torch", "super")


_TOKENS = [
    (r" < ", (" <= ", " > ")),
    (r" <= ", (" < ", " >= ")),
    (r" > ", (" >= ", " < ")),
    (r" >= ", (" > ", " <= ")),
    (r" == ", (" != ",)),
    (r" != ", (" == ",)),
    (r" && ", (" || ",)),
    (r" \|\| ", (" && ",)),
    (r" \+ ", (" - ",)),
    (r" - ", (" + ",)),
    (r" \* ", (" + ",)),
    (r" / ", (" * ",)),
    (r" % ", (" / ",)),
    (r" \+= ", (" = ", " -= ")),
    (r" \? ([^:;?]+) : ([^:;?]+);", (r" ? \2 : \1;",)),
    (r"\bcontiguous\(", ("(",)),
    (r"\btorch::stable::contiguous\((\w+)\)", (r"\1",)),
    (r"(?<![\w.])(\d+)(?![\w.x])", ("+1",)),
    (r"\b__syncthreads\(\);", ("",)),
    (r"(?ms)^ *(?:STD_)?TORCH_CHECK\(.*?\);\n", ("",)),
]


def _compiled(source: str) -> Iterator[Mutant]:
    """Changes outside comments, strings, preprocessor lines and registrations."""
    hidden = re.compile(
        r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|^#[^\n]*|'
        r"^(?:STABLE_)?TORCH_LIBRARY\w*\(.*?^\}",
        re.S | re.M,
    )
    covered = [m.span() for m in hidden.finditer(source)]
    for pattern, replacements in _TOKENS:
        for match in re.finditer(pattern, source):
            start, end = match.span()
            check = "TORCH_CHECK" in pattern
            if any(a <= start < b for a, b in covered) and not check:
                continue
            for replacement in replacements:
                after = (
                    str(int(match[1]) + 1)
                    if replacement == "+1"
                    else match.expand(replacement)
                )
                line = source.count("\n", 0, start) + 1
                text = source[:start] + after + source[end:]
                shown = " ".join(match[0].split())[:60]
                change = f"line {line}: {shown}  ->  {after.strip() or 'removed'}"
                yield Mutant(change, text)
