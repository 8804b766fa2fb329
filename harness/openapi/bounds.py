"""Bounds lists and maps above rules in CEL, as a server refuses rules whose cost it cannot bound.

The server multiplies what a rule costs at most by how often it may be asked: for a list without a limit, as often as
its items fit into the largest request. Source: k8s.io/apiextensions-apiserver v0.37.1,
pkg/apis/apiextensions/validation: 10,000,000 for a rule and 100,000,000 for all (2026-11).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from harness.diagnostics import Position
from harness.openapi.losses import LIMITED, Losses

_ASKED = 2000
"""How often one rule may be asked for one object, so that formats of long names are still cheap enough."""
_FEWEST = 8
"""No limit is smaller."""
_LONGEST = 256
"""The limit of a text within lists that a rule reads. Units: characters."""
_SHORTER = 96
"""The same where limits of the API itself let it be asked more often: as long as a fully qualified resource name."""
_RULES = "x-kubernetes-validations"
_FIX = "write +k8s:maxItems, +k8s:maxProperties or +k8s:maxLength where the API has a limit"


def bound_costs(schema: dict[str, Any], name: str, losses: Losses) -> None:
    """Give lists, maps and texts without a limit one where rules below, or of their own, would cost too much."""
    for where, node, limit, value in list(_unbounded(schema, name, 1)):
        node[limit] = value
        why = "a server refuses rules that it may have to ask too often, and nothing limits how often that is"
        losses.add(Position(where), LIMITED, f"gets {limit}: {value}, which no tag says", why, _FIX)


def _unbounded(
    node: dict[str, Any], where: str, around: int, outer: Sequence[str] = ()
) -> Iterator[tuple[str, dict[str, Any], str, int]]:
    """Yield each node that gets a limit, with the limit.

    `around` is how often rules of the node are asked, `outer` are rules of the struct or the list that has it.
    """
    own = [rule["rule"] for rule in node.get(_RULES, ())]
    for name, member in node.get("properties", {}).items():
        compared = any(f"self.{name} ==" in rule for rule in own) or any(
            re.search(rf"\bi\.{re.escape(name)}\b", rule) for rule in outer
        )
        if around > 1:
            yield from _unbounded_text(member, f"{where}.{name}", compared, around)
        loops = [rule for rule in own if f"elf.{name}.all(" in rule or f"elf.{name}.exists(" in rule]
        yield from _unbounded(member, f"{where}.{name}", around, loops)
    below = _elements(node)
    if below is None:
        return
    limit = "maxItems" if "items" in node else "maxProperties"
    most, rules = node.get(limit, 1), [*own, *outer]
    if limit not in node and (_has_rules(below) or _factors(rules)):
        number, unlimited = _limits_below(below)
        left = _ASKED / (around * number)
        most = max(_FEWEST, int(left ** (1 / (max(1, _factors(rules)) + unlimited)) + 0.001))
        yield where, node, limit, most
    yield from _unbounded_text(below, f"{where}[*]", False, around * most)
    yield from _unbounded(below, f"{where}[*]", around * most, rules)


def _unbounded_text(
    node: dict[str, Any], where: str, compared: bool, around: int
) -> Iterator[tuple[str, dict[str, Any], str, int]]:
    is_text = node.get("type") == "string" and "format" not in node
    if is_text and (_RULES in node or compared) and "maxLength" not in node and "enum" not in node:
        yield where, node, "maxLength", _LONGEST if around <= 2 * _ASKED else _SHORTER


def _factors(rules: Sequence[str]) -> int:
    """Return by how many factors of its length the rules of a list or map cost more; a nested loop reads twice."""
    loops = [rule.count(".all(") + rule.count(".exists") for rule in rules]
    return max((3 if number > 1 else number for number in loops), default=0)


def _has_rules(node: dict[str, Any]) -> bool:
    return _RULES in node or any(map(_has_rules, _parts(node)))


def _limits_below(node: dict[str, Any]) -> tuple[int, int]:
    """Return how often rules below are asked by what is limited, and the number of nested lists that are not."""
    below = _elements(node)
    number, unlimited = 1, 0
    if below is not None and _has_rules(below):
        limit = node.get("maxItems", node.get("maxProperties"))
        number, unlimited = (1, 1) if limit is None else (max(1, limit), 0)
    nested = [_limits_below(part) for part in _parts(node) if _has_rules(part)]
    most = max(nested, key=lambda one: (one[1], one[0]), default=(1, 0))
    return number * most[0], unlimited + most[1]


def _elements(node: dict[str, Any]) -> dict[str, Any] | None:
    below = node.get("items", node.get("additionalProperties"))
    return below if isinstance(below, dict) else None


def _parts(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield from node.get("properties", {}).values()
    for part in (node.get("items"), node.get("additionalProperties")):
        if isinstance(part, dict):
            yield part
