"""Which field a finding belongs to, and when the base's own findings are the change's."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.compare.finding import Finding
from harness.diagnostics import Position
from harness.report.model.assembly import build_report
from harness.report.model.verification import RevisionEntry, Verification
from harness.verify import replaying
from harness.verify.change import (
    Change,
    FieldPath,
    KindName,
    Reason,
    Revision,
    RuleChange,
    RuleState,
    TouchedField,
    TouchedKind,
)
from harness.verify.replaying import BaseFindings, is_no_worse, replay_on_base
from harness.verify.verdict import SearchEvidence, add_verdict, claims_agreement, field_names, findings_without_field
from tests.engine.test_run import search
from tests.engine.toys import ToySpec, ToySubject
from tests.report import made
from tests.verify.test_userchanges import read

KIND = KindName("g", "v1", "T")
V2 = KindName("g", "v2", "T")
FINDING = read((), ()).finding


def field(name: str, path: str, kind: KindName = KIND) -> TouchedField:
    """Make a touched field."""
    return TouchedField("example/v1.Spec", name, path, (FieldPath(kind, path),), ())


FIELDS = (field("Ports", "spec.ports"), field("Name", "spec.ports[*].name"), field("Old", "spec.old", V2))
CHANGE = Change(Path(), "suites", Revision("a", "1"), Revision("b", "2"), (), fields=FIELDS)


def at(path: str) -> Finding:
    """Make a finding at a path."""
    return msgspec.structs.replace(FINDING, path=path)


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("spec.ports[*].name", ("Spec.Name",)),
        ("spec.ports[*].port", ("Spec.Ports",)),
        ("spec.ports", ("Spec.Ports",)),
        ("spec", ("Spec.Ports", "Spec.Name")),
        ("spec.portsets", ()),
        ("spec.old", ()),
        ("metadata.name", ()),
    ],
)
def test_a_finding_belongs_to_the_nearest_field(path: str, names: tuple[str, ...]) -> None:
    """At the field or below it, else at what is around it; names that only begin alike and other versions are not."""
    assert names == field_names(CHANGE, at(path))
    assert (not names) == bool(findings_without_field(CHANGE, [at(path)]))


@pytest.mark.parametrize(
    ("head", "base", "known"),
    [("shadow", "shadow", True), ("shadow", "verdict", True), ("verdict", "shadow", False), ("shadow", None, False)],
)
def test_what_got_worse_is_the_changes_own(head: str, base: str | None, known: bool) -> None:
    """The base has it too and nobody noticed: with the change somebody does."""
    finding = msgspec.convert({**msgspec.to_builtins(FINDING), "severity": head}, Finding)
    assert known is is_no_worse(finding, base)


def test_a_raised_level_answers_for_its_own_rule() -> None:
    """Of two rules of a field one is raised: what the base has about the other is still the base's."""
    reason = Reason("tags", "level raised", "", Position("types.go"))
    touched = replace(FIELDS[0], reasons=(reason,))
    states = [RuleState("", "FieldValueInvalid", "immutable", level, "k8s:immutable") for level in ("alpha", "beta")]
    rule = RuleChange("spec.ports", "level raised", *states)
    change = replace(CHANGE, fields=(touched,), kinds=(TouchedKind(KIND, ("spec.ports",), (rule,)),))
    found = msgspec.structs.replace(at("spec.ports"), type="FieldValueInvalid")
    about = [msgspec.structs.replace(found, origin=origin) for origin in ("immutable", "format")]
    assert [True, False] == [claims_agreement(change, one) for one in about]
    assert claims_agreement(replace(change, kinds=()), about[1])
    assert not claims_agreement(replace(change, fields=(FIELDS[0],)), about[0])


def test_what_there_was_no_time_to_compare_is_not_called_new() -> None:
    """It is told apart, and the verdict is that somebody has to look again."""
    report = build_report(made.result(made.finding("a" * 12, path="spec.ports"), made.finding("b" * 12)))
    told = Verification(RevisionEntry("a", "1", ""), RevisionEntry("b", "2", ""), "suites")
    result = add_verdict(report, CHANGE, SearchEvidence(uncompared={"a" * 12, "b" * 12}), told)
    assert result.verification is not None
    assert ("incomplete", (), 2) == (result.verdict, result.verification.elsewhere, len(result.verification.uncompared))
    [sentence] = result.verification.unsearched
    assert "2 findings not compared with the base: budget" in sentence
    assert "different" == add_verdict(report, CHANGE, SearchEvidence(uncompared={"a" * 12}), told).verdict


def test_the_base_is_asked_as_long_as_there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left is neither new nor known."""
    subject: Any = ToySubject(ToySpec())
    result = search(600)
    monkeypatch.setattr(replaying, "open_subject", lambda spec, note: nullcontext(subject))
    found: Any = [(result, ToySpec())]
    names = {one.fingerprint for one in result.findings if one.case.object is not None}
    assert (names, frozenset()) == (set(replay_on_base(found, None, print, lambda: False).known), frozenset())
    assert BaseFindings({}, frozenset(names)) == replay_on_base(found, None, print, lambda: True)
