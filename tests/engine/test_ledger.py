"""What a search has seen is known to whom explains it: which errors each side reported, of any object."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.case import Answer, Operation
from harness.engine.config import RunConfig
from harness.engine.ledger import Ledger
from harness.engine.local import Callbacks, Local
from harness.engine.units import RequestKind
from harness.events import Budget
from harness.fuzzers.budget import Clock
from tests.engine.toys import ToySpec, ToySubject


@pytest.fixture
def ledgers(monkeypatch: pytest.MonkeyPatch) -> list[Ledger]:
    """The ledgers of a short search of the toys."""
    made = list[Ledger]()
    begin = Ledger.__init__

    def collecting(self: Ledger, *given: Any) -> None:
        begin(self, *given)
        made.append(self)

    monkeypatch.setattr(Ledger, "__init__", collecting)
    subject: Any = ToySubject(ToySpec())
    Local(subject, RunConfig(seed=3, budget=Budget(max_cases=1200)), Callbacks(), Clock()).run()
    return made


def test_an_error_that_a_side_reported_is_known_whatever_the_object(ledgers: list[Ledger]) -> None:
    """By its type, origin and path, and for the side that reported it alone."""
    known = 0
    for ledger in ledgers:
        for seen in ledger.seen.values():
            assert seen.finding is not None
            finding = seen.finding.unpack()
            signature = finding.mismatch, finding.path, finding.type, finding.origin, finding.side
            shown = ledger.plan.comparators[seen.request.info.key].compare(finding.case, finding.answer)
            mismatch = next((one for one in shown if one.signature == signature), None)
            if mismatch is None or mismatch.side not in ("handwritten", "declarative"):
                continue
            known += ledger.has_reported(finding.case, mismatch.side, mismatch)
            for other in ({"path": "spec.nowhere"}, {"origin": "invented"}, {"type": "FieldValueForbidden"}):
                strange = msgspec.structs.replace(mismatch, **other)
                assert not ledger.has_reported(finding.case, mismatch.side, strange)
    assert known > 2


def test_an_object_that_reaches_new_code_is_kept() -> None:
    """Once for each block, and only by a case that was drawn."""
    subject: Any = ToySubject(ToySpec())
    local = Local(subject, RunConfig(seed=1, budget=Budget(max_cases=100)), Callbacks(), Clock())
    search = local._search(local.units()[0], 100)
    request = RequestKind(search.plan.unit.requests[0].info, Operation.CREATE)
    kept = search.points.points
    before = len(kept)

    def show(blocks: tuple[int, ...], name: str, is_drawn: bool = True) -> None:
        cases = search.cases_of([(request, {"metadata": {"name": name}}, None, None)])
        answers = [Answer(cases[0].id, blocks=blocks)]
        if is_drawn:
            search.ledger.examine(cases, answers, [None])
        else:
            search.ledger.follow(cases, answers, None)

    show((1, 2), "followed", is_drawn=False)
    show((1, 2), "first")
    show((2, 1), "again")
    show((), "none")
    show((2, 3), "third")
    assert ["first", "third"] == [point.obj["metadata"]["name"] for point in kept[before:]]
