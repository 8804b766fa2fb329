"""Reads the members that Go code adds to a field path: by calls of `Child` and `NewPath`, and by local variables."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from harness.gotypes.constants import unquote
from harness.gotypes.gonodes import FUNCTIONS, below, text_of
from harness.sourcecode import GivenStep

_NAMING = ("Child", "NewPath")


def steps_given(node: Node) -> Iterator[GivenStep]:
    """Yield the members in the paths that the calls around a use are given; of several paths none is sure."""
    while node.parent is not None:
        node = node.parent
        if node.type in FUNCTIONS:
            return
        arguments = node.child_by_field_name("arguments") if node.type == "call_expression" else None
        paths = (
            []
            if arguments is None
            else [one for one in arguments.named_children if one.type == "call_expression" and is_path(one)]
        )
        if len(paths) == 1:
            yield from steps_of(paths[0])
        elif arguments is not None and not paths:
            known = [one for one in map(assigned_path, arguments.named_children) if one is not None]
            if len(known) == 1:
                yield from steps_of(known[0])


def steps_of(path: Node) -> Iterator[GivenStep]:
    """Yield the members that a path is made of, those of the local variable that it begins with first."""
    start: Node | None = path
    calls = []
    while start is not None and start.type == "call_expression":
        function = start.child_by_field_name("function")
        if text_of(None if function is None else function.child_by_field_name("field")) in _NAMING:
            calls.append(start)
        start = None if function is None else function.child_by_field_name("operand")
    before = None if start is None else assigned_path(start)
    if before is not None and before.start_byte < path.start_byte:
        yield from steps_of(before)
    for call in reversed(calls):
        for text in below(call.child_by_field_name("arguments") or call, "interpreted_string_literal"):
            for name in (unquote(text_of(text)) or text_of(text)).split("."):
                yield GivenStep(name, text.start_point[0] + 1)


def assigned_path(name: Node) -> Node | None:
    """Return the path that a local variable is where it is used; None for one that is not known, or may be another."""
    function = name.parent if name.type == "identifier" else None
    while function is not None and function.type not in FUNCTIONS:
        function = function.parent
    found = list[tuple[Node, bool]]()
    for one in below(function, "short_var_declaration", "assignment_statement") if function is not None else ():
        left, right, scope = one.child_by_field_name("left"), one.child_by_field_name("right"), one.parent
        if left is None or right is None or scope is None or text_of(left) != text_of(name):
            continue
        is_in_scope = name.start_byte < scope.end_byte
        if one.end_byte <= name.start_byte and (is_in_scope or one.type == "assignment_statement"):
            found.append((right.named_children[0], is_in_scope))
        elif one.type == "assignment_statement" and _is_in_loop(name, one):
            return None
    last, is_sure = max(found, key=lambda one: one[0].start_byte, default=(None, False))
    is_known = last is not None and last.type == "call_expression" and is_path(last)
    return last if is_known and (is_sure or len(found) == 1) else None


def _is_in_loop(name: Node, later: Node) -> bool:
    """Whether what stands behind a name may run before it."""
    around: Node | None = later
    while around is not None and around.start_byte > name.start_byte:
        around = around.parent
    while around is not None and around.type not in (*FUNCTIONS, "for_statement"):
        around = around.parent
    return around is not None and around.type == "for_statement"


def is_path(call: Node) -> bool:
    """Whether a call makes a path of another one, or a new one."""
    function = call.child_by_field_name("function")
    name = None if function is None else function.child_by_field_name("field")
    return text_of(name) in ("Child", "NewPath", "Key", "Index")
