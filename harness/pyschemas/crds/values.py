"""The values that CEL rules see: only what the schema knows, with escaped names and the types that it declares.

Times, durations and bytes stay texts: rules read them through a function that makes them (`harness...crds.dialect`).
What no rule can name is absent.

Source: k8s.io/apiserver pkg/cel/common/valuesunstructured.go and pkg/cel/escaping.go v0.37.1 (2026-11).
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from harness.case import Json
from harness.jsonpath import ABSENT
from harness.pyschemas.crds.correlation import is_same, key_of
from harness.pyschemas.crds.schema import Node

_RESERVED = frozenset({
    "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import",
    "let", "loop", "package", "namespace", "return", "var", "void", "while",
})  # fmt: skip
_ESCAPES = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}


@cache
def escape(name: str) -> str | None:
    """Return the name of a member in rules, None where it has none."""
    if name in _RESERVED:
        return f"__{name}__"
    if not re.match(r"[A-Za-z_]", name) or re.search(r"[^A-Za-z0-9_./-]", name):
        return None
    return re.sub(r"__|[./-]", lambda found: _ESCAPES[found[0]], name)


UNUSABLE = {"kubernetes.Unusable": True}
"""Stands for what a server lets no rule read, such as 1.0 for a whole number: functions have no overload for it."""


def to_cel(value: Json, node: Node, twin: Json = ABSENT) -> Any:
    """Return a value as rules see it, ABSENT where no rule can name it.

    Lists of type `set` and `map` are equal in any order: the items of an old one come in the order of its `twin`.
    """
    if value is None:
        return None if node.nullable else UNUSABLE
    if node.is_int_or_string:
        return _text(value) if isinstance(value, str) else value if value.__class__ is int else UNUSABLE
    match node.type:
        case "object":
            return _map(value, node, twin) if isinstance(value, dict) else UNUSABLE
        case "array":
            return _list(value, node, twin) if isinstance(value, list) else UNUSABLE
        case "string":
            return _text(value) if isinstance(value, str) else UNUSABLE
        case "number":
            return float(value) if value.__class__ in (int, float) else UNUSABLE
        case "integer":
            return value if value.__class__ is int else UNUSABLE
        case "boolean":
            return value if isinstance(value, bool) else UNUSABLE
    return ABSENT


def _text(value: str) -> str:
    """Return a text in which another character stands for NUL, at which cel-expr-python 0.1.3 would cut it off."""
    return value.replace("\0", "\ue000") if "\0" in value else value


def _map(value: dict[str, Json], node: Node, twin: Json) -> dict[str, Any]:
    others = twin if isinstance(twin, dict) else {}
    if node.is_embedded:
        node = node.resource
    found = {}
    for name, one in value.items():
        below = node.properties.get(name)
        written = escape(name) if below is not None else name
        below = below or (None if node.properties else node.values)
        if below is None or written is None:
            continue
        seen = to_cel(one, below, others.get(name, ABSENT))
        if seen is not ABSENT:
            found[written] = seen
    return found


def _list(value: list[Json], node: Node, twin: Json) -> list[Any]:
    assert node.items is not None
    pairs: list[tuple[Json, Json]] = [(one, ABSENT) for one in value]
    if isinstance(twin, list) and node.list_type in ("set", "map"):
        pairs = _in_order_of(value, twin, node)
    elif isinstance(twin, list):
        pairs = [(one, twin[at] if at < len(twin) else ABSENT) for at, one in enumerate(value)]
    seen = [to_cel(one, node.items, other) for one, other in pairs]
    return [None if one is ABSENT else one for one in seen]


def _in_order_of(value: list[Json], twin: list[Json], node: Node) -> list[tuple[Json, Json]]:
    left, found = list(value), []
    for other in twin:
        for at, one in enumerate(left):
            key = key_of(node, one)
            if is_same(one, other) or (key is not None and key == key_of(node, other)):
                found.append((left.pop(at), other))
                break
    return [*found, *((one, ABSENT) for one in left)]
