"""The best case of each signature: the one on which most people would notice."""

from __future__ import annotations

from harness.case import Answer, Operation
from harness.compare.comparator import Comparator
from harness.compare.finding import SEVERITIES
from harness.engine.ledger import Ledger, SignatureRecord
from harness.engine.plan import Abilities, UnitPlan
from harness.engine.units import RequestKind, Unit
from harness.field import FieldError
from harness.fuzzers.feedback import Harvest
from tests.compare.builders import errors, info
from tests.fuzzers.toys import widget_shape

KIND = info()
CREATE = RequestKind(KIND, Operation.CREATE)
MASKED = errors("TooMany@z"), errors("Required@a beta")
ALONE = (), errors("Required@a beta", "Required@b beta", "Required@c beta")
HIDDEN = errors("TooMany@z", "TooMany@y"), errors("Required@a beta")


def met(*answers: tuple[tuple[FieldError, ...], tuple[FieldError, ...]] | Answer) -> SignatureRecord:
    """Return the record of the error at `a` after these answers, or answers with these lists."""
    comparators = {KIND.key: Comparator(KIND)}
    plan = UnitPlan(Unit(0, (CREATE,), KIND), 1, widget_shape(), comparators, Abilities(), "served", "s", None)
    ledger = Ledger(plan, Harvest(), lambda obj: None)
    cases = [KIND.case(Operation.CREATE, {"number": number}) for number in range(len(answers))]
    ledger.examine(cases, [one if isinstance(one, Answer) else Answer(0, *one) for one in answers], [None] * len(cases))
    return next(record for signature, record in ledger.seen.items() if signature[-4] == "a")


def test_an_occurrence_with_more_errors_replaces_a_milder_one() -> None:
    """Three enforced errors change the verdict with the gate; one beside a handwritten error changes nothing."""
    record = met(MASKED, ALONE)
    assert record.sighting is not None
    assert ("verdict", {"number": 1}) == (SEVERITIES[record.worst], record.sighting.case.object)


def test_a_milder_occurrence_replaces_none() -> None:
    """The worst is kept, whatever comes later."""
    record = met(ALONE, MASKED, HIDDEN)
    assert record.sighting is not None
    assert ("verdict", {"number": 0}, 3) == (
        SEVERITIES[record.worst],
        record.sighting.case.object,
        record.occurrences,
    )


def test_an_equally_severe_occurrence_replaces_none() -> None:
    """The first of equals stays, so that nothing is explained twice."""
    record = met(MASKED, HIDDEN)
    assert record.sighting is not None
    assert ("visible", {"number": 0}) == (SEVERITIES[record.worst], record.sighting.case.object)


def test_a_request_that_is_validated_replaces_one_that_is_refused() -> None:
    """The same two lists say more where a server asks for them, and a refused request replaces nothing."""
    refused = Answer(0, *ALONE, unreachable="409, because of its uid")
    for answers, number in (((refused, ALONE, refused), 1), ((ALONE, refused), 0)):
        record = met(*answers)
        assert record.sighting is not None
        assert ("verdict", {"number": number}) == (SEVERITIES[record.worst], record.sighting.case.object)
        assert len(answers) == record.occurrences
