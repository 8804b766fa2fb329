"""A conversion that loses a field: a search finds it among accepted objects, and few cases ask for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from harness.case import Answer, Case, RoundTrip
from harness.fuzzers.corpus import keep
from harness.jsonpath import remove
from tests.engine.test_run import search
from tests.engine.test_versions import BEFORE, VersionedSubject
from tests.engine.toys import ToySpec
from tests.fuzzers.toys import WIDGETS, ToyTarget


class Lossy(ToyTarget):
    """Answers what is left of a widget after the older version, which has no title."""

    def __init__(self) -> None:
        super().__init__((msgspec.structs.replace(WIDGETS, versions=("v0",)), BEFORE))
        self.info = msgspec.structs.replace(self.info, abilities=("update", "versions", "round trip"))
        self.wanted = 0

    def _answer(self, case: Case) -> Answer:
        answer = super()._answer(case)
        if not case.round_trip or answer.failure is not None:
            return answer
        self.wanted += 1
        after = remove(case.object, ("spec", "title"))
        turned = {} if after == case.object else {"v0": RoundTrip(case.object, after)}
        return msgspec.structs.replace(answer, round_trips=turned)


class LossySubject(VersionedSubject):
    """The toys, of which one version loses a field."""

    def __init__(self) -> None:
        super().__init__(ToySpec())
        self.target: Any = Lossy()


def test_a_loss_is_found_and_reduced() -> None:
    """The finding has an accepted object with the lost field and little else, and how many objects were tried."""
    subject = LossySubject()
    result = search(3000, opener=lambda spec, note: subject, kinds=("*/v1/widgets",))
    found = [one for one in result.findings if one.mismatch == "conversion"]
    assert {("conversion", "spec.title", "v0", "visible")} == {
        (one.cause, one.path, one.origin, one.severity) for one in found
    }
    for finding in found:
        assert finding.case.round_trip
        assert "title" in finding.case.object["spec"]
        assert not finding.answer.handwritten
    assert 0 < result.round_trips_checked <= subject.target.wanted
    assert subject.target.wanted < result.cases / 2


def test_a_target_without_the_ability_is_not_asked() -> None:
    """It could not answer."""
    subject = LossySubject()
    subject.target.info = msgspec.structs.replace(subject.target.info, abilities=("update", "versions"))
    result = search(2000, opener=lambda spec, note: subject, kinds=("*/v1/widgets",))
    assert (0, 0) == (subject.target.wanted, result.round_trips_checked)


def test_a_loss_of_an_earlier_run_is_found_with_its_case(tmp_path: Path) -> None:
    """The case alone shows nothing: it is asked again for what converting leaves of it."""
    kinds = ("*/v1/widgets",)
    first = search(3000, opener=lambda spec, note: LossySubject(), kinds=kinds)
    (kept, *_) = (one for one in first.findings if one.mismatch == "conversion")
    keep(tmp_path, kept.case, lambda text: None)
    second = search(2, opener=lambda spec, note: LossySubject(), kinds=kinds, corpus=tmp_path, seed=2)
    assert [("conversion", "spec.title")] == [
        (one.mismatch, one.path) for one in second.findings if one.fingerprint == kept.fingerprint
    ]
