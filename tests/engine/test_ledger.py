"""What a search has seen is known to whom explains it: which errors each side reported, of any object."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.engine.config import RunConfig
from harness.engine.ledger import Ledger
from harness.engine.local import Callbacks, Local
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
