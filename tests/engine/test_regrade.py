"""The severity of a difference is that of its worst occurrence, and what was tried is told."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from harness import tuning
from harness.case import Answer, Case, Failure, Json, Operation
from harness.compare.comparator import Comparator
from harness.engine import shrinkphase
from harness.engine.config import RunConfig
from harness.engine.explain import Explainer
from harness.engine.ledger import Sighting
from harness.engine.local import Callbacks, Local
from harness.engine.regrade import Regraded, Repairs, find, regrade
from harness.events import Budget
from harness.fuzzers.budget import Clock
from harness.fuzzers.pairs import Pair
from harness.targets.target import drive
from tests.compare.builders import errors, info
from tests.engine.toys import ToySpec, ToySubject
from tests.fuzzers.toys import WIDGETS, ToyTarget, error, named_ports_shape, widget_shape

KIND = info()
COMPARATOR = Comparator(KIND)
REDUCED: Json = {"spec": {"title": "bad"}}
SEEDS: list[Json] = [{"spec": {"title": "x", "replicas": number}} for number in range(40)]


def lone_with(replicas: int) -> Callable[[Case], Answer]:
    """Let a rule reject the title, and handwritten code every object with other replicas."""

    def answer(case: Case) -> Answer:
        spec = case.object["spec"]
        other = errors("Invalid@spec.replicas") if spec.get("replicas") != replicas else ()
        return Answer(case.id, other, errors("Invalid@spec.title beta") if spec["title"] == "bad" else ())

    return answer


def no_repairs(sighting: Sighting) -> Iterator[Pair]:
    """Know no repair."""
    return iter(())


def known_repairs(sighting: Sighting) -> Iterator[Pair]:
    """Repair the errors beside a difference as the explaining code does."""
    case, answer, mismatch, _ = sighting
    others = [one for one in (*answer.handwritten, *answer.declarative) if not COMPARATOR.concerns(mismatch, one)]
    return Explainer(named_ports_shape(), "toys").repairs(case, others, COMPARATOR)


def regraded(
    answer: Callable[[Case], Answer],
    seeds: list[Json],
    asked: list[Case] | None = None,
    find_repairs: Repairs = no_repairs,
    reduced: Json = REDUCED,
) -> Regraded:
    """Look for a more severe occurrence of the title in these seeds, and with these repairs."""
    case = KIND.case(Operation.CREATE, reduced)
    signature = "extra", "spec.title", "FieldValueInvalid", "", "declarative"
    first = find(case, answer(case), signature, COMPARATOR)
    assert first is not None

    def ask(cases: list[Case]) -> list[Answer]:
        (asked if asked is not None else []).extend(cases)
        return [answer(one) for one in cases]

    return drive(regrade([first], [(seed, None) for seed in seeds], widget_shape(), COMPARATOR, find_repairs), ask)


def test_the_object_that_shows_the_worst_is_found() -> None:
    """With seven replicas the title is the only error, and the gate decides."""
    found = regraded(lone_with(7), SEEDS).sighting
    assert isinstance(found, Sighting)
    assert {"spec": {"title": "bad", "replicas": 7}} == found.case.object


def test_what_was_tried_in_vain_is_told() -> None:
    """So many objects of those that there are; a note says what the error would be alone."""
    asked: list[Case] = []
    note = regraded(lone_with(39), SEEDS, asked).note
    assert tuning.REPLANTED == len(asked)
    assert f"severity verdict; of the first {tuning.REPLANTED} other objects that got its value" in note
    assert "; of 7 other objects that got its value, 1 show it" in regraded(lone_with(39), SEEDS[:1]).note


def test_what_could_not_be_tried_is_told() -> None:
    """There is no seed yet."""
    assert regraded(lone_with(7), []).note.endswith("not tried, because its value could not be put into another object")


def test_nothing_is_asked_where_the_error_alone_is_no_worse() -> None:
    """The reduced object shows the worst that there can be."""
    asked: list[Case] = []
    assert Regraded() == regraded(lambda case: Answer(case.id, (), errors("Invalid@spec.title beta")), SEEDS, asked)
    assert [] == asked


def needy(case: Case) -> Answer:
    """Let a rule reject the title, and handwritten code want a mode that is a key of the ports."""
    spec = case.object["spec"]
    mode = spec.get("mode")
    wrong = error("NotFound", "spec.mode") if mode else error("Required", "spec.mode")
    found = () if mode in spec.get("ports", {}) and mode else (wrong,)
    return Answer(case.id, found, errors("Invalid@spec.title beta") if spec["title"] == "bad" else ())


@pytest.mark.parametrize("reduced", [REDUCED, {"spec": {"title": "bad", "mode": ""}}])
def test_a_member_that_no_seed_has_repairs_the_error_beside(reduced: Json) -> None:
    """The mode is to be the name of a port, so that one repair brings up another error."""
    seeds: list[Json] = [{"spec": {"title": "x"}}]
    assert regraded(needy, seeds, reduced=reduced).sighting is None
    found = regraded(needy, seeds, find_repairs=known_repairs, reduced=reduced).sighting
    assert found is not None
    spec = found.case.object["spec"]
    assert ("bad", True) == (spec["title"], spec["mode"] in spec["ports"])
    assert () == found.answer.handwritten


def test_repairs_that_were_tried_in_vain_are_told() -> None:
    """They are as many as the note says, each another pair, and those that agree are not counted as shown."""
    asked: list[Case] = []

    def answer(case: Case) -> Answer:
        spec = case.object["spec"]
        rule = errors("Invalid@spec.title beta") if spec["title"] == "bad" and spec.get("mode") != "Fast" else ()
        return Answer(case.id, (error("Required", "spec.mode"),), rule)

    note = regraded(answer, [], asked, known_repairs).note
    shown = sum(bool(answer(one).declarative) for one in asked)
    assert 0 < shown < len(asked)
    assert note.endswith(f"; of {len(asked)} repairs of errors beside it, {shown} show it, none more severely")
    assert len(asked) == len({msgspec.json.encode(one.object) for one in asked})


def test_repairs_of_errors_beside_are_bounded() -> None:
    """Each repair brings up another error, and still only so many rounds are asked."""
    asked: list[Case] = []

    def answer(case: Case) -> Answer:
        other = error("Invalid", "spec.replicas", f"not {case.object['spec'].get('replicas')}")
        return Answer(case.id, (other,), errors("Invalid@spec.title beta"))

    def find_repairs(sighting: Sighting) -> Iterator[Pair]:
        first = sighting.case.object["spec"].get("replicas", 0) * 1_000
        return (({"spec": {"title": "bad", "replicas": first + number}}, None) for number in range(1, 1_000))

    assert "none more severely" in regraded(answer, [], asked, find_repairs).note
    further = (tuning.REPAIR_ROUNDS - 1) * tuning.REPAIRED_FURTHER
    assert tuning.REPAIRED_BESIDE * (1 + further) == len(asked)


class Crowded(ToyTarget):
    """A rule rejects replicas; handwritten code rejects every object with them that has no two labels."""

    def _answer(self, case: Case) -> Answer:
        answer = super()._answer(case)
        spec: Any = case.object.get("spec") if isinstance(case.object, dict) else None
        if answer.failure is not None or not isinstance(spec, dict) or spec.get("replicas") is None:
            return answer
        found = [] if len(spec.get("labels") or {}) > 1 else [error("Invalid", "spec.labels", "few")]
        rule = error("Invalid", "spec.replicas", "set", "set", level="beta")
        return Answer(answer.id, (*answer.handwritten, *found), (*answer.declarative, rule))


LABELS: Json = {"a": "a", "b": "b"}
SEED: Json = {
    "apiVersion": WIDGETS.api_version, "kind": "Widget", "metadata": {"name": "a"},
    "spec": {"mode": "Fast", "ports": [{"number": 1}], "labels": LABELS, "selector": {"matchLabels": LABELS}},
}  # fmt: skip


def test_a_finding_is_as_severe_as_its_worst_occurrence(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told on the object that shows it, which is shrunk as any other."""
    monkeypatch.setattr(shrinkphase, "seed_pairs", lambda points, request: [(SEED, None)])
    subject: Any = ToySubject(ToySpec())
    subject.target = Crowded([WIDGETS])
    config = RunConfig(seed=1, budget=Budget(max_cases=400), operations=("create",))
    outcome = Local(subject, config, Callbacks(), Clock()).run()
    findings = [one.unpack() for unit in outcome.units for one in unit.findings]
    rejected = [one for one in findings if one.origin == "set"]
    assert [("verdict", "")] == [(one.severity, one.severity_note) for one in rejected]
    assert LABELS.keys() == rejected[0].case.object["spec"]["labels"].keys()


class Refusing(ToyTarget):
    """A rule rejects replicas, or crashes on them; a server refuses what has no label before it validates."""

    crashes = False

    def _answer(self, case: Case) -> Answer:
        answer = super()._answer(case)
        spec: Any = case.object.get("spec") if isinstance(case.object, dict) else None
        if answer.failure is not None or not isinstance(spec, dict):
            return answer
        unreachable = "" if spec.get("labels") else "409, because of its labels"
        if spec.get("replicas") is None:
            return msgspec.structs.replace(answer, unreachable=unreachable)
        if self.crashes:
            return Answer(answer.id, failure=Failure("prepare", "boom", panic=True), unreachable=unreachable)
        rule = error("Invalid", "spec.replicas", "set", "set", level="beta")
        return Answer(answer.id, answer.handwritten, (*answer.declarative, rule), unreachable=unreachable)


@pytest.mark.parametrize(("crashes", "origin"), [(False, "set"), (True, "prepare: boom")])
def test_a_reduction_keeps_to_requests_that_are_validated(crashes: bool, origin: str) -> None:
    """An object that a server refuses is no smaller one, for an error as for a crash."""
    subject: Any = ToySubject(ToySpec())
    subject.target = Refusing([WIDGETS])
    subject.target.crashes = crashes
    config = RunConfig(seed=1, budget=Budget(max_cases=400), operations=("create",))
    outcome = Local(subject, config, Callbacks(), Clock()).run()
    findings = [one.unpack() for unit in outcome.units for one in unit.findings]
    [found] = [one for one in findings if one.origin == origin]
    assert ("verdict", "") == (found.severity, found.severity_note)
    assert 1 == len(found.case.object["spec"]["labels"])


def renamed(hiding: str) -> tuple[Regraded, list[Case]]:
    """Look for a worse occurrence of an update that a server refuses, where errors of metadata hide the check."""
    asked: list[Case] = []

    def answer(case: Case) -> Answer:
        new, old = case.object["metadata"], case.old["metadata"]
        refused = "400, because of its name" if new["name"] != old["name"] else ""
        wrong = [f"Invalid@metadata.{name}" for name in ("name", hiding) if new.get(name) != old.get(name)]
        check = errors(*wrong) or errors("Required@spec.title covered")
        return Answer(case.id, check, errors("Required@spec.title beta"), unreachable=refused)

    def ask(cases: list[Case]) -> list[Answer]:
        asked.extend(cases)
        return [answer(one) for one in cases]

    old: Json = {"metadata": {"name": "a"}, **REDUCED}
    case = KIND.case(Operation.UPDATE, {"metadata": {"name": "b"}, **REDUCED}, old)
    signature = "extra", "spec.title", "FieldValueRequired", "", "declarative"
    first = find(case, answer(case), signature, COMPARATOR)
    assert first is not None
    return drive(regrade([first], [(old, old)], widget_shape(), COMPARATOR, no_repairs), ask), asked


def test_an_error_that_a_request_can_have_may_hide_a_check_too() -> None:
    """The rename is refused before it is validated; the finalizers are not, and make the check return as early."""
    found = renamed("finalizers")[0].sighting
    assert found is not None
    assert ("", "a") == (found.answer.unreachable, found.case.object["metadata"]["name"])
    assert "finalizers" in found.case.object["metadata"]


def test_what_was_tried_in_place_of_a_refused_change_is_told() -> None:
    """No other error of metadata hides this check."""
    found, asked = renamed("unknown")
    assert found.sighting is None
    assert "other errors in place of that on metadata.name, 0 show it to a request" in found.note
    assert any(one.object["metadata"]["name"] == "a" for one in asked)
