"""Reads Go functions for the branches above a line: what has to hold for the line to run.

The code is not interpreted. A branch is an `if`, its `else`, a `case`, or an earlier `if` that returns; what it reads
are the names in its condition, and those in the assignments of its local variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from tree_sitter import Node

from harness.gotypes.gocalls import GoCalls
from harness.gotypes.gonodes import FUNCTIONS, below, text_of
from harness.sourcecode import CodeBranch, Count, Guard, shortened

_SWITCHES = ("expression_switch_statement", "type_switch_statement", "select_statement")
_CASES = ("expression_case", "default_case", "type_case", "communication_case")
_LEAVES = ("return_statement", "continue_statement")
_ASSIGNS = ("short_var_declaration", "assignment_statement", "var_spec", "inc_statement", "dec_statement")
_CODE = re.compile(rb"(?:[\s{;]|//[^\n]*\n|/\*.*?\*/|(?:case|default)\b[^\n]*:\s*\n)*", re.S)
_MOST_LOCALS = 12


class GoSource(GoCalls):
    """One Go file with the branches above its lines."""

    def branches(self, offset: int) -> list[CodeBranch]:
        """Return the branches above an offset, the innermost first."""
        return self._branches(offset, reads=True)

    def _branches(self, offset: int, reads: bool, most: int | None = None) -> list[CodeBranch]:
        """Return the branches above an offset, with what they read or without, at least `most` if there are so many."""
        node = self.root.descendant_for_byte_range(offset, offset)
        function = None if node is None else self.function_around(node)
        if node is None or function is None:
            return []
        scope = function if reads else None
        found: list[CodeBranch] = []
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

    def first_code(self, start: tuple[int, int], end: tuple[int, int]) -> int | None:
        """Return the offset of the first statement between two places; None if there is none."""
        return self._first_code(self.offset_at(*start), self.offset_at(*end))

    def _first_code(self, start: int, end: int) -> int | None:
        code = _CODE.match(self.data, start, end)
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

    def decision_of(self, start: int, end: int) -> tuple[int, int] | None:
        """Return where the statement begins whose condition `condition_of` tells, and the offset of its first brace."""
        offset = self._first_code(start, end)
        branches = self._branches(offset, reads=False, most=1) if offset is not None else []
        own = self.root.descendant_for_byte_range(*branches[0].own) if branches else None
        statement = own.parent if own is not None else None
        while statement is not None and statement.type not in ("if_statement", *_SWITCHES):
            statement = statement.parent
        if statement is None:
            return None
        body = statement.child_by_field_name("consequence")
        brace = body or next(one for one in statement.children if one.type == "{")
        return statement.start_byte, brace.start_byte

    def _add_if(self, found: list[CodeBranch], child: Node, statement: Node, scope: Node | None) -> None:
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

    def _case(self, case: Node, switch: Node, scope: Node | None) -> CodeBranch:
        value = switch.child_by_field_name("value")
        conditions = [one for other in switch.named_children for one in other.children_by_field_name("value")]
        own = " ".join(text_of(one) for one in case.children_by_field_name("value"))
        tag = f"of switch {_short(value)}" if value is not None else "of a switch"
        text = f"{f'case {own}' if own else 'default'} {tag}"
        reads = [*([value] if value is not None else []), *conditions]
        return self._branch(case.start_point[0] + 1, shortened(text), reads, switch, case, scope)

    def _branch(
        self, line: int, text: str, conditions: list[Node], statement: Node, own: Node, scope: Node | None
    ) -> CodeBranch:
        names, variables = frozenset[str](), frozenset[str]()
        for condition in conditions:
            more = self._reads(condition, scope)
            names, variables = names | more[0], variables | more[1]
        span = own.start_byte, own.end_byte
        return CodeBranch(line, text, names, variables, statement.start_byte, statement.end_byte, span)

    def _returns_before(self, node: Node, scope: Node | None) -> Iterator[CodeBranch]:
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

    def rounds_of(self, line: int) -> str:
        """Return the loop over written values around the call that makes an error on a line; empty without one."""
        offset = self.offset_of(line)
        node = self.root.descendant_for_byte_range(offset, offset) if offset is not None else None
        while node is not None and node.type not in FUNCTIONS:
            ranges = [one for one in node.named_children if one.type == "range_clause"]
            right = ranges[0].child_by_field_name("right") if ranges else None
            if right is not None and right.type == "composite_literal":
                return f"for {_short(ranges[0])}"
            node = node.parent
        return ""

    def set_under(self, member: str) -> Iterator[CodeBranch]:
        """Yield the innermost branch around each statement that sets a member of options, called so or `opts`."""
        for found in re.finditer(rb"\b\w*[oO]pt\w*\.%s = " % member.encode(), self.data):
            yield from self.branches(found.start())[:1]

    def guard_of(self, offset: int) -> Guard | None:
        """Return the condition or the loop right above an offset; None if there is none in its function."""
        node = self.root.descendant_for_byte_range(offset, offset)
        while node is not None and node.parent is not None and node.type not in FUNCTIONS:
            parent = node.parent
            ranges = [one for one in parent.named_children if one.type == "range_clause"]
            if parent.type == "for_statement" and ranges and node.type == "block":
                return Guard(parent.start_point[0] + 1, f"for {_short(ranges[0])}", ())
            is_branch = parent.type == "if_statement" and node.type in ("block", "if_statement")
            if is_branch or (parent.type in _SWITCHES and node.type in _CASES):
                above = (one for one in self.branches(offset) if not one.returns)
                return next((Guard(one.line, one.text, self._counted(one, offset)) for one in above), None)
            node = parent
        return None

    def _counted(self, branch: CodeBranch, offset: int) -> tuple[Count, ...]:
        """Return the lines that count what a condition reads, if that is a variable that several of them add to."""
        function = self.function_around(self.root.descendant_for_byte_range(offset, offset))
        nodes = [
            one
            for one in (below(function, "inc_statement") if function is not None else ())
            if text_of(next(iter(one.named_children), None)) in branch.variables and one.start_byte < branch.start
        ]
        return tuple(map(self._count, nodes)) if len(nodes) > 1 else ()

    def _count(self, node: Node) -> Count:
        above = next((one for one in self.branches(node.start_byte) if not one.returns), None)
        text, names = ("", frozenset[str]()) if above is None else (above.text, above.names)
        return Count(node.start_point[0] + 1, text, names)


def _short(node: Node | None) -> str:
    return shortened(text_of(node))


def _condition(statement: Node) -> Node:
    found = statement.child_by_field_name("condition")
    return statement if found is None else found


def _guard_of(statement: Node | None) -> Node | None:
    return _condition(statement) if statement is not None and statement.type == "if_statement" else None


def _last_statement(block: Node) -> Node | None:
    last = next((one for one in reversed(block.named_children) if one.type != "comment"), None)
    return _last_statement(last) if last is not None and last.type == "statement_list" else last
