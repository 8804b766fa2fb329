"""Operators on handwritten Python: errors left out, conditions turned round, limits shifted, words and marks changed.

They work on the syntax tree of a suite's own modules. `suite.py` says what is examined and is left alone.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeAlias

from harness.limits import read_checkout
from harness.power.mutant import Mutant
from harness.power.operators.errors import another_type

_MAKERS = "harness.field.make"
_SHIFTED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
_TYPES = {"invalid": "FieldValueInvalid"}
_LONGEST = 60

Do: TypeAlias = Callable[[], None]


@dataclass(frozen=True, slots=True)
class CodeMutation:
    """One change of a tree: `do` makes it in place. `function` and `line` are where, `code` what was there."""

    operator: str
    function: str
    line: int
    code: str
    do: Do
    shown_by: str = "an object that takes this branch"


def mutants_of(folder: Path) -> Iterator[Mutant]:
    """Yield every mutant of the modules of a suite's folder."""
    for file in sorted(folder.glob("*.py")):
        if file.name in ("suite.py", "__init__.py", "conftest.py") or file.name.startswith("test_"):
            continue
        source = read_checkout(file).decode()
        for number, mutation in enumerate(mutations_of(ast.parse(source))):
            location = f"{file.stem}.{mutation.function}".rstrip(".")
            yield Mutant(
                "handwritten", mutation.operator, location, mutation.code, mutation.shown_by,
                files={file.name: _text(source, number)}, lines=frozenset({f"{file.name}:{mutation.line}"}),
            )  # fmt: skip


def _text(source: str, number: int) -> Callable[[], str]:
    return lambda: mutate_source(source, number)


def mutate_source(source: str, number: int) -> str:
    """Return the text of a module with one change, counted from 0."""
    tree = ast.parse(source)
    next(mutation for index, mutation in enumerate(mutations_of(tree)) if index == number).do()
    return ast.unparse(ast.fix_missing_locations(tree))


def mutations_of(tree: ast.Module) -> Iterator[CodeMutation]:
    """Yield every change of a module, in the order of its text."""
    makers = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == _MAKERS
        for alias in node.names
    }
    yield from _CodeMutator(makers).body(tree, "")


class _CodeMutator:
    """Goes through a module. `makers` are the names of the functions that make errors."""

    def __init__(self, makers: set[str]) -> None:
        self._makers = makers

    def body(self, node: ast.AST, where: str) -> Iterator[CodeMutation]:
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "type_params"):
                continue
            for index, child in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(child, ast.AST) and not _is_words(child):
                    put = _put_at(value, index) if isinstance(value, list) else _put_as(node, name)
                    yield from self._node(child, put, where)

    def _node(self, node: ast.AST, put: Callable[[ast.AST], None], where: str) -> Iterator[CodeMutation]:
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Assert) or _is_alias(node):
            return
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            where = f"{where}.{node.name}".lstrip(".")
        for operator, do, shown_by in _changes(node, put, self._makers):
            yield CodeMutation(operator, where, _line_of(node), _shorten(node), do, shown_by)
        yield from self.body(node, where)


def _changes(node: ast.AST, put: Callable[[ast.AST], None], makers: set[str]) -> Iterator[tuple[str, Do, str]]:
    breaks = "an object that breaks the rule"
    match node:
        case ast.Expr(ast.Call(ast.Attribute(attr="append" | "extend"))):
            yield "drop the error", lambda: put(ast.Pass()), breaks
        case ast.AugAssign(target=target, op=ast.Add()) if "err" in ast.unparse(target):
            yield "drop the errors", lambda: put(ast.Pass()), breaks
        case ast.Return(ast.List(elts=[_, *_]) | ast.ListComp()):
            yield "return no errors", lambda: setattr(node, "value", ast.List([], ast.Load())), breaks
        case ast.If() | ast.While() | ast.IfExp():
            yield "negate", _negate(node), "an object for which the condition holds, or does not"
        case ast.comprehension(ifs=[_, *_]):
            yield "keep everything", lambda: setattr(node, "ifs", []), "an item that the condition leaves out"
        case ast.BoolOp():
            yield from _of_junction(node)
        case ast.Compare(ops=[op]) if type(op) in _SHIFTED:
            other = _SHIFTED[type(op)]
            yield f"{_sign(op)} to {_sign(other())}", lambda: node.ops.__setitem__(0, other()), "a value at the limit"
        case ast.Constant(value=bool()) | ast.Constant(value=None):
            return
        case ast.Constant(value=int(number)):
            for step in (1, -1):
                yield f"{step:+d}", partial(setattr, node, "value", number + step), "a value at the limit"
        case ast.Constant(value=str(text)):
            yield "change text", lambda: setattr(node, "value", f"{text}X"), "an object for which the text is used"
        case ast.Call(ast.Name(name)) if name in makers:
            yield from _of_error(node, name, put)
        case ast.Call(ast.Attribute(attr="index"), [index]):
            later = ast.BinOp(index, ast.Add(), ast.Constant(1))
            yield "next index", lambda: node.args.__setitem__(0, later), "a list with a bad item"
        case ast.Tuple(elts=[_, _, *_], ctx=ast.Load()) | ast.List(elts=[_, _, *_], ctx=ast.Load()):
            if all(isinstance(one, ast.Constant | ast.JoinedStr) for one in node.elts):
                for part in list(node.elts):
                    yield f"drop {ast.unparse(part)}", partial(node.elts.remove, part), "that value"


def _negate(node: ast.If | ast.While | ast.IfExp) -> Do:
    return lambda: setattr(node, "test", ast.UnaryOp(ast.Not(), node.test))


def _of_junction(node: ast.BoolOp) -> Iterator[tuple[str, Do, str]]:
    other: ast.boolop = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    names = ("and to or", "or to and")
    shown_by = "an object for which one condition holds and another does not"
    yield names[isinstance(node.op, ast.Or)], lambda: setattr(node, "op", other), shown_by


def _of_error(node: ast.Call, name: str, put: Callable[[ast.AST], None]) -> Iterator[tuple[str, Do, str]]:
    breaks = "any object that breaks the rule"
    marks = [keyword for keyword in node.keywords if keyword.arg == "covered"]
    if not marks:
        mark = ast.keyword("covered", ast.Constant(True))
        yield "mark as covered", lambda: node.keywords.append(mark), breaks
    elif isinstance(marks[0].value, ast.Constant):
        was = marks[0].value.value
        yield "flip the mark", lambda: setattr(marks[0], "value", ast.Constant(not was)), breaks
    origin = next((keyword for keyword in node.keywords if keyword.arg == "origin"), None)
    if origin is not None:
        yield "drop the origin", lambda: node.keywords.remove(origin), breaks
    wrong = another_type(_TYPES.get(name, ""))
    yield "change type", lambda: put(_retype(node, wrong)), breaks


def _retype(node: ast.Call, wrong: str) -> ast.AST:
    outer = ast.parse(f"__import__('msgspec').structs.replace(None, type={wrong!r})", mode="eval").body
    assert isinstance(outer, ast.Call)
    outer.args[0] = node
    return outer


def _put_at(items: list[ast.AST], index: int) -> Callable[[ast.AST], None]:
    return lambda new: items.__setitem__(index, new)


def _put_as(node: ast.AST, name: str) -> Callable[[ast.AST], None]:
    return lambda new: setattr(node, name, new)


def _is_words(node: ast.AST) -> bool:
    """A docstring, or another text that nobody reads."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_alias(node: ast.AST) -> bool:
    """A name for a type."""
    return isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias"


def _line_of(node: ast.AST) -> int:
    """Return the first line of a node; of a part of a comprehension, which has none, that of its iterable."""
    return getattr(node.iter if isinstance(node, ast.comprehension) else node, "lineno", 0)


def _shorten(node: ast.AST) -> str:
    if isinstance(node, ast.If | ast.While):
        node = node.test
    text = " ".join(ast.unparse(node).split()) if not isinstance(node, ast.comprehension) else ast.unparse(node.iter)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _sign(op: ast.cmpop) -> str:
    return ast.unparse(ast.Compare(ast.Name("a"), [op], [ast.Name("b")]))[2:-2]
