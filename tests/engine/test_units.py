from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest

from harness.case import KindInfo, Operation
from harness.engine.units import FIELDS, matches, units_of, with_fields
from tests.fuzzers.toys import widget_shape

PODS = KindInfo("", "v1", "Pod", "pods", "v1", type="core.Pod")
STATUS = msgspec.structs.replace(PODS, subresource="status", operations=(Operation.UPDATE,))
SCALE = KindInfo(
    "apps", "v1", "Scale", "deployments", "autoscaling/v1", "scale", type="Scale", operations=(Operation.UPDATE,)
)
DEPLOYMENTS = KindInfo("apps", "v1", "Deployment", "deployments", "apps/v1", type="Deployment")
KINDS = (PODS, DEPLOYMENTS, STATUS, SCALE)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("pods", [PODS]),
        ("Pod", [PODS]),
        ("pods*", [PODS, STATUS]),
        ("*/status", [PODS, DEPLOYMENTS, STATUS, SCALE][2:3]),
        ("apps/*", [DEPLOYMENTS, SCALE]),
        ("apps/v1/deployments", [DEPLOYMENTS]),
        ("core/pods", [PODS]),
        ("apps/v1 deployments/scale", [SCALE]),
        ("DEPLOYMENTS", [DEPLOYMENTS]),
        ("nothing", []),
    ],
)
def test_patterns_mean_kinds(pattern: str, expected: list[KindInfo]) -> None:
    """A pattern is a resource, a kind, a group with a resource, or a full name, in any case of letters."""
    assert expected == [info for info in KINDS if matches(info, [pattern])]


def test_no_pattern_means_every_kind() -> None:
    """Without patterns nothing is left out."""
    assert all(matches(info, ()) for info in KINDS)


def test_a_unit_holds_what_takes_the_same_object() -> None:
    """Status shares a unit with its resource, a scale is searched on its own."""
    units = units_of(KINDS)
    assert [[request.info.resource for request in unit.requests] for unit in units] == [
        ["pods", "pods", "pods"],
        ["deployments", "deployments"],
        ["deployments"],
    ]
    assert [unit.main for unit in units] == [PODS, DEPLOYMENTS, None]


def test_a_subresource_alone_still_knows_who_creates_its_object() -> None:
    """Filters leave out requests, not the way to a base."""
    (unit,) = units_of(KINDS, ["pods/status"], ["update"])
    assert [(request.info, request.operation) for request in unit.requests] == [(STATUS, Operation.UPDATE)]
    assert unit.main == PODS


def test_random_numbers_come_from_seed_and_kind_alone() -> None:
    """The same kind draws the same numbers wherever it stands among others."""
    alone, among = units_of((DEPLOYMENTS,))[0], units_of(KINDS)[1]
    assert alone.random(1).random() == among.random(1).random()
    assert alone.random(1).random() != alone.random(2).random()
    assert units_of((PODS,))[0].random(1).random() != alone.random(1).random()


def test_kinds_without_rules_get_a_smaller_share() -> None:
    """There is little to compare where no rule is declared."""
    plain = msgspec.structs.replace(PODS, rules=False)
    assert units_of((plain,))[0].weight < units_of((PODS,))[0].weight / 2


def _fields(*kinds: KindInfo) -> list[tuple[str, int]]:
    """Return the versions of units of these kinds, all of which have the type of widgets, with their fields."""
    units = units_of(kinds)
    return [(unit.requests[0].info.version, unit.fields) for unit in with_fields(units, [widget_shape()] * len(units))]


def test_fields_of_a_shared_type_count_for_the_unit_with_most_requests() -> None:
    """One function validates a type wherever it stands, so it is searched where most requests reach it."""
    status = msgspec.structs.replace(STATUS, version="v2")
    pods = msgspec.structs.replace(PODS, version="v2")
    assert [("v1", 0), ("v2", 13)] == _fields(DEPLOYMENTS, pods, status)


def test_of_two_versions_the_served_one_has_the_fields() -> None:
    """A version that is not served keeps the share of its requests alone."""
    unserved = msgspec.structs.replace(DEPLOYMENTS, version="v1beta1", through="v1")
    assert [("v1beta1", 0), ("v1", 13)] == _fields(unserved, DEPLOYMENTS)


def test_a_unit_with_many_fields_gets_a_larger_share() -> None:
    """Its validators check more, and its seed objects take more cases to grow."""
    (unit,) = units_of((DEPLOYMENTS,))
    assert 2 * unit.weight == replace(unit, fields=FIELDS).weight
