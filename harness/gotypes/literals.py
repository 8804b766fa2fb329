"""Reads the literals of handwritten validators: limits, words and patterns that no tag contains.

The code is not interpreted: each string and number is recorded with the name of its function or constant, so that the
literals of `ValidatePodName` are tried first for the name of a pod, and with the name of what a comparison or an index
reads beside it. A constant of the types' package counts where a validator names it, a number where it is compared with
something. Messages and names of fields are skipped.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import tree_sitter_go
from tree_sitter import Language, Node, Parser, Query, QueryCursor

from harness.gotypes.constants import INTEGERS, Found, Names, Value, evaluate, unquote
from harness.gotypes.gonodes import below, text_of
from harness.gotypes.scanner import is_left_out, read_source
from harness.memory import Memory, Room

Literal: TypeAlias = tuple[str, str | int]
"""The name of the function, constant or variable that contains a literal, with what is read beside it, in lower case,
and its value.
"""

_GO = Language(tree_sitter_go.language())
GRAMMAR = repr((_GO.abi_version, _GO.semantic_version))
"""The version of the grammar that sources are parsed with."""
_WANTED = Query(
    _GO,
    """
    (function_declaration name: (identifier) @name) @scope
    (method_declaration name: (field_identifier) @name) @scope
    (const_spec name: (identifier) @name) @scope
    (var_spec name: (identifier) @name) @scope
    (import_declaration) @left
    (call_expression function: (selector_expression field: (field_identifier) @callee)) @call
    [(interpreted_string_literal) (raw_string_literal)] @text
    (int_literal) @number
    [(identifier) (field_identifier)] @named
    """,
)
_CONSTANT = Query(
    _GO,
    """
    (const_spec name: (identifier) @name value: (expression_list . (_) @value .)) @whole
    (source_file (var_declaration
        [(var_spec name: (identifier) @name value: (expression_list . (_) @value .)) @whole
         (var_spec_list (var_spec name: (identifier) @name value: (expression_list . (_) @value .)) @whole)]))
    """,
)
_TEXT = "interpreted_string_literal"
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_NAMES_FIELDS = frozenset({"Child", "NewPath", "Key", "WithOrigin", "Errorf", "Sprintf", "Error", "V", "Info", "Infof"})
_PATTERN = re.compile(r"\[[^\]]+\][+*?{]|\)\*|\\[dw.]|^\^|\$$|\{\d+,?\d*\}")
_MAX_VALUE_LENGTH = 300
_READ: Memory[bytes, tuple[Literal, ...]] = Memory(Room(200))
"""Literals by the hash of a file, because files with shared validators are read once for each API group."""


@dataclass(frozen=True)
class Literals:
    """The literals of sources: strings and numbers, and strings that look like regular expressions."""

    values: tuple[Literal, ...] = ()
    patterns: tuple[tuple[str, str], ...] = ()
    _near: dict[tuple[str, ...], tuple[str | int, ...]] = field(default_factory=dict, compare=False, repr=False)
    _formed: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, literals: Iterable[Literal]) -> Literals:
        """Separate regular expressions from values, skipping messages."""
        values: dict[Literal, None] = {}
        patterns: dict[tuple[str, str], None] = {}
        for where, value in literals:
            if isinstance(value, str) and _PATTERN.search(value) and "%" not in value:
                patterns[where, value] = None
            elif isinstance(value, int) or _may_be_a_value(value):
                values[where, value] = None
        return cls(tuple(values), tuple(patterns))

    def beside(self, others: Literals) -> Literals:
        """Return these literals and then others."""
        return Literals((*self.values, *others.values), (*self.patterns, *others.patterns))

    def near(self, names: Sequence[str]) -> tuple[str | int, ...]:
        """Return the values in declarations whose names contain one of these names, best matches first."""
        key = tuple(dict.fromkeys(name.lower() for name in names if len(name) > 2))
        if key not in self._near:
            self._near[key] = tuple(dict.fromkeys(_ranked(key, self.values)))
        return self._near[key]

    def compared_with(self, name: str) -> tuple[str | int, ...]:
        """Return the values that a field or variable of this name is compared with, or read at, in order."""
        return self._compared.get(name.lower(), ())

    @cached_property
    def _compared(self) -> dict[str, tuple[str | int, ...]]:
        found: dict[str, dict[str | int, None]] = {}
        for where, value in self.values:
            found.setdefault(where.partition(" ")[2], {})[value] = None
        return {name: tuple(values) for name, values in found.items()}

    def patterns_near(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the regular expressions in declarations whose names contain one of these names."""
        key = tuple(name.lower() for name in names)
        if key not in self._formed:
            self._formed[key] = tuple(dict.fromkeys(str(one) for one in _ranked(key, self.patterns)))
        return self._formed[key]

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Every string of the sources."""
        return tuple(dict.fromkeys(value for _, value in self.values if isinstance(value, str)))

    @cached_property
    def expressions(self) -> tuple[str, ...]:
        """Every regular expression of the sources."""
        return tuple(dict.fromkeys(pattern for _, pattern in self.patterns))


NO_LITERALS = Literals()


def _ranked(names: Sequence[str], found: Sequence[tuple[str, str | int]]) -> list[str | int]:
    scored = [(sum(name in where for name in names), number) for number, (where, _) in enumerate(found)]
    return [found[number][1] for score, number in sorted(scored, key=lambda one: (-one[0], one[1])) if score]


def _may_be_a_value(text: str) -> bool:
    return len(text) <= _MAX_VALUE_LENGTH and text.count(" ") < 3 and "%" not in text


def go_literals(folders: Iterable[Path], constants: Iterable[Path] = ()) -> Literals:
    """Read the literals of the Go files of folders, without tests and generated files.

    Constants of these files and of the folders `constants` count where these files name them.
    """
    folders = list(folders)
    files = go_files((*constants, *folders))
    named = _values_of([one for file in files for one in _constants_of(read_source(file).data)])
    return Literals.of(found for file in go_files(folders) for found in _of_file(file, named))


def go_files(folders: Iterable[Path]) -> Iterator[Path]:
    """Yield the Go files of folders, in order, without tests and generated files."""
    for folder in folders:
        for file in sorted(folder.glob("*.go")):
            if not file.name.endswith("_test.go") and not file.name.startswith("zz_generated"):
                yield file


def _constants_of(data: bytes) -> Iterator[tuple[str, Node]]:
    """Yield the constants of a file with their expressions, and variables that nobody sets later, as far as it seems.

    Texts of a type of their own are left out, because they are declared for a field.
    """
    for _, found in QueryCursor(_CONSTANT).matches(Parser(_GO).parse(data).root_node):
        value, whole = found["value"][0], found["whole"][0]
        if value.type != _TEXT or text_of(whole.child_by_field_name("type")) in ("", "string"):
            yield text_of(found["name"][0]), value


def _values_of(constants: Sequence[tuple[str, Node]]) -> dict[str, str | int]:
    """Compute constants that are a text or a whole number, such as `4 * kibibyte`. Packages are not told apart."""
    expressions, known = dict(constants), dict[str, Value]()

    def look_up(written: str) -> Found:
        name = written.rpartition(".")[2]
        if name not in known:
            known[name] = None  # of one that depends on itself
            node = expressions.get(name)
            if node is not None and (node.type == _TEXT or not list(below(node, _TEXT, "iota"))):
                known[name] = evaluate(
                    node, 0, Names(look_up, lambda one: (one, one) if one in INTEGERS else ("", ""))
                )[0]
        return known[name], ""

    values = ((name, look_up(name)[0]) for name in expressions)
    return {name: value for name, value in values if value and value.__class__ in (str, int)}


def _of_file(file: Path, constants: Mapping[str, str | int]) -> tuple[Literal, ...]:
    source = read_source(file)
    if is_left_out(source):
        return ()
    key = hashlib.sha256(source.data + repr(constants).encode()).digest()
    found = _READ.get(key)
    if found is None:
        found = _of_source(source.data, constants)
        _READ.put(key, found)
    return found


def _of_source(data: bytes, constants: Mapping[str, str | int]) -> tuple[Literal, ...]:
    captures = QueryCursor(_WANTED).captures(Parser(_GO).parse(data).root_node)
    ignored = [(one.start_byte, one.end_byte) for one in captures.get("left", ())]
    ignored += [(one.start_byte, one.end_byte) for one in captures.get("call", ()) if _callee(one) in _NAMES_FIELDS]
    scopes = sorted((one.start_byte, one.end_byte, _name(one)) for one in captures.get("scope", ()))
    left = _Spans([(start, end, "x") for start, end in ignored])
    within = _Spans(scopes)
    return tuple(
        (f"{within.at(node.start_byte)} {_read_beside(node)}".strip(), value)
        for node, value in _values(captures, constants)
        if not left.at(node.start_byte)
    )


def _read_beside(node: Node) -> str:
    """Return the name of what is compared with a value, or has it as a key, in lower case; empty if nothing is."""
    parent = node.parent
    while parent is not None and parent.type in ("parenthesized_expression", "expression_list"):
        node, parent = parent, parent.parent
    if parent is None:
        return ""
    other = parent.child_by_field_name("operand") if parent.type == "index_expression" else None
    if parent.type == "binary_expression" and text_of(parent.child_by_field_name("operator")) in _COMPARISONS:
        left, right = parent.child_by_field_name("left"), parent.child_by_field_name("right")
        other = left if node == right else right
    names = list(below(other, "identifier", "field_identifier")) if other is not None and other != node else []
    return text_of(names[-1]).lower() if names else ""


def _values(captures: dict[str, list[Node]], constants: Mapping[str, str | int]) -> Iterator[tuple[Node, str | int]]:
    for node in sorted(captures.get("named", ()), key=lambda one: one.start_byte):
        named, parent = constants.get(text_of(node), ""), node.parent
        if named and parent is not None and parent.type != "const_spec":
            whole = parent if parent.type == "selector_expression" else node
            if isinstance(named, str) or _read_beside(whole):
                yield whole, named
    for node in sorted(captures.get("text", ()), key=lambda one: one.start_byte):
        text = (node.text or b"").decode("utf-8", "replace")
        value = text[1:-1] if text[:1] == "`" else unquote(text)
        if value:
            yield node, value
    for node in sorted(captures.get("number", ()), key=lambda one: one.start_byte):
        digits = (node.text or b"").decode("ascii", "replace").replace("_", "")
        try:
            number = int(digits, 8) if re.fullmatch(r"0[0-7]+", digits) else int(digits, 0)
        except ValueError:
            continue  # longer than any number of a validator
        yield node, number


def _name(scope: Node) -> str:
    found = scope.child_by_field_name("name")
    return (found.text or b"").decode("utf-8", "replace").lower() if found else ""


def _callee(call: Node) -> str:
    function = call.child_by_field_name("function")
    found = function.child_by_field_name("field") if function else None
    return (found.text or b"").decode("utf-8", "replace") if found else ""


class _Spans:
    """Named spans of bytes, searched by position for the outermost one."""

    def __init__(self, spans: Sequence[tuple[int, int, str]]) -> None:
        self._starts: list[int] = []
        self._spans: list[tuple[int, str]] = []
        end = -1
        for start, stop, name in sorted(spans):
            if start >= end:
                self._starts.append(start)
                self._spans.append((stop, name))
                end = stop

    def at(self, position: int) -> str:
        """Return the name of the span that contains a position, else an empty one."""
        index = bisect_right(self._starts, position) - 1
        if index < 0 or position >= self._spans[index][0]:
            return ""
        return self._spans[index][1]
