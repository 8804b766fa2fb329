"""Finds the lines of Go that decide whether one error is made: its statement, and the conditions that lead to it.

These are the headers of the branches and loops around the statement, and of earlier branches beside it that leave its
function or loop. What computes the values that they compare is left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from harness.gotypes.gonodes import FUNCTIONS
from harness.targets.kubernetes.mutants.gosource import parse, statement_around

_LEAVE = ("return_statement", "continue_statement", "break_statement", "goto_statement")
_HOLDERS = ("block", "statement_list")


def lines_around(source: bytes, line: int) -> frozenset[int]:
    """Return the lines that decide about the statement at a line; none if no function has it."""
    text = source.split(b"\n")[line - 1 : line]
    if not text:
        return frozenset()
    point = line - 1, len(text[0]) - len(text[0].lstrip())
    found = parse(source).descendant_for_point_range(point, point)
    node = statement_around(found) if found is not None else None
    if node is None or not any(one.type in FUNCTIONS for one in _ancestors(node)):
        return frozenset()
    return frozenset((*_header(node), *_around(node)))


def _around(statement: Node) -> Iterator[int]:
    node: Node | None = statement
    while node is not None and node.type not in FUNCTIONS:
        for earlier in _before(node):
            if earlier.type == "if_statement" and _leaves(earlier):
                yield from _header(earlier)
        node = node.parent
        if node is not None and (_body_of(node) is not None or node.type.endswith("_case")):
            yield from _header(node)


def _ancestors(node: Node) -> Iterator[Node]:
    parent = node.parent
    while parent is not None:
        yield parent
        parent = parent.parent


def _before(node: Node) -> Iterator[Node]:
    """Yield the statements of its block before a statement."""
    parent = node.parent
    if parent is not None and (parent.type in _HOLDERS or parent.type.endswith("_case")):
        for one in parent.named_children:
            if one.start_byte >= node.start_byte:
                return
            yield one


def _leaves(branch: Node) -> bool:
    """Whether a branch ends by leaving its function or loop."""
    body = branch.child_by_field_name("consequence")
    last = body.named_children[-1:] if body is not None else []
    if last and last[0].type == "statement_list":
        last = last[0].named_children[-1:]
    return bool(last) and last[0].type in _LEAVE


def _header(node: Node) -> range:
    """Return the lines of a statement without those of its blocks."""
    body = _body_of(node)
    if body is not None and body.type == "block":
        end = body.start_point[0]
    elif body is not None:
        end = max(node.start_point[0], body.start_point[0] - 1)
    else:
        end = node.end_point[0]
    return range(node.start_point[0] + 1, end + 2)


def _body_of(node: Node) -> Node | None:
    """Return the block of a branch or loop, or the first case of a switch or statement of a case."""
    if node.type == "if_statement":
        return node.child_by_field_name("consequence")
    if node.type == "for_statement":
        return node.child_by_field_name("body")
    if node.type.endswith("_switch_statement"):
        return next((one for one in node.named_children if one.type.endswith("_case")), None)
    if node.type.endswith("_case"):
        return next(
            (one for one in node.named_children if one.type in _HOLDERS or one.type.endswith("_statement")), None
        )
    return None
