"""Values for which a CEL rule may be false: for each class of rules one that makes it false is among the first."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest

from harness.case import Json
from harness.fuzzers.celvalues import cel_updates, cel_values
from harness.fuzzers.shape import Shape, shape_of
from harness.gotypes.packages import Universe
from harness.openapi.declarations import declare
from harness.subject.api import SHARED

TEXT = {"type": "string"}
FILTER = {
    "type": "object",
    "properties": {
        "type": {"type": "string", "enum": ["A", "B"]}, "b": {"type": "object", "properties": {"x": TEXT}},
        "namespace": TEXT,
    },
}  # fmt: skip
SPEC = {
    "type": "object",
    "properties": {
        "type": {"type": "string", "enum": ["Exact", "Prefix", "Any"]}, "value": TEXT, "count": {"type": "integer"},
        "filters": {"type": "array", "items": FILTER}, "names": {"type": "array", "items": TEXT},
        "labels": {"type": "object", "additionalProperties": TEXT}, "on": {"type": "boolean"},
    },
}  # fmt: skip


def shape() -> Shape:
    """The shape of SPEC."""
    roots = [{"type": "object", "properties": {"spec": SPEC}}]
    universe = Universe.of_packages([declare("example.com/v1", {"Thing": roots})], SHARED)
    return shape_of(universe, "example.com/v1.Thing")


@pytest.mark.parametrize(
    ("rule", "is_false"),
    [
        ("self.type in ['Exact', 'Prefix'] ? !self.value.contains('/./') : true",
         lambda one: one.get("type") in ("Exact", "Prefix") and "/./" in one.get("value", "")),
        ("self.type != 'Any' || self.count > 7", lambda one: one.get("type") == "Any" and one.get("count") == 7),
        ("self.filters.exists_one(f, f.type == 'B' && has(f.b.x)) ? self.type != 'Prefix' : true",
         lambda one: one.get("type") == "Prefix" and len(one["filters"]) == 1 and one["filters"][0]["type"] == "B"
         and "x" in one["filters"][0].get("b", {})),
        ("self.filters.all(a, self.filters.exists_one(b, a.type == b.type))",
         lambda one: len({item.get("type") for item in one["filters"]}) < len(one["filters"])),
        ("!(self.filters.exists(f, f.type == 'A') && self.filters.exists(f, f.type == 'B'))",
         lambda one: {"A", "B"} <= {item.get("type") for item in one["filters"]}),
        ("self.filters.all(f, !has(f.__namespace__))", lambda one: any("namespace" in f for f in one["filters"])),
        ("has(self.value) && has(self.count)", lambda one: "value" not in one or "count" not in one),
        ("has(self.value) || has(self.count)", lambda one: "value" not in one and "count" not in one),
        ("self.names.size() <= 3", lambda one: len(one.get("names", ())) == 4),
        ("!self.on || self.names.all(n, n != 'x')", lambda one: one.get("on") and "x" in one.get("names", ())),
        ("self.labels.all(k, k.startsWith('a/'))", lambda one: any(not k.startswith("a/") for k in one["labels"])),
    ],
)  # fmt: skip
def test_a_class_of_rules(rule: str, is_false: Callable[[Any], bool]) -> None:
    """Among 60 values is one for which the rule is false."""
    made = list(islice(cel_values(rule, shape().child("spec"), {}), 60))
    assert any(isinstance(one, dict) and _holds(is_false, one) for one in made)


def _holds(is_false: Callable[[Any], bool], value: Json) -> bool:
    try:
        return bool(is_false(value))
    except (KeyError, TypeError):  # a member that the rule reads is missing
        return False


@pytest.mark.parametrize(
    ("rule", "path", "expected"),
    [
        ("self == oldSelf", "value", lambda old, new: None not in (old, new) and old != new),
        ("!has(oldSelf.value) || has(self.value)", "", lambda old, new: "value" in old and "value" not in new),
        ("self.size() >= oldSelf.size()", "names", lambda old, new: old and new and len(new) < len(old)),
    ],
)  # fmt: skip
def test_a_rule_about_changes(rule: str, path: str, expected: Callable[[Any, Any], bool]) -> None:
    """Among the pairs is one that the rule forbids."""
    at = ("spec", path) if path else ("spec",)
    found = []
    for new, old in islice(cel_updates(rule, shape(), {"spec": {}}, at), 60):
        both = [one.get("spec", {}) for one in (old, new)]
        found.append(both if not path else [one.get(path) for one in both])
    assert any(expected(*both) for both in found if None not in both)


def test_a_rule_about_the_items_of_a_list() -> None:
    """A rule that names no member gets literals, items twice and lists at the sizes that it names."""
    names = shape().child("spec").child("names")
    made = list(islice(cel_values("self.size() < 3 && !self.exists(x, x == 'no')", names, None), 60))
    assert ["no"] in made
    assert {0, 1, 2, 3, 4} <= {len(one) for one in made if isinstance(one, list)}
