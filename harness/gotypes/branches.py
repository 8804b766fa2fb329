"""Reads Go functions for the branches above a line: what has to hold for the line to run.

The code is not interpreted. A branch is an `if`, its `else`, a `case`, or an earlier `if` that returns; what it reads
are the names in its condition, and those in the assignments of its local variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import Literal, NamedTuple, TypeAlias

import tree_sitter_go
from tree_sitter import Language, Node, Parser

from harness.gotypes.gonodes import FUNCTIONS, below, text_of
from harness.gotypes.pathsteps import GivenStep, assigned_path, is_path, steps_given

_GO = Language(tree_sitter_go.language())
_SWITCHES = ("expression_switch_statement", "type_switch_statement", "select_statement")
_CASES = ("expression_case", "default_case", "type_case", "communication_case")
_LEAVES = ("return_statement", "continue_statement")
_ASSIGNS = ("short_var_declaration", "assignment_statement", "var_spec", "inc_statement", "dec_statement")
_CHILDREN = re.compile(r"(?:Child|NewPath)\(([^()]*)\)")
_CODE = re.compile(rb"(?:[\s{;]|//[^\n]*\n|/\*.*?\*/|(?:case|default)\b[^\n]*:\s*\n)*", re.S)
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
_CONSTRUCTOR = re.compile(
    r"^(?:Invalid|Required|Forbidden|Duplicate|NotSupported|NotFound|TooLong\w*|Too(?:Many|Few|Short)|TypeInvalid"
    r"|InternalError)$"
)
_ERRORS = "k8s.io/apimachinery/pkg/util/validation/field"
_MOST_LOCALS = 12
_LONGEST = 90  # characters of a condition

Use: TypeAlias = Literal["call", "value", "alias"]
"""A function that is called, handed on as a value, or gets another name."""


class GoBranch(NamedTuple):
    """A condition above a line. `start` and `end` are the bytes of its whole statement, `own` those of its branch.

    `text` is the condition as it is written, `names` the members that it reads, `variables` its other names. `returns`:
    the line runs only if the condition does not hold, because its branch leaves the function, at `leaves_at`.
    """

    line: int
    text: str
    names: frozenset[str]
    variables: frozenset[str]
    start: int
    end: int
    own: tuple[int, int]
    returns: bool = False
    leaves_at: int = 0

    def excludes(self, offset: int) -> bool:
        """Whether code at an offset stands in another branch of the same statement."""
        return self.start <= offset < self.end and not self.own[0] <= offset < self.own[1] and not self.returns


class GoCount(NamedTuple):
    """A line that adds to what a condition reads, and the condition above it, with the members that this one reads."""

    line: int
    text: str
    names: frozenset[str]


class GoGuard(NamedTuple):
    """A condition or loop right above a line; `counted` are the lines that add to what it reads."""

    line: int
    text: str
    counted: tuple[GoCount, ...]


class ErrorCall(NamedTuple):
    """A call that makes a field error: its constructor, and the members that it adds to the path of its function.

    `path` is that path as it is written, and `line` where the call begins.
    """

    offset: int
    constructor: str
    field: str
    path: str = ""
    line: int = 0


class Mention(NamedTuple):
    """A use of a function: the function that contains it, where it stands, and the members of a path handed to it."""

    function: str
    offset: int
    line: int
    use: Use
    alias: str = ""
    members: tuple[str, ...] = ()
    text: str = ""


class GoSource:
    """One Go file. Lines count from 1, offsets are bytes."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def forget(self) -> None:
        """Drop the parsed tree, which takes a hundred times the room of the file."""
        self.__dict__.pop("_functions", None)
        self.__dict__.pop("_root", None)

    @property
    def lines(self) -> list[str]:
        """The text of each line."""
        return self._data.decode("utf-8", "replace").splitlines()

    def count(self, name: str) -> int:
        """Count the words that are a name, without parsing."""
        word = name.encode()
        # Most files do not have it, and to find that out takes a hundredth of what the pattern takes.
        return len(re.findall(rb"\b%s\b" % word, self._data)) if word in self._data else 0

    def may_use(self, name: str, package: str = "") -> bool:
        """Whether `mentions` may find a use, without parsing: a package that is not imported is not used."""
        return package.encode() in self._data and self.count(name) > 0

    @cached_property
    def _root(self) -> Node:
        return Parser(_GO).parse(self._data).root_node

    @cached_property
    def imports(self) -> dict[str, str]:
        """The import path of each package by its name in the file."""
        found = {}
        for spec in below(self._root, "import_spec", stops=FUNCTIONS):
            path, name = spec.child_by_field_name("path"), spec.child_by_field_name("name")
            if path is not None:
                text = text_of(path).strip('"`')
                found[text_of(name) if name is not None else text.rpartition("/")[2]] = text
        return found

    def offset_of(self, line: int) -> int | None:
        """Return where the code of a line begins; None where there is none."""
        if not 0 < line <= len(self._line_starts) + 1:
            return None
        begin = self.offset_at(line, 1)
        text = self._data[begin : self.offset_at(line + 1, 1)].removesuffix(b"\n")
        return begin + len(text) - len(text.lstrip())

    def function_line(self, name: str) -> int | None:
        """Return the line that declares a function; None if the file does not."""
        found = next((node for node in self._functions if _name_of(node) == name), None)
        return None if found is None else found.start_point[0] + 1

    @cached_property
    def _functions(self) -> list[Node]:
        return [node for node in self._root.named_children if node.type in FUNCTIONS]

    def mentions(self, name: str, package: str = "") -> Iterator[Mention]:
        """Yield the uses of a function of this package, or of the one that is imported from a path."""
        for found in re.finditer(rb"\b%s\b" % name.encode(), self._data):
            node = self._root.descendant_for_byte_range(found.start(), found.end())
            if node is None or not self._is_use(node, package):
                continue
            whole = node.parent if node.type == "field_identifier" and node.parent is not None else node
            function = self._function_of(whole)
            alias = _alias_of(whole)
            if function is None and not alias:
                continue
            use: Use = "alias" if alias else "call" if _is_called(whole) else "value"
            yield Mention(
                "" if function is None else _name_of(function), found.start(), node.start_point[0] + 1, use, alias,
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

    def branches(self, offset: int) -> list[GoBranch]:
        """Return the branches above an offset, the innermost first."""
        return self._branches(offset, reads=True)

    def _branches(self, offset: int, reads: bool, most: int | None = None) -> list[GoBranch]:
        """Return the branches above an offset, with what they read or without, at least `most` if there are so many."""
        node = self._root.descendant_for_byte_range(offset, offset)
        function = None if node is None else self._function_of(node)
        if node is None or function is None:
            return []
        scope = function if reads else None
        found: list[GoBranch] = []
        # The text of one is complete when the next is found.
        while node.parent is not None and node != function and (most is None or len(found) <= most):
            parent = node.parent
            if parent.type == "if_statement":
                self._add_if(found, node, parent, scope)
            elif parent.type in _SWITCHES and node.type in _CASES:
                found.append(self._case(node, parent, scope))
            elif parent.type in ("block", "statement_list", *_CASES):
                found += islice(self._returns_before(node, scope), most)
            node = parent
        return found

    def offset_at(self, line: int, column: int) -> int:
        """Return the offset of a line and column, in bytes from 1; the end of the file if there is no such place."""
        start = 0 if line <= 1 else (self._line_starts[line - 2] if line - 2 < len(self._line_starts) else self._size)
        return min(start + column - 1, self._size)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [found.end() for found in re.finditer(rb"\n", self._data)]

    @property
    def _size(self) -> int:
        return len(self._data)

    def first_code(self, start: tuple[int, int], end: tuple[int, int]) -> int | None:
        """Return the offset of the first statement between two places; None if there is none."""
        return self._first_code(self.offset_at(*start), self.offset_at(*end))

    def _first_code(self, start: int, end: int) -> int | None:
        code = _CODE.match(self._data, start, end)
        return code.end() if code is not None and code.end() < end else None

    def condition_of(self, start: int, end: int) -> str:
        """Return the innermost condition above the first statement of a block of code, or that of the last `if` before
        it that leaves the function or loop, as `unless`; empty if there is none.
        """
        offset = self._first_code(start, end)
        branches = self._branches(offset, reads=False, most=1) if offset is not None else []
        if not branches:
            return ""
        return f"unless {branches[0].text.removeprefix('if ')}" if branches[0].returns else branches[0].text

    @cached_property
    def error_calls(self) -> tuple[ErrorCall, ...]:
        """The calls of constructors of field errors, in order. They are read once: many findings name the same file."""
        return tuple(self._error_calls())

    def _error_calls(self) -> Iterator[ErrorCall]:
        packages = {name for name, path in self.imports.items() if path == _ERRORS}
        for call in below(self._root, "call_expression"):
            function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
            if function is None or function.type != "selector_expression" or arguments is None:
                continue
            operand, name = function.child_by_field_name("operand"), text_of(function.child_by_field_name("field"))
            if operand is not None and text_of(operand) in packages and _CONSTRUCTOR.match(name):
                path = text_of(next(iter(arguments.named_children), None))
                members = [one for names in _CHILDREN.findall(path) for one in _TEXT.findall(names)]
                yield ErrorCall(call.start_byte, name, ".".join(members), path, call.start_point[0] + 1)

    def _add_if(self, found: list[GoBranch], child: Node, statement: Node, scope: Node | None) -> None:
        if child == statement.child_by_field_name("alternative"):
            if child.type == "if_statement" and found and found[-1].start == child.start_byte:
                inner, names, variables = found[-1], *self._reads(_condition(statement), scope)
                found[-1] = inner._replace(
                    start=statement.start_byte, end=statement.end_byte, names=inner.names | names,
                    variables=inner.variables | variables, text=f"else {inner.text.removeprefix('else ')}",
                )  # fmt: skip
                return
            line, text = child.start_point[0] + 1, f"else of if {_short(_condition(statement))}"
        elif child == statement.child_by_field_name("consequence"):
            line, text = statement.start_point[0] + 1, f"if {_short(_condition(statement))}"
        else:
            return
        found.append(self._branch(line, text, [_condition(statement)], statement, child, scope))

    def _case(self, case: Node, switch: Node, scope: Node | None) -> GoBranch:
        value = switch.child_by_field_name("value")
        conditions = [one for other in switch.named_children for one in other.children_by_field_name("value")]
        own = " ".join(text_of(one) for one in case.children_by_field_name("value"))
        tag = f"of switch {_short(value)}" if value is not None else "of a switch"
        text = f"{f'case {own}' if own else 'default'} {tag}"
        reads = [*([value] if value is not None else []), *conditions]
        return self._branch(case.start_point[0] + 1, _cut(text), reads, switch, case, scope)

    def _branch(
        self, line: int, text: str, conditions: list[Node], statement: Node, own: Node, scope: Node | None
    ) -> GoBranch:
        names, variables = frozenset[str](), frozenset[str]()
        for condition in conditions:
            more = self._reads(condition, scope)
            names, variables = names | more[0], variables | more[1]
        span = own.start_byte, own.end_byte
        return GoBranch(line, text, names, variables, statement.start_byte, statement.end_byte, span)

    def _returns_before(self, node: Node, scope: Node | None) -> Iterator[GoBranch]:
        before = node.prev_named_sibling
        while before is not None:
            block = before.child_by_field_name("consequence") if before.type == "if_statement" else None
            last = _last_statement(block) if block is not None else None
            if block is not None and last is not None and last.type in _LEAVES:
                condition = _condition(before)
                line = before.start_point[0] + 1
                one = self._branch(line, f"if {_short(condition)}", [condition], before, block, scope)
                yield one._replace(returns=True, leaves_at=last.start_point[0] + 1)
            before = before.prev_named_sibling

    def _reads(self, condition: Node, scope: Node | None) -> tuple[frozenset[str], frozenset[str]]:
        """Return the members that a condition reads and its other names, those of its local variables followed.

        `scope` is the function of the condition; without it nothing is read.
        """
        if scope is None:
            return frozenset(), frozenset()
        members, variables, waiting, seen = set[str](), set[str](), [condition], set[str]()
        while waiting:
            node = waiting.pop()
            for one in below(node, "field_identifier"):
                members.add(text_of(one))
            for one in below(node, "identifier"):
                name = text_of(one)
                variables.add(name)
                if name not in seen and len(seen) < _MOST_LOCALS:
                    seen.add(name)
                    waiting += self._assigned(name, scope)
        return frozenset(members), frozenset(variables)

    def _assigned(self, name: str, function: Node) -> Iterator[Node]:
        """Yield what decides about a local variable; nothing of one that collects errors, which all of it does."""
        found = []
        for statement in below(function, *_ASSIGNS):
            left = statement.child_by_field_name("left") or statement.child_by_field_name("name")
            target = left if left is not None else next(iter(statement.named_children), None)
            if target is None or name not in [text_of(one) for one in (target, *target.named_children)]:
                continue
            right = statement.child_by_field_name("right") or statement.child_by_field_name("value")
            if right is not None and re.match(rf"append\(\s*{re.escape(name)}\b", text_of(right)):
                return
            around = statement.parent.parent if statement.parent is not None else None
            while around is not None and around.type in ("block", "statement_list"):
                around = around.parent
            found += [one for one in (right, _guard_of(around)) if one is not None]
        yield from found

    def set_under(self, member: str) -> Iterator[GoBranch]:
        """Yield the innermost branch around each statement that sets a member of options, called so or `opts`."""
        for found in re.finditer(rb"\b\w*[oO]pt\w*\.%s = " % member.encode(), self._data):
            yield from self.branches(found.start())[:1]

    def _function_of(self, node: Node | None) -> Node | None:
        while node is not None and node.type not in FUNCTIONS:
            node = node.parent
        return node

    def function_at(self, offset: int) -> str:
        """Return the name of the function around an offset, empty outside one."""
        found = self._function_of(self._root.descendant_for_byte_range(offset, offset))
        return "" if found is None else _name_of(found)

    def steps_at(self, line: int, callee: str = "") -> tuple[GivenStep, ...]:
        """Return what a path is given by the call of a function on a line; without a name by one that makes an error.

        Where the function has another name on the line, it is the first call that gives something.
        """
        known = self._calls_on(line)
        own = [one for one in known if (text_of(one) == callee if callee else _CONSTRUCTOR.match(text_of(one)))]
        given = (tuple(steps_given(one)) for one in own or known)
        return next(filter(None, given), ())

    def _calls_on(self, line: int) -> list[Node]:
        """Return the names of the functions that are called on a line."""
        begin, end = self.offset_at(line, 1), self.offset_at(line + 1, 1)
        found = []
        for name in re.finditer(rb"\w+(?=\()", self._data[begin:end]):
            node = self._root.descendant_for_byte_range(begin + name.start(), begin + name.start())
            if node is not None and _is_called(_selected(node)):
                found.append(node)
        return found

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
        declared = next((one for one in self._functions if one.start_point[0] + 1 == function_line), None)
        names = [] if declared is None else _parameters(declared)
        around = None if call is None else _call_around(call)
        given = None if around is None else around.child_by_field_name("arguments")
        if given is None or parameter not in names:
            return ""
        values = [one for one in given.named_children if one.type != "comment"]
        return text_of(values[names.index(parameter)]) if names.index(parameter) < len(values) else ""

    def pointers_in(self, function: str) -> dict[str, list[int]]:
        """Return the members that a function reads through a pointer, such as `spec.limit` of `*spec.limit`, with the
        lines.
        """
        found: dict[str, list[int]] = {}
        node = next((node for node in self._functions if _name_of(node) == function), None)
        body = None if node is None else node.child_by_field_name("body")
        for one in below(body, "unary_expression") if body is not None else ():
            operand = one.child_by_field_name("operand")
            if operand is not None and operand.type == "selector_expression" and text_of(one).startswith("*"):
                lines = found.setdefault(text_of(operand), [])
                lines += [line] if (line := one.start_point[0] + 1) not in lines else []
        return found

    def made_by(self, offset: int, variable: str) -> tuple[str, int]:
        """Return the function whose result a variable has, of the function around an offset, and the line of that."""
        function = self._function_of(self._root.descendant_for_byte_range(offset, offset))
        for one in below(function, "short_var_declaration") if function is not None else ():
            left, right = one.child_by_field_name("left"), one.child_by_field_name("right")
            value = None if right is None else right.named_children[0]
            if left is not None and text_of(left) == variable and value is not None and value.type == "call_expression":
                return text_of(value.child_by_field_name("function")), one.start_point[0] + 1
        return "", 0

    def guard_of(self, offset: int) -> GoGuard | None:
        """Return the condition or the loop right above an offset; None if there is none in its function."""
        node = self._root.descendant_for_byte_range(offset, offset)
        while node is not None and node.parent is not None and node.type not in FUNCTIONS:
            parent = node.parent
            ranges = [one for one in parent.named_children if one.type == "range_clause"]
            if parent.type == "for_statement" and ranges and node.type == "block":
                return GoGuard(parent.start_point[0] + 1, f"for {_short(ranges[0])}", ())
            is_branch = parent.type == "if_statement" and node.type in ("block", "if_statement")
            if is_branch or (parent.type in _SWITCHES and node.type in _CASES):
                above = (one for one in self.branches(offset) if not one.returns)
                return next((GoGuard(one.line, one.text, self._counted(one, offset)) for one in above), None)
            node = parent
        return None

    def _counted(self, branch: GoBranch, offset: int) -> tuple[GoCount, ...]:
        """Return the lines that count what a condition reads, if that is a variable that several of them add to."""
        function = self._function_of(self._root.descendant_for_byte_range(offset, offset))
        nodes = [
            one
            for one in (below(function, "inc_statement") if function is not None else ())
            if text_of(next(iter(one.named_children), None)) in branch.variables and one.start_byte < branch.start
        ]
        return tuple(map(self._count, nodes)) if len(nodes) > 1 else ()

    def _count(self, node: Node) -> GoCount:
        above = next((one for one in self.branches(node.start_byte) if not one.returns), None)
        text, names = ("", frozenset[str]()) if above is None else (above.text, above.names)
        return GoCount(node.start_point[0] + 1, text, names)

    def lines_giving(self, step: GivenStep) -> list[int]:
        """Return the lines of a function that add a member to the same path as a step does, that of the step first."""
        texts = (
            node
            for declared in self._root.named_children
            if declared.start_point[0] < step.line <= declared.end_point[0] + 1
            for call in filter(is_path, below(declared, "call_expression"))
            for node in below(call.child_by_field_name("arguments") or call, "interpreted_string_literal")
            if node.start_point[0] + 1 == step.line and step.name in text_of(node)
        )
        call = next(map(_call_around, texts), None)
        function = self._function_of(call)
        same = () if call is None or function is None else below(function, "call_expression")
        return list(
            dict.fromkeys([step.line, *(one.start_point[0] + 1 for one in same if text_of(one) == text_of(call))])
        )

    def calls_at(self, line: int) -> list[tuple[str, str]]:
        """Return the calls of other packages on a line: the name of the package in the file, and the function."""
        offset = self.offset_of(line)
        if offset is None:
            return []
        node = self._root.descendant_for_byte_range(offset, offset)
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


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _short(node: Node | None) -> str:
    return _cut(text_of(node))


def _name_of(function: Node) -> str:
    return text_of(function.child_by_field_name("name"))


def _condition(statement: Node) -> Node:
    found = statement.child_by_field_name("condition")
    return statement if found is None else found


def _guard_of(statement: Node | None) -> Node | None:
    return _condition(statement) if statement is not None and statement.type == "if_statement" else None


def _last_statement(block: Node) -> Node | None:
    last = next((one for one in reversed(block.named_children) if one.type != "comment"), None)
    return _last_statement(last) if last is not None and last.type == "statement_list" else last


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
