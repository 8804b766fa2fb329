"""A run that is spread over machines finds what one run finds, and no shard takes much longer than another."""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec
import pytest

from harness.case import KindInfo
from harness.engine.shards import LEAST_CASES, WHOLE, Shard, UnitCases
from harness.engine.units import Unit, units_of
from harness.fuzzers.shape import Shape, shape_of
from harness.gotypes.model import Struct
from tests.engine.test_run import PLANTED, found, search
from tests.fuzzers.toys import PACKAGE, WIDGETS, Toys, struct, widget_shape

KINDS = tuple(msgspec.structs.replace(WIDGETS, resource=f"r{number}") for number in range(10))
FEW, MANY = 200, 2000


class WithPolicies(Toys):
    """Widgets, and policies that have an expression."""

    structs: ClassVar[dict[str, Struct]] = {
        **Toys.structs,
        "Policy": struct("Policy", {"checks": "[]Check"}),
        "Check": struct("Check", {"expression": "string"}),
    }


def shape(unit: Unit) -> Shape:
    """Say that units have the shape of widgets."""
    return widget_shape()


def policy_shape(unit: Unit) -> Shape:
    """Say that one unit has policies."""
    universe: Any = WithPolicies()
    return shape_of(universe, f"{PACKAGE}.{'Policy' if unit.requests[0].info.resource == 'r3' else 'Port'}")


def dealt(count: int, cut: bool, pairs: list[UnitCases], of: Any = shape) -> list[list[UnitCases]]:
    """Deal units to shards."""
    return [Shard(number, count, cut).own(pairs, of) for number in range(1, count + 1)]


def pairs(kinds: tuple[KindInfo, ...] = KINDS, heavy: int = 0) -> list[UnitCases]:
    """Give each kind a few cases, and one many."""
    return [(unit, MANY if unit.index == heavy else FEW) for unit in units_of(kinds)]


def test_shards_find_together_what_the_whole_run_finds() -> None:
    """Same seed and number of cases, same findings and counts, in as many parts as you like."""
    whole = search(6000)
    parts = [search(6000, shard=Shard(number, 2)) for number in (1, 2)]
    assert {finding.fingerprint for finding in whole.findings} == {
        finding.fingerprint for part in parts for finding in part.findings
    }
    assert whole.cases == sum(part.cases for part in parts)
    assert ["1/2", "2/2"] == [part.shard for part in parts]


def test_every_unit_is_in_one_shard_unless_it_is_cut() -> None:
    """Whole, with its cases, and in the order of all units."""
    shards = dealt(3, False, pairs())
    assert pairs() == sorted((pair for own in shards for pair in own), key=lambda pair: pair[0].index)
    assert all([pair[0].index for pair in own] == sorted(pair[0].index for pair in own) for own in shards)
    assert pairs() == WHOLE.own(pairs(), shape)
    unlimited: list[UnitCases] = [(unit, None) for unit in units_of(KINDS)]
    assert [4, 3, 3] == [len(own) for own in dealt(3, True, unlimited)], "without a number of cases nothing is cut"


def test_a_unit_that_outweighs_a_shard_is_cut() -> None:
    """Each piece has its own random numbers, its share of the cases and another shard; no shard is much heavier."""
    shards = dealt(4, True, pairs())
    pieces = [pair for own in shards for pair in own if pair[0].index == 0]
    assert MANY == sum(cases or 0 for _, cases in pieces)
    assert 4 == len(pieces) == len({unit.random(1).random() for unit, _ in pieces})
    assert pieces[0][0].random(1).random() != pieces[0][0].random(2).random()
    assert all(1 == sum(unit.index == 0 for unit, _ in own) for own in shards)
    loads = [sum(cases or 0 for _, cases in own) for own in shards]
    assert sum(cases or 0 for _, cases in pairs()) == sum(loads)
    assert max(loads) <= 1.2 * sum(loads) / 4
    whole = [sum(cases or 0 for _, cases in own) for own in dealt(4, False, pairs())]
    assert MANY == max(whole)


def test_no_piece_has_so_few_cases_that_it_finds_nothing() -> None:
    """A campaign of few cases in many shards has whole kinds."""
    few: list[UnitCases] = [(unit, LEAST_CASES + 50) for unit, _ in pairs()]
    assert len(few) == sum(len(own) for own in dealt(40, True, few))


def test_an_expression_makes_a_unit_heavy() -> None:
    """Validators compile it: a kind with one is dealt first and gets a shard with less beside it."""
    own = next(own for own in dealt(2, False, [(unit, FEW) for unit, _ in pairs()], policy_shape) if 3 in {
        unit.index for unit, _ in own
    })  # fmt: skip
    assert 3 == len(own), "one that costs five, and seven that cost one, in shards of seven"


def test_versions_of_a_resource_are_in_different_shards() -> None:
    """They have the same validators, and if these are slow no shard has all of them."""
    versions = tuple(msgspec.structs.replace(WIDGETS, version=f"v{number}", resource="r") for number in (1, 2, 3))
    shards = dealt(3, False, pairs((*versions, *KINDS), heavy=-1))
    assert [1, 1, 1] == [sum(unit.requests[0].info.resource == "r" for unit, _ in own) for own in shards]


def test_shards_with_pieces_find_what_is_planted() -> None:
    """With as many cases as planned, and together more searches than there are kinds."""
    parts = [search(16_000, shard=Shard(number, 3, cut=True)) for number in (1, 2, 3)]
    assert PLANTED == {one for part in parts for one in found(part)}
    assert sum(part.cases for part in parts) >= 16_000
    assert sum(len(part.kinds) for part in parts) > len(search(100).kinds)
    assert ["1/3 cut", "2/3 cut", "3/3 cut"] == [part.shard for part in parts]


def test_processes_share_a_shard() -> None:
    """How many there are changes no finding."""
    one, two = (search(6000, shard=Shard(1, 2, cut=True), jobs=jobs) for jobs in (1, 2))
    assert {finding.fingerprint for finding in one.findings} == {finding.fingerprint for finding in two.findings}
    assert one.kinds == two.kinds


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_shard_that_no_kind_belongs_to_searches_nothing(jobs: int) -> None:
    """More shards than units: the others have everything, and this one says which it is."""
    found = search(100, shard=Shard(9, 9), jobs=jobs)
    assert ("9/9", 0, (), ()) == (found.shard, found.cases, found.kinds, found.findings)
