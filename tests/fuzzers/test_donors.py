from __future__ import annotations

import pytest

from harness.fuzzers import donors
from harness.fuzzers.donors import Donor, find_donors, name_of, splice_paths, unversioned
from harness.fuzzers.repair import SeedObject
from harness.fuzzers.typepaths import type_paths
from tests.fuzzers.toys import widget_shape

SHAPE = widget_shape()
SPEC = name_of(SHAPE.child("spec"))


def test_versions_of_a_type_have_one_name() -> None:
    """The version of the package is left out, and nothing else of it."""
    assert "k8s.io/api/apps.DeploymentSpec" == unversioned("k8s.io/api/apps/v1beta1.DeploymentSpec")
    assert "k8s.io/api/v2ray.A" == unversioned("k8s.io/api/v2ray.A")


def test_types_with_other_places_have_other_names() -> None:
    """A name for splicing tells types apart by what they hold."""
    assert name_of(SHAPE) != name_of(SHAPE.child("spec"))
    assert name_of(SHAPE.child("spec")) == name_of(SHAPE.child("spec").child("parent"))


def test_the_first_of_the_smallest_lends_what_is_large_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three with one type the first gives it; what saves too few paths is not spliced."""
    assert {} == find_donors([SHAPE, SHAPE, SHAPE])
    monkeypatch.setattr(donors, "MIN_SAVED_PATHS", 20)
    found = find_donors([SHAPE, SHAPE, SHAPE])
    assert [0] == list(found)
    assert SPEC in found[0]
    assert {} == find_donors([SHAPE])


def test_only_the_outermost_places_of_a_type_are_seats() -> None:
    """A spec within a spec comes along with it; the root of an object is no path."""
    assert [(("spec",), SPEC)] == list(splice_paths(SHAPE, frozenset({SPEC, name_of(SHAPE)})))


def test_a_stock_lends_every_value_once_with_the_part_that_is_special() -> None:
    """Two objects with one value are one splice; the focus is told from where the value begins."""
    seeds = [
        SeedObject({"spec": {"mode": "Fast", "title": "a"}}),
        SeedObject({"spec": {"mode": "Fast", "title": "a"}, "metadata": {"name": "b"}}),
        SeedObject({"spec": {"mode": "Slow", "parent": {}}}, ("spec", "parent")),
        SeedObject({"metadata": {"name": "c"}}),
    ]
    donor = Donor(SHAPE, frozenset({SPEC}), seeds, {"spec.ports": "spec.ports: Forbidden", "metadata.labels": "no"})
    assert [("Fast", ()), ("Slow", ("parent",))] == [
        (splice.value["mode"], splice.focus) for splice in donor.splices(SPEC)
    ]
    assert {"ports": "spec.ports: Forbidden"} == donor.given_up(SPEC)
    assert {} == donor.given_up("nothing")


def test_lent_types_have_at_least_so_many_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """A port is too small to be spliced, however many have it."""
    monkeypatch.setattr(donors, "MIN_SAVED_PATHS", 1)
    names = {name for lent in find_donors([SHAPE] * 9).values() for name in lent}
    assert name_of(SHAPE.child("spec").child("ports").elem) not in names
    assert len(type_paths(SHAPE.child("spec").child("ports").elem)) < donors.MIN_PATHS
