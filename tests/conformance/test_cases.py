"""The cases of the conformance are the same each time, and what is compared is no more lenient than Go's maps are."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.case import Operation, RuledKind
from harness.compiler import compile_types
from harness.field import FieldError
from harness.fuzzers.shape import shape_of
from harness.gotypes.packages import Universe
from harness.subject.decode import decoder_of
from harness.subject.goorder import in_order
from tests.conformance.cases import cases_of
from tests.conformance.kinds import Key, Kind, key_of

GO = """package v1

// +k8s:validation-gen=true
// +k8s:supportsSubresource="/status"
type T struct {
	// +k8s:optional
	// +k8s:maxItems=40
	// +k8s:eachVal=+k8s:maxLength=3
	List []string `json:"list,omitempty"`
	// +k8s:optional
	// +k8s:eachKey=+k8s:maxLength=3
	// +k8s:eachVal=+k8s:maxLength=3
	Map map[string]string `json:"map,omitempty"`
	// +k8s:ifEnabled(Feature)=+k8s:immutable
	// +k8s:optional
	Name string `json:"name,omitempty"`
}
"""
DECLARED: frozenset[Key] = frozenset(
    {
        ("list", "FieldValueTooMany", "maxItems"),
        ("list[*]", "FieldValueTooLong", "maxLength"),
        ("map", "FieldValueTooLong", "maxLength"),
        ("map[*]", "FieldValueTooLong", "maxLength"),
        ("name", "FieldValueInvalid", "immutable"),
    }
)


@pytest.fixture
def kind(tmp_path: Path) -> Kind:
    """T, compiled."""
    (tmp_path / "types.go").write_text(GO)
    universe = Universe.from_folders({"g/v1": tmp_path})
    shape = shape_of(universe, "g/v1.T")
    ruled = RuledKind("g", "v1", "T", "g/v1.T")
    return Kind(ruled, shape, compile_types(universe, "g/v1"), decoder_of(shape, keeps_empty=True), declared=DECLARED)


def test_a_seed_gives_the_same_cases(kind: Kind) -> None:
    """Drawn twice, they are equal; another seed gives others."""
    first = list(cases_of(kind, 1, 100, 50))
    kind.fired.clear()
    assert first == list(cases_of(kind, 1, 100, 50))
    kind.fired.clear()
    assert first != list(cases_of(kind, 2, 100, 50))


def test_cases_are_of_every_sort_and_fire_every_rule(kind: Kind) -> None:
    """Creates and updates, subresources, an option on and off; what random edits do not fire is aimed at."""
    cases = list(cases_of(kind, 1, 300, 50))
    assert {Operation.CREATE, Operation.UPDATE} == {case.operation for case in cases}
    assert {"", "status"} <= {case.subresource for case in cases}
    assert {True, False} <= {case.options.get("Feature") for case in cases}
    assert DECLARED <= {key_of(error) for case in cases for error in kind.validate(case)}
    assert any(case.old == case.object for case in cases)


def long(field: str, value: str = "", origin: str = "maxLength") -> FieldError:
    return FieldError("FieldValueTooLong", field, "", origin, value=value)


def test_maps_have_no_order_and_all_else_has(kind: Kind) -> None:
    """Errors of two keys may swap; those of one key, of two list items or of different rules may not."""
    a, b, other = long("map[a]"), long("map[b]"), long("map[a]", origin="other")
    assert in_order([a, other, b], kind.shape) == in_order([b, a, other], kind.shape)
    assert in_order([a, other], kind.shape) != in_order([other, a], kind.shape)
    keys = [long("map", "a"), long("map", "b")]
    assert in_order(keys, kind.shape) == in_order(keys[::-1], kind.shape)
    assert in_order([*keys, a], kind.shape) != in_order([a, *keys], kind.shape)
    items = [long("list[0]"), long("list[1]")]
    assert in_order(items, kind.shape) != in_order(items[::-1], kind.shape)
    assert in_order([a, items[0], b], kind.shape) != in_order([b, items[0], a], kind.shape)
    assert in_order([a, a], kind.shape) != in_order([a], kind.shape)
