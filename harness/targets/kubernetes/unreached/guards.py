"""Finds what decides whether Go code runs: the condition right above it, or that of an earlier `if` that leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from harness.gotypes.gonodes import text_of, walk

_FUNCTIONS = ("function_declaration", "method_declaration", "func_literal")
_SWITCHES = ("expression_switch_statement", "type_switch_statement", "select_statement")
_CASES = ("expression_case", "default_case", "type_case", "communication_case")
_LEAVES = ("return_statement", "continue_statement", "break_statement")
_LISTS = ("block", "statement_list", *_CASES)


class Requirement(NamedTuple):
    """What has to hold for code to run. `wanted`: the condition has to be true. `statement` decides about it.

    Without a condition the code runs in a loop, in a case of a switch over a value, or in a function of its own.
    """

    condition: Node | None
    wanted: bool
    statement: Node

    @property
    def line(self) -> int:
        """The line of the statement, from 1."""
        return self.statement.start_point[0] + 1


def requirements(node: Node) -> Iterator[Requirement]:
    """Yield what has to hold for a node to run, the innermost first, up to its function."""
    while node.parent is not None and node.type not in _FUNCTIONS:
        parent = node.parent
        if parent.type in _FUNCTIONS and parent.type == "func_literal":
            yield Requirement(None, True, parent)
            return
        if parent.type == "if_statement":
            condition = parent.child_by_field_name("condition")
            if node == parent.child_by_field_name("consequence"):
                yield Requirement(condition, True, parent)
            elif node == parent.child_by_field_name("alternative"):
                yield Requirement(condition, False, parent)
        elif parent.type == "for_statement" and node == parent.child_by_field_name("body"):
            yield Requirement(None, True, parent)
        elif parent.type in _SWITCHES and node.type in _CASES:
            yield _of_case(node, parent)
        elif parent.type in _LISTS:
            yield from _left_before(node)
        node = parent


def _of_case(case: Node, switch: Node) -> Requirement:
    """Return what a case needs; its only condition where the switch has no value."""
    values = case.children_by_field_name("value")
    conditions = [one for value in values for one in value.named_children] if values else []
    is_plain = switch.child_by_field_name("value") is None and switch.type == "expression_switch_statement"
    return Requirement(conditions[0] if is_plain and len(conditions) == 1 else None, True, switch)


def _left_before(node: Node) -> Iterator[Requirement]:
    before = node.prev_named_sibling
    while before is not None:
        block = before.child_by_field_name("consequence") if before.type == "if_statement" else None
        last = _last_statement(block) if block is not None else None
        if last is not None and last.type in _LEAVES:
            yield Requirement(before.child_by_field_name("condition"), False, before)
        before = before.prev_named_sibling


def _last_statement(block: Node) -> Node | None:
    last = next((one for one in reversed(block.named_children) if one.type != "comment"), None)
    return _last_statement(last) if last is not None and last.type == "statement_list" else last


def operands(node: Node, operator: str) -> list[Node]:
    """Return the parts of a condition that an operator joins; the condition itself if none does."""
    while node.type == "parenthesized_expression":
        node = node.named_children[0]
    if node.type == "binary_expression" and text_of(node.child_by_field_name("operator")) == operator:
        sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
        return [one for side in sides if side is not None for one in operands(side, operator)]
    return [node]


def settled(requirement: Requirement) -> list[tuple[Node, bool]]:
    """Return the conditions that are sure where a requirement holds, each with its value."""
    if requirement.condition is None:
        return []
    parts = operands(requirement.condition, "&&" if requirement.wanted else "||")
    found = []
    for part in parts if requirement.wanted or len(parts) > 1 else operands(requirement.condition, "||"):
        value = requirement.wanted
        while part.type == "unary_expression" and text_of(part).startswith("!"):
            part, value = part.named_children[0], not value
        found.append((part, value))
    return found


def is_assigned_between(function: Node, names: frozenset[str], start: int, end: int) -> bool:
    """Whether code of a function that stands between two offsets assigns one of some variables, or what they hold."""
    for one in walk(function):
        if start <= one.start_byte < end and one.type in (
            "assignment_statement", "short_var_declaration", "inc_statement", "dec_statement", "range_clause",
        ):  # fmt: skip
            left = one.child_by_field_name("left") or one
            if any(text_of(part) in names for part in walk(left) if part.type == "identifier"):
                return True
    return False
