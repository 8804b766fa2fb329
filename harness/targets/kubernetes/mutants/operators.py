"""The operators: kinds of single edits of handwritten validators that are seen in practice.

An operator is given a function and a node of its body, and yields the part that it replaces and the new text. Types
are not known here, so some edits do not compile; these are left out of the build. What an edit replaces stays in it, as
in `false && old == new`, where Go would otherwise complain of a variable that is not used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from tree_sitter import Node

from harness.gotypes.gonodes import text_of, walk
from harness.targets.kubernetes.mutants.gosource import ParsedFunction, statement_around

Change: TypeAlias = tuple[Node, str]
"""A part of a function and the text that replaces it."""

_BOUND = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
_LIMIT = re.compile(r"(?i)(max|min|limit|bound|length)")
_OLD = re.compile(r"\b(old|existing|prev|curr)[A-Z]?\w*|\b\w+Old\w*")
_SUBRESOURCE = re.compile(r"(Status|Approval|Resize|Ephemeral|Scale|Eviction|Finalize)\w*Update")
_OPTIONS = re.compile(r"(?:^|\.)\w*(?:[oO]pts|[oO]ptions?)$")
_ERRORS = frozenset(
    ("Invalid", "Required", "Forbidden", "NotSupported", "Duplicate", "TooLong", "TooMany", "TooFew", "TypeInvalid",
     "TooLongCharacters", "TooShort", "NotFound")
)  # fmt: skip
MARK = "MarkCoveredByDeclarative"


def limits(function: ParsedFunction, node: Node) -> Iterator[Change]:
    """Shift a limit by one: of a comparison, or an argument that is named after one."""
    if node.type == "binary_expression" and _operator(node) in ("<", "<=", ">", ">="):
        for side in ("left", "right"):
            value = node.child_by_field_name(side)
            if value is not None and _is_limit(value):
                yield value, f"({text_of(value)} + 1)"
                if text_of(value) != "0":
                    yield value, f"({text_of(value)} - 1)"
    elif node.type == "argument_list":
        for value in node.named_children:
            if value.type in ("identifier", "selector_expression") and re.match(
                r"(Max|Min|max|min)[A-Z]", _last(value)
            ):
                yield value, f"({text_of(value)} + 1)"
                yield value, f"({text_of(value)} - 1)"


def comparisons(function: ParsedFunction, node: Node) -> Iterator[Change]:
    """Replace a comparison by its neighbour, or an equality by its opposite."""
    operator = _operator(node) if node.type == "binary_expression" else ""
    if operator in _BOUND and not _is_about_nil(node):
        left, right = _sides(node)
        yield node, f"{text_of(left)} {_BOUND[operator]} {text_of(right)}"


def unique_keys(function: ParsedFunction, node: Node) -> Iterator[Change]:
    """Compare items by another key than the one that makes them unique, or remember none."""
    if node.type == "call_expression" and _method(node) in ("Has", "Insert"):
        owner = text_of(_operand(node))
        values = _arguments(node)
        if f"{owner}.Insert(" not in function.text or len(values) != 1:
            return
        if _method(node) == "Insert" and node.parent is not None and node.parent.type == "expression_statement":
            yield node, f"_ = {text_of(values[0])}"
        yield from _other_keys(function, values[0])
    elif node.type == "index_expression":
        owner, key = text_of(node.child_by_field_name("operand")), node.child_by_field_name("index")
        if key is not None and re.search(r"(?i)seen|unique|exist|all\w*s$|names|keys|known", owner):
            yield from _other_keys(function, key)


def _other_keys(function: ParsedFunction, key: Node) -> Iterator[Change]:
    """Yield another field of the same item, or the key without one of its parts."""
    if key.type == "selector_expression":
        item, own = text_of(key.child_by_field_name("operand")), text_of(key)
        others = sorted({text_of(one) for one in walk(function.body) if _is_field_of(one, item)} - {own})
        yield from ((key, other) for other in others[:3])
    for part in walk(key):
        if part.type == "keyed_element":
            yield part, ""


def ratcheting(function: ParsedFunction, node: Node) -> Iterator[Change]:
    """Validate a value although an update keeps it: what compares it with the old one says that it changed."""
    compares = node.type == "binary_expression" and _operator(node) in ("==", "!=") and not _is_about_nil(node)
    calls = node.type == "call_expression" and _last(node.child_by_field_name("function")) in ("DeepEqual", "Equal")
    if (compares or calls) and _OLD.search(text_of(node)):
        yield node, f"(true || {text_of(node)})" if _operator(node) == "!=" else f"(false && {text_of(node)})"


def correlations(function: ParsedFunction, node: Node) -> Iterator[Change]:
    """Compare an item with another old one than its own: the first, or none."""
    if node.type == "index_expression" and _OLD.search(text_of(node.child_by_field_name("operand"))):
        index = node.child_by_field_name("index")
        if index is not None and not index.type.endswith("_literal"):
            yield index, f"0*{text_of(index)}" if _is_index(index) else f"{text_of(index)}[:0]"


def subresources(function: ParsedFunction, node: Node) -> Iterator[Change]:
    """Lose one check of an update through a subresource, or invert what asks for the subresource."""
    if _SUBRESOURCE.search(function.name):
        yield from _lost_checks(node)
    if node.type == "if_statement":
        condition = node.child_by_field_name("condition")
        if condition is not None and re.search(r"(?i)subresource", text_of(condition)):
            yield condition, f"!({text_of(condition)})"


def options(function: ParsedFunction, node: Node) -> Iterator[Change]:
    """Invert an option where it is a condition."""
    if node.type == "selector_expression" and _OPTIONS.search(text_of(node.child_by_field_name("operand"))):
        parent = node.parent
        if parent is not None and (
            (parent.type == "if_statement" and parent.child_by_field_name("condition") == node)
            or (parent.type == "binary_expression" and _operator(parent) in ("&&", "||"))
            or (parent.type == "unary_expression" and text_of(parent).startswith("!"))
        ):
            yield node, f"!{text_of(node)}" if parent.type != "unary_expression" else f"(!{text_of(node)})"


def creates_only(function: ParsedFunction, node: Node) -> Iterator[Change]:
    """Lose a check on updates, so that it is made on creates alone."""
    if "Update" in function.name and not _SUBRESOURCE.search(function.name):
        yield from _lost_checks(node)


def _lost_checks(node: Node) -> Iterator[Change]:
    """Drop the errors of one call of a validator, or the one error that is appended."""
    name = _last(node.child_by_field_name("function")) if node.type == "call_expression" else ""
    if re.match(r"[vV]alidate[A-Z]", name) and not re.search(r"Update|ObjectMeta", name):
        holder = node.parent.type if node.parent is not None else ""
        is_value = holder == "expression_list" and not text_of(node.parent).startswith("dv")
        if holder == "variadic_argument" or is_value:
            yield node, f"{text_of(node)}[:0]"
    elif node.type == "assignment_statement" and re.match(r"\w+ = append\(\w+, field\.\w+\(", text_of(node)):
        yield node, "_" + text_of(node)[text_of(node).index(" =") :]


def origins(function: ParsedFunction, node: Node) -> Iterator[Change]:
    """Give an error another origin, or none."""
    if node.type == "call_expression" and _method(node) == "WithOrigin":
        values = _arguments(node)
        yield node, text_of(_operand(node))
        if values and values[0].type == "interpreted_string_literal":
            yield values[0], f'{text_of(values[0])[:-1]}-other"'


def paths(function: ParsedFunction, node: Node) -> Iterator[Change]:
    """Report an error at another field or item."""
    if node.type == "call_expression" and _method(node) == "Child":
        values = _arguments(node)
        if values and values[0].type == "interpreted_string_literal":
            yield values[0], f'{text_of(values[0])[:-1]}Other"'
    elif node.type == "call_expression" and _method(node) == "Index" and text_of(node.parent).count("Index") == 1:
        values = _arguments(node)
        if len(values) == 1 and _is_index(values[0]):
            yield values[0], f"0*{text_of(values[0])}"


def lost_marks(function: ParsedFunction, node: Node) -> Iterator[Change]:
    """Remove the mark of an error that a rule reports too."""
    if node.type == "call_expression" and _method(node) == MARK:
        yield node, text_of(_operand(node))


def added_marks(function: ParsedFunction, node: Node) -> Iterator[Change]:
    """Mark an error that no rule is known to report."""
    is_error = node.type == "call_expression" and text_of(_operand(node)) == "field" and _method(node) in _ERRORS
    if is_error and MARK not in text_of(statement_around(node)):
        yield node, f"{text_of(node)}.{MARK}()"


def empties(function: ParsedFunction, node: Node) -> Iterator[Change]:
    """Take nil for empty, or empty for nil, of what the function knows as a list or map."""
    if node.type != "binary_expression":
        return
    left, right = _sides(node)
    operator = _operator(node)
    measured = re.fullmatch(r"len\((.+)\)", text_of(left))
    if measured and text_of(right) == "0" and operator in ("==", "!=", ">") and _is_many(function, measured[1]):
        yield node, f"{measured[1]} {'==' if operator == '==' else '!='} nil"
    elif text_of(right) == "nil" and operator in ("==", "!=") and _is_many(function, text_of(left)):
        yield node, f"len({text_of(left)}) {operator} 0"


def _is_many(function: ParsedFunction, value: str) -> bool:
    """Whether a function goes over a value, so that it is a list or a map."""
    return f"range {value} {{" in function.text


@dataclass(frozen=True, slots=True)
class GoOperator:
    """A kind of edit. `changes` yields the edits of one node; `shown_by` describes a case that would show them."""

    name: str
    changes: Callable[[ParsedFunction, Node], Iterator[Change]]
    shown_by: str


OPERATORS: tuple[GoOperator, ...] = (
    GoOperator("limit", limits, "a value at the limit, where a rule has the same limit"),
    GoOperator("comparison", comparisons, "a value at which the two comparisons differ"),
    GoOperator("uniqueness key", unique_keys, "two items that only one of the keys tells apart"),
    GoOperator("ratcheting", ratcheting, "an update that keeps an invalid value"),
    GoOperator("correlation", correlations, "an update in which another item than the first keeps an invalid value"),
    GoOperator("subresource", subresources, "an invalid value that is written through the subresource"),
    GoOperator("option", options, "an object that the option accepts or rejects"),
    GoOperator("create only", creates_only, "an update to a value that a create rejects"),
    GoOperator("origin", origins, "a value that the check and its rule reject"),
    GoOperator("path", paths, "a value that the check and its rule reject"),
    GoOperator("mark removed", lost_marks, "a value that the check and its rule reject"),
    GoOperator("mark added", added_marks, "a value that the check rejects"),
    GoOperator("nil or empty", empties, "an empty list or map beside an absent one"),
)
"""In the order of reports."""


def _operator(node: Node) -> str:
    return text_of(node.child_by_field_name("operator"))


def _sides(node: Node) -> tuple[Node | None, Node | None]:
    return node.child_by_field_name("left"), node.child_by_field_name("right")


def _is_about_nil(node: Node) -> bool:
    return "nil" in (text_of(side) for side in _sides(node))


def _is_limit(value: Node) -> bool:
    named = value.type in ("identifier", "selector_expression") and _LIMIT.search(_last(value)) is not None
    return value.type == "int_literal" or named


def _is_field_of(node: Node, item: str) -> bool:
    """Whether a node reads a field of an item, and calls nothing."""
    is_read = node.type == "selector_expression" and text_of(node.child_by_field_name("operand")) == item
    return is_read and node.parent is not None and node.parent.type not in ("call_expression", "selector_expression")


def _is_index(node: Node) -> bool:
    """Whether a node is a variable that counts, by its name."""
    return re.fullmatch(r"i|j|k?ix|idx|i[a-z]", text_of(node)) is not None


def _last(node: Node | None) -> str:
    """Return the last name of `a.b.Name`."""
    return text_of(node).rpartition(".")[2]


def _method(call: Node) -> str:
    """Return the name that a call has after its last dot; empty for a call without one."""
    function = call.child_by_field_name("function")
    return _last(function) if function is not None and function.type == "selector_expression" else ""


def _operand(call: Node) -> Node | None:
    """Return what a method is called of."""
    function = call.child_by_field_name("function")
    return function.child_by_field_name("operand") if function is not None else None


def _arguments(call: Node) -> list[Node]:
    arguments = call.child_by_field_name("arguments")
    return arguments.named_children if arguments is not None else []
