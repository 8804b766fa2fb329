from __future__ import annotations

import pytest

from harness.fuzzers import lending
from harness.fuzzers.bases import Base
from harness.fuzzers.census import census
from harness.fuzzers.lending import Stock, lenders, name_of, seats, unversioned
from tests.fuzzers.toys import widget_shape

SHAPE = widget_shape()
SPEC = name_of(SHAPE.child("spec"))


def test_versions_of_a_type_have_one_name() -> None:
    """The version of the package is left out, and nothing else of it."""
    assert "k8s.io/api/apps.DeploymentSpec" == unversioned("k8s.io/api/apps/v1beta1.DeploymentSpec")
    assert "k8s.io/api/v2ray.A" == unversioned("k8s.io/api/v2ray.A")


def test_types_with_other_places_have_other_names() -> None:
    """A name for lending tells types apart by what they hold."""
    assert name_of(SHAPE) != name_of(SHAPE.child("spec"))
    assert name_of(SHAPE.child("spec")) == name_of(SHAPE.child("spec").child("parent"))


def test_the_first_of_the_smallest_lends_what_is_large_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three with one type the first lends it; what saves too few places is not lent."""
    assert {} == lenders([SHAPE, SHAPE, SHAPE])
    monkeypatch.setattr(lending, "WORTH", 20)
    found = lenders([SHAPE, SHAPE, SHAPE])
    assert [0] == list(found)
    assert SPEC in found[0]
    assert {} == lenders([SHAPE])


def test_only_the_outermost_places_of_a_type_are_seats() -> None:
    """A spec within a spec comes along with it; the root of an object is no seat."""
    assert [(("spec",), SPEC)] == list(seats(SHAPE, frozenset({SPEC, name_of(SHAPE)})))


def test_a_stock_lends_every_value_once_with_the_part_that_is_special() -> None:
    """Two objects with one value are one loan; the focus is told from where the value begins."""
    bases = [
        Base({"spec": {"mode": "Fast", "title": "a"}}),
        Base({"spec": {"mode": "Fast", "title": "a"}, "metadata": {"name": "b"}}),
        Base({"spec": {"mode": "Slow", "parent": {}}}, ("spec", "parent")),
        Base({"metadata": {"name": "c"}}),
    ]
    stock = Stock(SHAPE, frozenset({SPEC}), bases, {"spec.ports": "spec.ports: Forbidden", "metadata.labels": "no"})
    assert [("Fast", ()), ("Slow", ("parent",))] == [(loan.value["mode"], loan.focus) for loan in stock.loans(SPEC)]
    assert {"ports": "spec.ports: Forbidden"} == stock.given_up(SPEC)
    assert {} == stock.given_up("nothing")


def test_lent_types_have_at_least_so_many_places(monkeypatch: pytest.MonkeyPatch) -> None:
    """A port is too small to be lent, however many have it."""
    monkeypatch.setattr(lending, "WORTH", 1)
    names = {name for lent in lenders([SHAPE] * 9).values() for name in lent}
    assert name_of(SHAPE.child("spec").child("ports").elem) not in names
    assert len(census(SHAPE.child("spec").child("ports").elem)) < lending.LEAST
