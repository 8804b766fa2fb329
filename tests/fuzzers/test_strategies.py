"""The door for people: objects and pairs that are related, reach every part, and shrink to the smallest."""

from __future__ import annotations

import base64
import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from harness.case import Json
from harness.fuzzers.shape import Shape, shape_of
from harness.fuzzers.strategies import objects_of, pairs_of
from harness.gotypes.packages import Universe
from harness.jsonpath import Edit, differences

TYPES = """package v1

type Widget struct {
	TypeMeta `json:",inline"`
	Spec Spec `json:"spec"`
}
type TypeMeta struct { Kind string `json:"kind"`; APIVersion string `json:"apiVersion"` }
type Mode string
const (
	On Mode = "On"
	Off Mode = "Off"
)
type Spec struct {
	Ports []Port `json:"ports"`
	Mode Mode `json:"mode"`
	Labels map[string]string `json:"labels"`
	// At most 77 of them.
	// +k8s:maximum=77
	Replicas *int32 `json:"replicas,omitempty"`
	Self *Spec `json:"self,omitempty"`
	CABundle []byte `json:"caBundle,omitempty"`
}
type Port struct { Name string `json:"name"`; Number int32 `json:"number"` }
"""
EXAMPLE = {
    "kind": "Widget",
    "spec": {"ports": [{"name": "a", "number": 80}, {"name": "b", "number": 81}], "mode": "On", "labels": {"x": "y"}},
}
HEADER = {"kind": "Widget"}
QUIET = settings(
    max_examples=2000,
    database=None,
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)


@pytest.fixture(scope="module")
def widget(tmp_path_factory: pytest.TempPathFactory) -> Shape:
    """The shape of Widget."""
    file: Path = tmp_path_factory.mktemp("types") / "types.go"
    file.write_text(TYPES)
    return shape_of(Universe.from_files({"x.io/v1": [file]}), "x.io/v1.Widget")


def minimal(strategy: st.SearchStrategy[Any], wanted: Callable[[Any], bool]) -> Any:
    """What the strategy shrinks to."""
    return find(strategy, wanted, settings=QUIET)


def spec(obj: Json) -> dict[str, Any]:
    """The spec of an object, empty when it has none that is an object."""
    found = obj.get("spec") if isinstance(obj, dict) else None
    return found if isinstance(found, dict) else {}


def ports(obj: Json) -> list[Any]:
    """The ports of an object, empty when it has no list of them."""
    found = spec(obj).get("ports")
    return found if isinstance(found, list) else []


def test_anything_shrinks_to_nothing(widget: Shape) -> None:
    """The smallest object is empty, but for what every object has."""
    assert minimal(objects_of(widget), lambda obj: True) == {}
    assert minimal(objects_of(widget, examples=[EXAMPLE], header=HEADER), lambda obj: True) == HEADER


def test_a_value_at_an_edge_shrinks_to_it_alone(widget: Shape) -> None:
    """An object that is wrong in one path shrinks to that path."""
    found = minimal(objects_of(widget), lambda obj: (spec(obj).get("replicas") or 0) < 0)
    assert found == {"spec": {"replicas": -1}}


def test_parts_of_an_example_that_do_not_matter_are_cut_off(widget: Shape) -> None:
    """What an example brings along goes away in shrinking when the property does not need it."""
    found = minimal(objects_of(widget, examples=[EXAMPLE]), lambda obj: spec(obj).get("labels") == {"x": "y"})
    assert found == {**HEADER, "spec": {"labels": {"x": "y"}}}


def test_an_unchanged_pair_is_the_smallest(widget: Shape) -> None:
    """The smallest pair is one object twice."""
    assert minimal(pairs_of(widget, header=HEADER), lambda pair: True) == (HEADER, HEADER)


def test_a_removed_mode_shrinks_to_one_edit(widget: Shape) -> None:
    """The smallest pair that unsets a member differs in nothing else."""
    old, new = minimal(
        pairs_of(widget, examples=[EXAMPLE], header=HEADER),
        lambda pair: bool(spec(pair[0]).get("mode")) and "mode" not in spec(pair[1]),
    )
    assert list(differences(new, old)) in ([("spec", "mode")], [("spec",)])
    assert old == {**HEADER, "spec": {"mode": "On"}}


def test_added_item_shrinks_to_first_item(widget: Shape) -> None:
    """The smallest pair that adds a list item starts from an empty list."""
    listed = widget.child("spec").child("ports")
    found = minimal(pairs_of(listed), lambda pair: len(pair[1]) > len(pair[0]))
    assert found == ([], [{}])


def is_renamed(old: Json, new: Json) -> bool:
    """Whether the key of the only label is another one now."""
    before, after = spec(old).get("labels"), spec(new).get("labels")
    return before == {"x": "y"} and isinstance(after, dict) and list(after.values()) == ["y"] and after != before


CHANGES: dict[str, Callable[[Json, Json], bool]] = {
    "duplicated": lambda old, new: len(ports(new)) == 3 and ports(new)[2] in ports(old),
    "reordered": lambda old, new: len(ports(new)) == 2 and ports(new) == ports(old)[::-1] and new != old,
    "deleted": lambda old, new: len(ports(new)) == 1 and len(ports(old)) == 2,
    "renamed": is_renamed,
    "changed": lambda old, new: spec(old).get("mode") == "On" and spec(new).get("mode") == "Off",
    "hinted limit": lambda old, new: spec(new).get("replicas") in (77, 78) and old != new,
    "invalid and unchanged": lambda old, new: old == new and spec(old).get("mode") not in ("On", "Off", None),
}


@pytest.mark.parametrize("change", CHANGES)
def test_pairs_reach_every_sort_of_change(widget: Shape, change: str) -> None:
    """Each sort of related pair turns up within five thousand draws."""
    unshrunk = settings(QUIET, phases=[Phase.generate], max_examples=5000)
    old, new = find(pairs_of(widget, examples=[EXAMPLE]), lambda pair: CHANGES[change](*pair), settings=unshrunk)
    assert CHANGES[change](old, new)


def test_probes_are_drawn(widget: Shape) -> None:
    """A value handed in for a path is put there."""
    strategy = objects_of(widget, examples=[EXAMPLE], probes=[Edit(("spec", "mode"), "Rare")], header=HEADER)
    assert minimal(strategy, lambda obj: spec(obj).get("mode") == "Rare") == {**HEADER, "spec": {"mode": "Rare"}}


def test_names_of_fields_tell_what_they_hold(widget: Shape) -> None:
    """A field that is called for a certificate is given a real one, as base64."""
    begins = base64.b64encode(b"-----BEGIN CERTIFICATE")[:24].decode()
    found = minimal(objects_of(widget), lambda obj: str(spec(obj).get("caBundle")).startswith(begins))
    assert list(found["spec"]) == ["caBundle"]


def test_edits_leave_the_header_alone(widget: Shape) -> None:
    """Whatever the edits, both objects of an update keep the kind, and the example itself is not modified."""

    @settings(max_examples=60, database=None, derandomize=True, deadline=None)
    @given(pairs_of(widget, examples=[EXAMPLE], header=HEADER))
    def holds(pair: tuple[Json, Json]) -> None:
        assert [one["kind"] for one in pair] == ["Widget", "Widget"]

    before = copy.deepcopy(EXAMPLE)
    holds()
    assert before == EXAMPLE


def test_objects_have_the_shape(widget: Shape) -> None:
    """Objects that come from the shape alone hold members of the type and values of their kind."""

    @settings(max_examples=60, database=None, derandomize=True, deadline=None)
    @given(objects_of(widget))
    def holds(obj: Json) -> None:
        assert set(obj) <= {"spec"}
        assert set(spec(obj)) <= {"ports", "mode", "labels", "replicas", "self", "caBundle"}
        assert all(isinstance(port, dict) for port in ports(obj))
        assert isinstance(spec(obj).get("replicas", 0), int)

    holds()
