from __future__ import annotations

import pytest

from harness.case import Answer, Case, Failure, Json
from harness.engine.donorsearch import DonorPlan
from harness.engine.shards import Shard
from harness.engine.units import units_of
from harness.fuzzers import donors
from tests.engine.test_run import search
from tests.engine.toys import GADGETS, GIZMOS, ToySpec, ToySubject
from tests.fuzzers.toys import WIDGETS, widget_shape

UNITS = units_of([WIDGETS, GADGETS, GIZMOS])
SHAPES = [widget_shape()] * 3


@pytest.fixture
def small_donors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small types be worth splicing."""
    monkeypatch.setattr(donors, "MIN_SAVED_PATHS", 10)


def test_small_types_are_not_lent() -> None:
    """Three kinds of forty paths each find their own."""
    assert [(), (), ()] == [DonorPlan(UNITS, SHAPES, 6000).to_unit(index) for index in range(3)]


@pytest.mark.usefixtures("small_donors")
def test_every_unit_with_the_type_splices_from_one_donor() -> None:
    """The smallest gives to all, itself included; the donor has questions of its own, and numbers that no unit has."""
    among = DonorPlan(UNITS, SHAPES, 6000)
    (donor,) = among.to_unit(0)
    assert all(among.to_unit(index) == (donor,) for index in (1, 2))
    ((unit, cases, filled, before),) = among.needed([donor, donor])
    assert (3, 600, ()) == (unit.index, cases, before)
    assert filled is donor
    assert [] == among.needed([])
    unlimited = DonorPlan(UNITS, SHAPES, None)
    assert [None] == [cases for _, cases, _, _ in unlimited.needed(unlimited.to_unit(0))]


@pytest.mark.usefixtures("small_donors")
def test_shards_that_borrow_find_together_what_the_whole_run_finds() -> None:
    """Every process has its own donors, so that nothing depends on how units are spread."""
    whole = search(6000)
    parts = [search(6000, shard=Shard(number, 2)) for number in (1, 2)]
    assert whole.cases == sum(part.cases for part in parts)
    assert sorted(finding.fingerprint for finding in whole.findings) == sorted(
        finding.fingerprint for part in parts for finding in part.findings
    )
    assert sorted(report.accepted_paths for report in whole.kinds) == sorted(
        report.accepted_paths for part in parts for report in part.kinds
    )


@pytest.mark.usefixtures("small_donors")
def test_what_is_borrowed_is_reached() -> None:
    """With a donor every path of both kinds is reached as without."""
    assert [45, 45] == [report.accepted_paths for report in search(12000).kinds if report.paths]


class Fragile(ToySubject):
    """Crashes on one object; `asked` tells who asked about which objects, donors or units."""

    def __init__(self, spec: ToySpec, asked: dict[bool, list[Json]], fragile: Json) -> None:
        super().__init__(spec)
        answer = self.target._answer

        def crash(case: Case) -> Answer:
            asked[case.id // 16_777_216 > len(self.target.info.kinds)].append(case.object)
            crashes = case.object == fragile and case.resource == WIDGETS.resource
            return (
                Answer(case.id, failure=Failure("handwritten", "out of range", panic=True)) if crashes else answer(case)
            )

        self.target._answer = crash


@pytest.mark.usefixtures("small_donors")
def test_a_crash_that_only_a_donor_meets_is_told() -> None:
    """The search of its kind asks the same question, once it knows."""
    asked: dict[bool, list[Json]] = {True: [], False: []}
    search(1500, opener=lambda spec, note: Fragile(spec, asked, None))
    fragile = next(obj for obj in asked[True] if obj not in asked[False])
    result = search(1500, opener=lambda spec, note: Fragile(spec, asked, fragile))
    assert [fragile] == [one.case.object for one in result.findings if one.cause == "panic"]
