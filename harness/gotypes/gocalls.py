"""Finds in a Go file what is called and handed on: uses of a function, calls that make errors, what a path is given."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from tree_sitter import Node

from harness.gotypes.gonodes import FUNCTIONS, below, text_of
from harness.gotypes.gotext import GoText, name_of
from harness.gotypes.pathsteps import assigned_path, is_path, steps_given
from harness.sourcecode import ErrorCall, GivenStep

_CHILDREN = re.compile(r"(?:Child|NewPath)\(([^()]*)\)")
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
_CONSTRUCTOR = re.compile(
    r"^(?:Invalid|Required|Forbidden|Duplicate|NotSupported|NotFound|TooLong\w*|Too(?:Many|Few|Short)|TypeInvalid"
    r"|InternalError)$"
)
_ERRORS = "k8s.io/apimachinery/pkg/util/validation/field"

Use: TypeAlias = Literal["call", "value", "alias"]
"""A function that is called, handed on as a value, or gets another name."""


class Mention(NamedTuple):
    """A use of a function: the function that contains it, where it stands, and the members of a path handed to it."""

    function: str
    offset: int
    line: int
    use: Use
    alias: str = ""
    members: tuple[str, ...] = ()
    text: str = ""


class GoCalls(GoText):
    """One Go file with what its functions call."""

    def mentions(self, name: str, package: str = "") -> Iterator[Mention]:
        """Yield the uses of a function of this package, or of the one that is imported from a path."""
        for found in re.finditer(rb"\b%s\b" % name.encode(), self.data):
            node = self.root.descendant_for_byte_range(found.start(), found.end())
            if node is None or not self._is_use(node, package):
                continue
            whole = node.parent if node.type == "field_identifier" and node.parent is not None else node
            function = self.function_around(whole)
            alias = _alias_of(whole)
            if function is None and not alias:
                continue
            use: Use = "alias" if alias else "call" if _is_called(whole) else "value"
            yield Mention(
                "" if function is None else name_of(function), found.start(), node.start_point[0] + 1, use, alias,
                tuple(step.name for step in steps_given(whole)), text_of(_call_around(whole)),
            )  # fmt: skip

    def _is_use(self, node: Node, package: str) -> bool:
        parent = node.parent
        if parent is None:
            return False
        if package:
            operand = parent.child_by_field_name("operand") if parent.type == "selector_expression" else None
            name = "" if operand is None else text_of(operand)
            return node.type == "field_identifier" and self.imports.get(name) == package
        declared = parent.type in (*FUNCTIONS, "parameter_declaration") or (
            parent.type == "var_spec" and parent.child_by_field_name("name") == node
        )
        return node.type == "identifier" and not declared

    @cached_property
    def error_calls(self) -> tuple[ErrorCall, ...]:
        """The calls of constructors of field errors, in order. They are read once: many findings name the same file."""
        return tuple(self._error_calls())

    def _error_calls(self) -> Iterator[ErrorCall]:
        packages = {name for name, path in self.imports.items() if path == _ERRORS}
        for call in below(self.root, "call_expression"):
            function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
            if function is None or function.type != "selector_expression" or arguments is None:
                continue
            operand, name = function.child_by_field_name("operand"), text_of(function.child_by_field_name("field"))
            if operand is not None and text_of(operand) in packages and _CONSTRUCTOR.match(name):
                path = text_of(next(iter(arguments.named_children), None))
                members = [one for names in _CHILDREN.findall(path) for one in _TEXT.findall(names)]
                yield ErrorCall(call.start_byte, name, ".".join(members), path, call.start_point[0] + 1)

    def calls_at(self, line: int) -> list[tuple[str, str]]:
        """Return the calls of other packages on a line: the name of the package in the file, and the function."""
        offset = self.offset_of(line)
        if offset is None:
            return []
        node = self.root.descendant_for_byte_range(offset, offset)
        while node is not None and node.parent is not None and node.parent.type not in ("block", "statement_list"):
            node = node.parent
        found = []
        for call in [] if node is None else below(node, "call_expression"):
            function = call.child_by_field_name("function")
            if function is None or function.type != "selector_expression" or function.start_point[0] + 1 != line:
                continue
            operand, name = function.child_by_field_name("operand"), function.child_by_field_name("field")
            if operand is not None and name is not None and text_of(operand) in self.imports:
                found.append((text_of(operand), text_of(name)))
        return found

    def _calls_on(self, line: int) -> list[Node]:
        """Return the names of the functions that are called on a line."""
        begin, end = self.offset_at(line, 1), self.offset_at(line + 1, 1)
        found = []
        for name in re.finditer(rb"\w+(?=\()", self.data[begin:end]):
            node = self.root.descendant_for_byte_range(begin + name.start(), begin + name.start())
            if node is not None and _is_called(_selected(node)):
                found.append(node)
        return found

    def steps_at(self, line: int, callee: str = "") -> tuple[GivenStep, ...]:
        """Return what a path is given by the call of a function on a line; without a name by one that makes an error.

        Where the function has another name on the line, it is the first call that gives something.
        """
        known = self._calls_on(line)
        own = [one for one in known if (text_of(one) == callee if callee else _CONSTRUCTOR.match(text_of(one)))]
        given = (tuple(steps_given(one)) for one in own or known)
        return next(filter(None, given), ())

    def lines_giving(self, step: GivenStep) -> list[int]:
        """Return the lines of a function that add a member to the same path as a step does, that of the step first."""
        texts = (
            node
            for declared in self.root.named_children
            if declared.start_point[0] < step.line <= declared.end_point[0] + 1
            for call in filter(is_path, below(declared, "call_expression"))
            for node in below(call.child_by_field_name("arguments") or call, "interpreted_string_literal")
            if node.start_point[0] + 1 == step.line and step.name in text_of(node)
        )
        call = next(map(_call_around, texts), None)
        function = self.function_around(call)
        same = () if call is None or function is None else below(function, "call_expression")
        return list(
            dict.fromkeys([step.line, *(one.start_point[0] + 1 for one in same if text_of(one) == text_of(call))])
        )

    def key_at(self, line: int) -> int:
        """Return the line that adds a key to a path that is handed on at a line; 0 if none is."""
        for call in self._calls_on(line):
            arguments = _call_around(call).child_by_field_name("arguments")
            for given in arguments.named_children if arguments is not None else ():
                path = given if given.type == "call_expression" else assigned_path(given)
                for one in below(path, "call_expression") if path is not None else ():
                    function = one.child_by_field_name("function")
                    if text_of(None if function is None else function.child_by_field_name("field")) == "Key":
                        return one.start_point[0] + 1
        return 0

    def argument(self, line: int, callee: str, function_line: int, parameter: str) -> str:
        """Return what a call on a line hands over as a parameter of a function, which is declared in this file; empty
        if the sources do not show it.
        """
        call = next((one for one in self._calls_on(line) if text_of(one) == callee), None)
        declared = next((one for one in self.functions if one.start_point[0] + 1 == function_line), None)
        names = [] if declared is None else _parameters(declared)
        around = None if call is None else _call_around(call)
        given = None if around is None else around.child_by_field_name("arguments")
        if given is None or parameter not in names:
            return ""
        values = [one for one in given.named_children if one.type != "comment"]
        return text_of(values[names.index(parameter)]) if names.index(parameter) < len(values) else ""

    def made_by(self, offset: int, variable: str) -> tuple[str, int]:
        """Return the function whose result a variable has, of the function around an offset, and the line of that."""
        function = self.function_around(self.root.descendant_for_byte_range(offset, offset))
        for one in below(function, "short_var_declaration") if function is not None else ():
            left, right = one.child_by_field_name("left"), one.child_by_field_name("right")
            value = None if right is None else right.named_children[0]
            if left is not None and text_of(left) == variable and value is not None and value.type == "call_expression":
                return text_of(value.child_by_field_name("function")), one.start_point[0] + 1
        return "", 0

    def pointers_in(self, function: str) -> dict[str, list[int]]:
        """Return the members that a function reads through a pointer, such as `spec.limit` of `*spec.limit`, with the
        lines.
        """
        followed = (
            (text_of(operand), one)
            for one in self._below_body(function, "unary_expression")
            if (operand := one.child_by_field_name("operand")) is not None
            and operand.type == "selector_expression"
            and text_of(one).startswith("*")
        )
        return _lines_of(followed)

    def items_in(self, function: str) -> dict[str, list[int]]:
        """Return the items that a function reads or sets by a number, such as `spec.ips[1]`, with the lines."""
        items = (
            (text_of(one), one)
            for one in self._below_body(function, "index_expression")
            if (index := one.child_by_field_name("index")) is not None and index.type == "int_literal"
        )
        return _lines_of(items)

    def _below_body(self, function: str, kind: str) -> Iterable[Node]:
        node = next((node for node in self.functions if name_of(node) == function), None)
        body = None if node is None else node.child_by_field_name("body")
        return below(body, kind) if body is not None else ()


def _lines_of(found: Iterable[tuple[str, Node]]) -> dict[str, list[int]]:
    """Return the lines of each text, each line once."""
    lines: dict[str, list[int]] = {}
    for text, node in found:
        of = lines.setdefault(text, [])
        of += [line] if (line := node.start_point[0] + 1) not in of else []
    return lines


def _selected(node: Node) -> Node:
    """Return a name with the package or value that it is selected from."""
    return node.parent if node.type == "field_identifier" and node.parent is not None else node


def _parameters(function: Node) -> list[str]:
    declared = function.child_by_field_name("parameters")
    names = []
    for one in declared.named_children if declared is not None else ():
        names += [text_of(name) for name in one.children_by_field_name("name")] or [""]
    return names


def _is_called(node: Node) -> bool:
    parent = node.parent
    return parent is not None and parent.type == "call_expression" and parent.child_by_field_name("function") == node


def _alias_of(node: Node) -> str:
    """Return the name of the variable that a function is given to, empty if it is not."""
    parent = node.parent
    if parent is not None and parent.type == "expression_list":
        node, parent = parent, parent.parent
    if parent is None or parent.type not in ("var_spec", "short_var_declaration"):
        return ""
    name = parent.child_by_field_name("name") or parent.child_by_field_name("left")
    return text_of(name) if name != node else ""


def _call_around(node: Node) -> Node:
    while node.parent is not None and node.type != "call_expression":
        if node.type in ("block", "statement_list"):
            break
        node = node.parent
    return node
