"""Literals of validators in Python: limits, words and patterns that the code of a suite knows and no tag says.

The text is read and never run. Each literal is kept with the names around it (of its function or constant, of what it
is compared with, of the key or keyword that it stands at, and of wherever its constant is used), so that those of a
field come first where the field is tried.
"""

from __future__ import annotations

import ast
import contextlib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from harness.diagnostics import InputError
from harness.gotypes.literals import NO_LITERALS, Literal, Literals
from harness.limits import read_bounded

Names: TypeAlias = tuple[str, ...]

FIRST = "handwritten.py"
"""The file of a suite that is read before the others."""
_LARGEST = 1 << 20
_MOST_FILES = 50
_MOST_NAMES = 60
_LEFT_OUT = re.compile(r"test_.*|.*_test|conftest|setup")
_IDENTIFIER = re.compile(r"[A-Za-z_][\w.-]{1,60}")
_MATCHERS = frozenset({"compile", "match", "fullmatch", "search", "findall", "finditer", "split", "sub", "subn"})
_EXPRESSIONS = frozenset({"re", "re2", "regex"})
_NAMES_FIELDS = frozenset({"child", "key", "index", "get", "pop", "getattr", "setdefault", "Path"})
_NO_VALUES = frozenset({"origin", "detail", "message", "encoding", "errors"})
_COMMON = frozenset(
    {
        "append", "child", "context", "dict", "error", "errors", "extend", "False", "field", "found", "get", "index",
        "invalid", "isinstance", "items", "key", "len", "list", "make", "new", "None", "obj", "object", "old", "path",
        "Path", "place", "required", "result", "self", "set", "spec", "str", "int", "True", "value", "values", "before",
    }
)  # fmt: skip
"""Names of variables and functions that say nothing of a field; strings of these names do."""
_PARTS = {"startswith": "{}{}", "removeprefix": "{}{}", "endswith": "{1}{0}", "removesuffix": "{1}{0}"}


def python_files(folder: Path) -> list[Path]:
    """Return the files of a suite that may hold validators: its own, without tests, the handwritten side first."""
    found = sorted(path for path in folder.glob("*.py") if not _LEFT_OUT.fullmatch(path.stem))
    return sorted(found, key=lambda path: path.name != FIRST)[:_MOST_FILES]


def python_literals(files: Iterable[Path]) -> Literals:
    """Read what the code in these files knows. What cannot be read tells nothing: running it says what is wrong."""
    texts = (text for file in files if (text := _text(file)) is not None)
    read = [_of_text(text) for text in texts]
    values = [one for found in read for one in found.values]
    patterns = [one for found in read for one in found.patterns]
    return Literals(tuple(dict.fromkeys(values)), tuple(dict.fromkeys(patterns))) if read else NO_LITERALS


def _text(file: Path) -> str | None:
    try:
        return read_bounded(file, _LARGEST, is_regular=True).decode("utf-8", "replace")
    except (OSError, InputError):
        return None


@lru_cache(maxsize=64)
def _of_text(text: str) -> Literals:
    reader = _ModuleReader()
    # What was read until then counts.
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        reader.read(ast.parse(text))
    return reader.literals()


class _ModuleReader:
    """Reads one module: constants first, so that a pattern of several of them is known as a whole."""

    def __init__(self) -> None:
        self._constants: dict[str, str | None] = {}
        self._used: dict[str, dict[str, None]] = {}
        self._found: list[tuple[Names, str | int, bool]] = []

    def read(self, tree: ast.Module) -> None:
        """Read the statements of a module."""
        for statement in tree.body:
            for target in _targets(statement):
                self._constants[target] = self._whole(getattr(statement, "value", None))
        for statement in tree.body:
            self._visit(statement, ())

    def literals(self) -> Literals:
        """Return what was found: what is matched with is a pattern, however plain."""
        values: list[Literal] = []
        patterns: list[tuple[str, str]] = []
        for names, value, is_pattern in self._found:
            where = _where((*names, *(used for name in names for used in self._used.get(name, ()))))
            if is_pattern and isinstance(value, str):
                patterns.append((where, value))
            else:
                values.append((where, value))
        sorted_out = Literals.of(values)
        return Literals(sorted_out.values, tuple(dict.fromkeys((*patterns, *sorted_out.patterns))))

    def _visit(self, node: ast.AST, names: Names) -> None:
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
                return
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self._visit_all(node, (*names, node.name))
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                if node.value is not None:
                    self._visit(node.value, (*names, *_targets(node)))
            case ast.If() | ast.While():
                self._visit(node.test, (*names, *_around(node.test, *_simple(node.body))))
                for statement in (*node.body, *node.orelse):
                    self._visit(statement, names)
            case ast.Dict():
                for key, value in zip(node.keys, node.values, strict=True):
                    if key is not None:
                        self._visit(key, names)
                    self._visit(value, (*names, *(_around(key) if key is not None else ())))
            case ast.Call():
                self._call(node, names)
            case ast.Subscript():
                self._visit(node.value, names)
                if not isinstance(node.slice, ast.Constant):
                    self._visit(node.slice, names)
            case ast.Compare() | ast.BoolOp():
                self._visit_all(node, (*names, *_around(node)))
            case _:
                self._value(node, names)

    def _value(self, node: ast.AST, names: Names) -> None:
        if isinstance(node, ast.Name):
            if node.id in self._constants:
                self._used.setdefault(node.id, {}).update(dict.fromkeys(names[:_MOST_NAMES]))
            return
        if isinstance(node, ast.expr) and (whole := self._whole(node)) is not None:
            self._add(names, whole)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and _is_number(node.operand):
            self._add(names, -node.operand.value)  # type: ignore[attr-defined]  # which `_is_number` has seen to
        elif _is_number(node):
            self._add(names, node.value)  # type: ignore[attr-defined]
        else:
            self._visit_all(node, names)

    def _visit_all(self, node: ast.AST, names: Names) -> None:
        for child in ast.iter_child_nodes(node):
            self._visit(child, names)

    def _call(self, node: ast.Call, names: Names) -> None:
        function = node.func
        called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        given = (*node.args, *(one.value for one in node.keywords if one.arg not in _NO_VALUES))
        own = (*names, *_around(*(one for one in given if isinstance(one, ast.Constant | ast.Name))))
        self._visit(function, (*names, *_around(*node.args)))
        if called in _NAMES_FIELDS:
            for argument in node.args[1:]:
                self._visit(argument, own)
            return
        is_expression = isinstance(function, ast.Attribute) and getattr(function.value, "id", "") in _EXPRESSIONS
        for number, argument in enumerate(node.args):
            pattern = self._whole(argument) if number == 0 and is_expression and called in _MATCHERS else None
            if pattern is not None:
                self._add((*names, *_around(*node.args[1:])), _verbose(pattern, node), is_pattern=True)
            elif called in _PARTS and (part := self._whole(argument)) is not None:
                for rest in ("", "a", "1"):
                    self._add((*names, *_around(function)), _PARTS[called].format(part, rest))
            else:
                self._visit(argument, own)
        for keyword in node.keywords:
            pattern = self._whole(keyword.value) if keyword.arg in ("pattern", "regex") else None
            if pattern is not None:
                self._add(own, pattern, is_pattern=True)
            elif keyword.arg not in _NO_VALUES:
                self._visit(keyword.value, (*own, *([keyword.arg] if keyword.arg else ())))

    def _whole(self, node: ast.AST | None) -> str | None:
        """Return the text that an expression stands for: constants, their sums, and f-strings of them."""
        match node:
            case ast.Constant(value=str(text)):
                return text
            case ast.Name(id=name):
                return self._constants.get(name)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                first, second = self._whole(left), self._whole(right)
                return None if first is None or second is None else first + second
            case ast.JoinedStr(values=parts):
                texts = [self._whole(one.value if isinstance(one, ast.FormattedValue) else one) for one in parts]
                return None if None in texts else "".join(text for text in texts if text is not None)
        return None

    def _add(self, names: Names, value: str | int, is_pattern: bool = False) -> None:
        if value != "":
            self._found.append((names[:_MOST_NAMES], value, is_pattern))


def _targets(statement: ast.stmt) -> Names:
    """Return the names that an assignment gives a value."""
    if isinstance(statement, ast.Assign):
        return tuple(name for target in statement.targets for name in _around(target))
    if isinstance(statement, ast.AnnAssign | ast.AugAssign):
        return _around(statement.target)
    return ()


def _simple(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the statements of a body that hold no others: they say what a test is about."""
    kinds = (ast.Expr, ast.Return, ast.Raise, ast.Assign, ast.AugAssign, ast.AnnAssign)
    return (one for one in body if isinstance(one, kinds))


def _around(*nodes: ast.AST) -> Names:
    """Return the names in expressions: of variables, of members, and strings that may be such."""
    found: dict[str, None] = {}
    for node in nodes:
        for one in ast.walk(node):
            match one:
                case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) if name not in _COMMON:
                    found[name] = None
                case ast.Constant(value=str(text)) if _IDENTIFIER.fullmatch(text):
                    found[text] = None
            if len(found) >= _MOST_NAMES:
                return tuple(found)
    return tuple(found)


def _where(names: Iterable[str]) -> str:
    """Write names as they are looked for: in lower case, also without the signs that part their words."""
    plain = dict.fromkeys(name.lower() for name in names)
    return " ".join(dict.fromkeys((*plain, *(re.sub(r"[\W_]", "", name) for name in plain))))


def _verbose(pattern: str, call: ast.Call) -> str:
    flags = {name for argument in (*call.args[1:], *call.keywords) for name in _around(argument)}
    return f"(?x){pattern}" if flags & {"X", "VERBOSE"} else pattern


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool)
