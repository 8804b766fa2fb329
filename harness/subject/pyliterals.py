"""Reads the literals in handwritten validators in Python: limits, words and patterns, as values for the fuzzer.

The code is parsed and not run. Each literal is stored with the names in its context: of its function or constant, of
the other side of a comparison, of its key or keyword argument, and of each use of its constant. The fuzzer tries a
literal first at fields that have one of these names.
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
_MAX_BYTES = 1 << 20
"""At most this many bytes of a file; larger ones are skipped."""
_MAX_FILES = 50
_MAX_NAMES = 60
"""At most this many names of the context of a literal."""
_SKIPPED_MODULES = re.compile(r"test_.*|.*_test|conftest|setup")
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
"""Names of variables and functions that are not names of fields. A string with such a text may be one."""
_PARTS = {"startswith": "{}{}", "removeprefix": "{}{}", "endswith": "{1}{0}", "removesuffix": "{1}{0}"}


def python_files(folder: Path) -> list[Path]:
    """Return the Python files of a suite that may contain validators, without tests, handwritten.py first."""
    found = sorted(path for path in folder.glob("*.py") if not _SKIPPED_MODULES.fullmatch(path.stem))
    return sorted(found, key=lambda path: path.name != FIRST)[:_MAX_FILES]


def python_literals(files: Iterable[Path]) -> Literals:
    """Read the literals in these files. Files that cannot be read or parsed are skipped: running them is an error."""
    texts = (text for file in files if (text := _read_file(file)) is not None)
    read = [_read_literals(text) for text in texts]
    values = [one for found in read for one in found.values]
    patterns = [one for found in read for one in found.patterns]
    return Literals(tuple(dict.fromkeys(values)), tuple(dict.fromkeys(patterns))) if read else NO_LITERALS


def _read_file(file: Path) -> str | None:
    try:
        return read_bounded(file, _MAX_BYTES, is_regular=True).decode("utf-8", "replace")
    except (OSError, InputError):
        return None


@lru_cache(maxsize=64)
def _read_literals(text: str) -> Literals:
    reader = _ModuleReader()
    # After an error, the literals that were read before it are returned.
    with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        reader.read(ast.parse(text))
    return reader.literals()


class _ModuleReader:
    """Reads one module, its constants first, because a pattern may be composed of several constants."""

    def __init__(self) -> None:
        self._constants: dict[str, str | None] = {}
        self._used: dict[str, dict[str, None]] = {}
        self._found: list[tuple[Names, str | int, bool]] = []

    def read(self, tree: ast.Module) -> None:
        """Read the statements of a module."""
        for statement in tree.body:
            for target in _assigned_names(statement):
                self._constants[target] = self._constant_text(getattr(statement, "value", None))
        for statement in tree.body:
            self._visit(statement, ())

    def literals(self) -> Literals:
        """Return the literals. A text that is used for matching is a pattern, even without special characters."""
        values: list[Literal] = []
        patterns: list[tuple[str, str]] = []
        for names, value, is_pattern in self._found:
            context = _search_text((*names, *(used for name in names for used in self._used.get(name, ()))))
            if is_pattern and isinstance(value, str):
                patterns.append((context, value))
            else:
                values.append((context, value))
        classified = Literals.of(values)
        return Literals(classified.values, tuple(dict.fromkeys((*patterns, *classified.patterns))))

    def _visit(self, node: ast.AST, names: Names) -> None:
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant()):
                return
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self._visit_all(node, (*names, node.name))
            case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
                if node.value is not None:
                    self._visit(node.value, (*names, *_assigned_names(node)))
            case ast.If() | ast.While():
                self._visit(node.test, (*names, *_names_in(node.test, *_simple_statements(node.body))))
                for statement in (*node.body, *node.orelse):
                    self._visit(statement, names)
            case ast.Dict():
                for key, value in zip(node.keys, node.values, strict=True):
                    if key is not None:
                        self._visit(key, names)
                    self._visit(value, (*names, *(_names_in(key) if key is not None else ())))
            case ast.Call():
                self._visit_call(node, names)
            case ast.Subscript():
                self._visit(node.value, names)
                if not isinstance(node.slice, ast.Constant):
                    self._visit(node.slice, names)
            case ast.Compare() | ast.BoolOp():
                self._visit_all(node, (*names, *_names_in(node)))
            case _:
                self._visit_value(node, names)

    def _visit_value(self, node: ast.AST, names: Names) -> None:
        if isinstance(node, ast.Name):
            if node.id in self._constants:
                self._used.setdefault(node.id, {}).update(dict.fromkeys(names[:_MAX_NAMES]))
            return
        if isinstance(node, ast.expr) and (whole := self._constant_text(node)) is not None:
            self._add(names, whole)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and _is_number(node.operand):
            self._add(names, -node.operand.value)  # type: ignore[attr-defined]  # checked by `_is_number`
        elif _is_number(node):
            self._add(names, node.value)  # type: ignore[attr-defined]
        else:
            self._visit_all(node, names)

    def _visit_all(self, node: ast.AST, names: Names) -> None:
        for child in ast.iter_child_nodes(node):
            self._visit(child, names)

    def _visit_call(self, node: ast.Call, names: Names) -> None:
        function = node.func
        called = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        arguments = (*node.args, *(one.value for one in node.keywords if one.arg not in _NO_VALUES))
        own = (*names, *_names_in(*(one for one in arguments if isinstance(one, ast.Constant | ast.Name))))
        self._visit(function, (*names, *_names_in(*node.args)))
        if called in _NAMES_FIELDS:
            for argument in node.args[1:]:
                self._visit(argument, own)
            return
        is_expression = isinstance(function, ast.Attribute) and getattr(function.value, "id", "") in _EXPRESSIONS
        for number, argument in enumerate(node.args):
            pattern = self._constant_text(argument) if number == 0 and is_expression and called in _MATCHERS else None
            if pattern is not None:
                self._add((*names, *_names_in(*node.args[1:])), _add_flags(pattern, node), is_pattern=True)
            elif called in _PARTS and (part := self._constant_text(argument)) is not None:
                for rest in ("", "a", "1"):
                    self._add((*names, *_names_in(function)), _PARTS[called].format(part, rest))
            else:
                self._visit(argument, own)
        for keyword in node.keywords:
            pattern = self._constant_text(keyword.value) if keyword.arg in ("pattern", "regex") else None
            if pattern is not None:
                self._add(own, pattern, is_pattern=True)
            elif keyword.arg not in _NO_VALUES:
                self._visit(keyword.value, (*own, *([keyword.arg] if keyword.arg else ())))

    def _constant_text(self, node: ast.AST | None) -> str | None:
        """Return the text of an expression of constants, also in sums and f-strings; None for other expressions."""
        match node:
            case ast.Constant(value=str(text)):
                return text
            case ast.Name(id=name):
                return self._constants.get(name)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                first, second = self._constant_text(left), self._constant_text(right)
                return None if first is None or second is None else first + second
            case ast.JoinedStr(values=parts):
                texts = [
                    self._constant_text(one.value if isinstance(one, ast.FormattedValue) else one) for one in parts
                ]
                return None if None in texts else "".join(text for text in texts if text is not None)
        return None

    def _add(self, names: Names, value: str | int, is_pattern: bool = False) -> None:
        if value != "":
            self._found.append((names[:_MAX_NAMES], value, is_pattern))


def _assigned_names(statement: ast.stmt) -> Names:
    """Return the names that a statement assigns to."""
    if isinstance(statement, ast.Assign):
        return tuple(name for target in statement.targets for name in _names_in(target))
    if isinstance(statement, ast.AnnAssign | ast.AugAssign):
        return _names_in(statement.target)
    return ()


def _simple_statements(body: Sequence[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the statements of a body that contain no others. Their names belong to the condition of the body."""
    kinds = (ast.Expr, ast.Return, ast.Raise, ast.Assign, ast.AugAssign, ast.AnnAssign)
    return (one for one in body if isinstance(one, kinds))


def _names_in(*nodes: ast.AST) -> Names:
    """Return the names in expressions: of variables and attributes, and strings that may be names."""
    found: dict[str, None] = {}
    for node in nodes:
        for one in ast.walk(node):
            match one:
                case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) if name not in _COMMON:
                    found[name] = None
                case ast.Constant(value=str(text)) if _IDENTIFIER.fullmatch(text):
                    found[text] = None
            if len(found) >= _MAX_NAMES:
                return tuple(found)
    return tuple(found)


def _search_text(names: Iterable[str]) -> str:
    """Return the text in which names of fields are searched: the names in lower case, with and without separators."""
    plain = dict.fromkeys(name.lower() for name in names)
    return " ".join(dict.fromkeys((*plain, *(re.sub(r"[\W_]", "", name) for name in plain))))


def _add_flags(pattern: str, call: ast.Call) -> str:
    """Add the verbose flag to a pattern if the call has it."""
    flags = {name for argument in (*call.args[1:], *call.keywords) for name in _names_in(argument)}
    return f"(?x){pattern}" if flags & {"X", "VERBOSE"} else pattern


def _is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool)
