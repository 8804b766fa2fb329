"""The checks of handwritten Go: calls that are handed the path of a field, with the marks behind them.

`field.Required(p, "").MarkCoveredByDeclarative()` is a check with a mark; so is `ValidateName(n, p)...` of a helper.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tree_sitter import Node

from harness.verify.checks import CheckCall, one_line
from harness.verify.gocode import Decl, Normal, text_of, walk
from harness.verify.goplaces import Places

_NOT_CHECKS = frozenset({"append", "Child", "Index", "Key", "NewPath", "String", "len", "WithOrigin", "Root"})


def checks_of(decl: Decl, places: Places, normal: Normal) -> Iterator[CheckCall[tuple[Decl, Node]]]:
    """Yield the checks of a function, outermost first."""
    waiting = [decl.body] if decl.body is not None else []
    while waiting:
        node = waiting.pop()
        if node.type == "call_expression":
            top, inner, marks = _unwrapped(node)
            if _is_check(inner, places):
                callee = _callee(inner, decl, normal)
                arguments = inner.child_by_field_name("arguments")
                paths = [one for one in (arguments.named_children if arguments else ()) if places.is_path(one)]
                place = "/".join(_literals(paths))
                said = " ".join(text_of(inner).split())
                yield CheckCall(decl.name, decl.short, callee, place, said, marks, one_line(text_of(top)), (decl, top))
                continue
        waiting += reversed(node.children)


def _unwrapped(node: Node) -> tuple[Node, Node, tuple[str, ...]]:
    """Take the marks off a chain of calls: the whole, the call in the middle, the marks in order."""
    inner, marks = node, list[str]()
    while True:
        function = inner.child_by_field_name("function")
        if function is None or function.type != "selector_expression":
            return node, inner, tuple(reversed(marks))
        operand, method = function.children[0], text_of(function.children[-1])
        if operand.type != "call_expression" or not (method.startswith("Mark") or method == "WithOrigin"):
            return node, inner, tuple(reversed(marks))
        arguments = inner.child_by_field_name("arguments")
        given = " ".join(text_of(arguments).split()) if method == "WithOrigin" else ""
        marks.append(method + given)
        inner = operand


def _is_check(node: Node, places: Places) -> bool:
    function, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or arguments is None:
        return False
    name = text_of(function.children[-1]) if function.type == "selector_expression" else text_of(function)
    if name in _NOT_CHECKS or function.type == "func_literal":
        return False
    return any(one.type != "func_literal" and _is_path(one, places) for one in arguments.named_children)


def _is_path(node: Node, places: Places) -> bool:
    return node.type in ("identifier", "call_expression") and not _makes_error(node) and places.is_path(node)


def _makes_error(node: Node) -> bool:
    """Whether a call is one that is handed a path rather than one that makes it."""
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
    if function is None:
        return False
    name = text_of(function.children[-1]) if function.type == "selector_expression" else text_of(function)
    return name not in ("Child", "Index", "Key", "NewPath")


def _callee(node: Node, decl: Decl, normal: Normal) -> str:
    function = node.child_by_field_name("function")
    assert function is not None
    name = normal.name_of(function, decl)
    return ".".join(normal.shown(name)) if name is not None else " ".join(text_of(function).split())


def _literals(nodes: Iterable[Node]) -> Iterator[str]:
    for node in nodes:
        for one in walk(node):
            if one.type == "interpreted_string_literal":
                yield text_of(one)
