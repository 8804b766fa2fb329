from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest

from harness.case import Json
from harness.fuzzers.aimedpairs import aimed_pairs, parts_of
from harness.fuzzers.aims import Aim
from harness.fuzzers.patternpaths import put_at_pattern
from harness.jsonpath import ABSENT, look
from tests.fuzzers.toys import widget_shape

BARE: Json = {"metadata": {"name": "a"}}
PORT: Json = {"name": "x", "number": 1}
FULL: Json = {"metadata": {"name": "a"}, "spec": {"mode": "Fast", "ports": [PORT], "labels": {"a": "b"}}}


def spec(obj: Json) -> Any:
    """The spec of an object, empty when there is none."""
    return look(obj, ("spec",)) or {}


REJECTS: dict[str, tuple[Aim, Callable[[Any], bool]]] = {
    "too long": (Aim("spec.title", "FieldValueTooLong", "maxLength", limit=8), lambda s: len(s.get("title", "")) == 9),
    "too many": (
        Aim("spec.ports", "FieldValueTooMany", "maxItems", limit=3),
        lambda s: len({port["name"] for port in s.get("ports", ())}) == 4 == len(s["ports"]),
    ),
    "twice": (
        Aim("spec.ports[*]", "FieldValueDuplicate"),
        lambda s: len(s.get("ports", ())) > 1 and s["ports"][0] == s["ports"][1],
    ),
    "missing in an item": (
        Aim("spec.ports[*].name", "FieldValueRequired"),
        lambda s: bool(s.get("ports")) and "name" not in s["ports"][0],
    ),
    "not supported": (
        Aim("spec.mode", "FieldValueNotSupported"),
        lambda s: s.get("mode", "Fast") not in ("Fast", "Slow", ""),
    ),
    "too small": (Aim("spec.replicas", "FieldValueInvalid", "minimum", limit=5), lambda s: s.get("replicas") == 4),
    "a value of a map": (
        Aim("spec.labels[*]", "FieldValueTooLong", "maxLength", limit=3),
        lambda s: any(len(value) == 4 for value in s.get("labels", {}).values()),
    ),
    "far below": (
        Aim("spec.parent.parent.title", "FieldValueTooLong", "maxBytes", limit=2),
        lambda s: look(s, ("parent", "parent", "title")) == "aaa",
    ),
    "format": (Aim("spec.title", "FieldValueInvalid", "format=k8s-uuid"), lambda s: " " in s.get("title", "")),
    "no member": (Aim("spec.selector", "FieldValueInvalid", "union"), lambda s: s.get("selector") == {}),
    "beside another": (
        Aim("spec.selector", "FieldValueForbidden", "dependentForbidden"),
        lambda s: "selector" in s and "parent" in s,
    ),
    "in another mode": (
        Aim("spec.title", "FieldValueForbidden", tag="k8s:ifMode"),
        lambda s: "title" in s and s.get("mode") == "Slow",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REJECTS)
@pytest.mark.parametrize("base", [BARE, FULL], ids=["bare", "full"])
def test_an_aim_is_reached_soon(name: str, base: Json) -> None:
    """Forty objects are enough to make any path invalid in the way that its rule minds, whatever is there."""
    aim, reached = REJECTS[name]
    assert any(reached(spec(new)) for new, _ in islice(aimed_pairs(aim, widget_shape(), [base]), 40))


def test_an_update_changes_adds_and_removes() -> None:
    """Going for an immutable path, its value is changed, removed, added, and changed within."""
    aim = Aim("spec.selector", "FieldValueInvalid", "immutable", update=True)
    made = [
        (spec(new).get("selector"), spec(old).get("selector")) for new, old in aimed_pairs(aim, widget_shape(), [FULL])
    ]
    assert any(new is None and old is not None for new, old in made)
    assert any(old is None and new is not None for new, old in made)
    assert any(new != old and None not in (new, old) for new, old in made)


def test_everything_else_of_an_update_stays() -> None:
    """Old and new of an aimed update differ at the path alone."""
    aim = Aim("spec.replicas", "FieldValueInvalid", "immutable", update=True)
    for new, old in islice(aimed_pairs(aim, widget_shape(), [FULL]), 30):
        assert {**spec(new), "replicas": 0} == {**spec(old), "replicas": 0}


@pytest.mark.parametrize("path", ["spec.selector", "spec.replicas", "metadata.deletionTimestamp"])
@pytest.mark.parametrize("base", [BARE, FULL], ids=["bare", "full"])
def test_what_may_not_change_stays_while_something_beside_it_does(path: str, base: Json) -> None:
    """To see an immutable field accepted, updates keep its value and change a neighbour; maps of it come first."""
    aim = Aim(path, "FieldValueInvalid", "immutable", wants="accept", update=True)
    place = tuple(path.split("."))
    made = list(islice(aimed_pairs(aim, widget_shape(), [base]), 3))
    assert made
    for new, old in made:
        assert look(new, place) == look(old, place) not in (None, ABSENT)
        assert new != old
    if place[0] == "metadata":
        assert {*look(made[0][0], ("metadata",))} & {"labels", "annotations"}


@pytest.mark.parametrize(
    ("aim", "reached"),
    [
        (Aim("spec.title", "FieldValueTooLong", "maxLength", limit=8, wants="accept"), lambda s: len(s["title"]) == 8),
        (Aim("spec.replicas", "FieldValueInvalid", "maximum", limit=8, wants="accept"), lambda s: s["replicas"] == 8),
        (
            Aim("spec.ports", "FieldValueTooMany", "maxItems", limit=3, wants="accept"),
            lambda s: len({(port["name"], port["number"]) for port in s["ports"]}) == 3 == len(s["ports"]),
        ),
        (Aim("spec.mode", "FieldValueNotSupported", wants="accept"), lambda s: s["mode"] in ("Fast", "Slow")),
    ],
    ids=lambda one: one.path if isinstance(one, Aim) else "",
)
def test_a_limit_is_met_exactly(aim: Aim, reached: Callable[[Any], bool]) -> None:
    """What should be accepted stands at the limit, with items that all differ."""
    new, old = next(aimed_pairs(aim, widget_shape(), [FULL]))
    assert old is None
    assert reached(spec(new))


def test_shots_are_the_same_every_time() -> None:
    """The same aim and seeds, the same objects in the same order."""
    aim = Aim("spec.selector", "FieldValueInvalid", "union")
    first, again = (list(aimed_pairs(aim, widget_shape(), [BARE, FULL])) for _ in range(2))
    assert first == again


def test_bases_are_never_changed() -> None:
    """Objects are copied on the way to what changes."""
    before = repr(FULL)
    for aim, _ in REJECTS.values():
        list(aimed_pairs(aim, widget_shape(), [FULL]))
    assert before == repr(FULL)


def test_what_is_missing_on_the_way_is_made() -> None:
    """Structs, lists and maps come up where the path goes through them; removing leaves the rest."""
    shape = widget_shape()
    parts = parts_of(Aim("spec.ports[*].name", ""))
    made = put_at_pattern(shape, BARE, parts, "x")
    assert look(made, ("spec", "ports", 0, "name")) == "x"
    assert "number" in look(put_at_pattern(shape, made, parts, ABSENT), ("spec", "ports", 0))
    assert look(put_at_pattern(shape, FULL, ("spec", "ports", "[*]"), ABSENT), ("spec", "ports")) == []
    assert look(put_at_pattern(shape, FULL, ("spec", "labels", "[*]"), ABSENT), ("spec", "labels")) == {}
