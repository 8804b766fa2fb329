"""The boundary of a limit: values on both sides of it, and what follows for who compiles, lints and mutates."""

from __future__ import annotations

from typing import Any

import pytest

from harness.case import Operation
from harness.field import Path
from harness.field.facts import Measure, measured
from harness.tags.boundary import Boundary, Bounds
from harness.tags.registry import SPECS
from harness.tags.rules import Check
from harness.tags.spec import TagSpec

LIMITS = [spec for spec in SPECS.values() if spec.boundary is not None]
MEASURES: tuple[Measure, ...] = ("value", "characters", "bytes", "items")


def rejects(boundary: Boundary, limit: int, size: int) -> bool:
    """Whether a size is beyond a limit."""
    return size > limit if boundary.upper else size < limit


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("limit", [1, 2, 5, 64])
def test_values_stand_at_the_limit_and_just_beyond(measure: Measure, upper: bool, limit: int) -> None:
    """At least one value is exactly at the limit, one is the next that is rejected, and none is negative in size."""
    boundary = Boundary(measure, upper)
    probes = boundary.probes(limit)
    sizes = [one if isinstance(one, int) else measured(measure, one) for one in probes]
    assert {limit, limit + boundary.beyond} <= set(sizes)
    assert {True, False} == {rejects(boundary, limit, size or 0) for size in sizes}
    assert measure == "value" or min(size or 0 for size in sizes) >= 0


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("limit", [2, 5, 64])
def test_texts_tell_bytes_from_characters(upper: bool, limit: int) -> None:
    """Whoever counts the other unit decides otherwise about one of the texts."""
    units: tuple[tuple[Measure, Measure], ...] = (("characters", "bytes"), ("bytes", "characters"))
    for measure, other in units:
        boundary = Boundary(measure, upper)
        texts = boundary.probes(limit)
        mine = [rejects(boundary, limit, measured(measure, one) or 0) for one in texts]
        assert mine != [rejects(boundary, limit, measured(other, one) or 0) for one in texts]


def test_what_a_limit_says_of_a_value() -> None:
    """N bytes are at most N characters and at least a quarter of them."""
    assert Bounds("length", most=9) == Boundary("bytes", upper=True).bounds(9)
    assert Bounds("length", least=3) == Boundary("bytes", upper=False).bounds(9)
    assert Bounds("value", least=-1) == Boundary("value", upper=False).bounds(-1)


@pytest.mark.parametrize("spec", LIMITS, ids=lambda spec: spec.name)
def test_a_check_agrees_with_its_boundary(spec: TagSpec) -> None:
    """The check of a limit accepts and rejects what its boundary says, for every value that it suggests."""
    assert spec.boundary is not None
    assert spec.check is not None
    for probe in spec.boundary.probes(3):
        value = _value(spec, probe)
        found = spec.check(Operation.CREATE, Path(), value, None, 3)
        size = measured(spec.boundary.measure, value)
        assert size is not None
        assert rejects(spec.boundary, 3, size) == bool(found), value


def _value(spec: TagSpec, probe: Any) -> Any:
    """Make a list or map of a size."""
    if spec.boundary is None or spec.boundary.measure != "items":
        return probe
    return {str(one): one for one in range(probe)} if "Properties" in spec.name else list(range(probe))


def test_a_check_of_an_earlier_release_keeps_its_unit() -> None:
    """Bytes for characters is no mutation of what counts bytes; a limit that is off by one is."""
    spec = SPECS["k8s:maxLength"]

    def older(*args: Any) -> list[Any]:
        return []

    assert spec.check is not None
    own = [one.operator for one in spec.mutations_of(Check(spec.check, (3,)))]
    assert ["limit + 1", "limit - 1", "bytes for characters"] == own
    assert ["limit + 1", "limit - 1"] == [one.operator for one in spec.mutations_of(Check(older, (3,)))]
