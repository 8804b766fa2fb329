"""Certificates from results: parts are summed, and findings at the path of a rule count."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.case import Answer, Operation
from harness.compare.finding import Finding
from harness.errormatch.trusted import NO_WORDINGS
from harness.events import KindReport, Result
from harness.field import FieldError
from harness.graduate.after import Effects
from harness.graduate.assembly import RunEvidence
from harness.graduate.document import Certificate
from harness.graduate.empties import LateProbes
from harness.graduate.observer import NAME, Asked, ShownEffect, Watched, WatchedUnit
from harness.rulecov.inventory import Inventory, KnownRule
from tests.graduate.test_observer import CHECK, INFO, KNOWN, RULE, case
from tests.report import made

OTHER = msgspec.structs.replace(
    KNOWN, rule=msgspec.structs.replace(KNOWN.rule, type="FieldValueRequired", origin="", tag="k8s:required")
)


def asked(**counts: Any) -> dict[str, Asked]:
    """What a create and an update were asked: enough for a safe rule but for these counts."""
    usual = {"cases": 9, "accepted": 5, "both": 2, "at_limit": True, "beyond": True, "kept": 1} | counts
    return {name: Asked(name, "v1", "", name, **usual) for name in ("create", "update")}


def result(watched: Watched, *findings: Finding, **changes: Any) -> Result:
    """The result of a run of one kind."""
    kinds = tuple(KindReport(INFO, str(one), 10, 5, has_seed=True) for one in Operation)
    fields = {"kinds": kinds, "findings": findings, "observed": {NAME: (WatchedUnit("t.Toy", {0: watched}),)}}
    return msgspec.structs.replace(made.result(), **{"stopped": "budget", **fields, **changes})


def certificate(*results: Result, rules: tuple[KnownRule, ...] = (KNOWN, OTHER), **fields: Any) -> Certificate:
    """The certificate of the rule."""
    evidence = RunEvidence(results, {"t.Toy": (KNOWN,)}, Inventory(rules), NO_WORDINGS, {}, {}, **fields)
    return next(evidence.certificates())


def finding(
    severity: str = "graduation", error: FieldError = CHECK, answer: Answer | None = None, **changes: Any
) -> Finding:
    """A finding about an error at the path of the rule."""
    one = case("abcd")
    fields = {
        "severity": severity, "group": "toys", "version": "v1", "kind": "Toy", "resource": "toys", "subresource": "",
        "operation": "create", "path": error.field, "type": error.type, "origin": error.origin, "case": one,
        "answer": answer or Answer(1, (error,)), "code": "no-rule", "fingerprint": "1f2e3d4c5b6a",
    }  # fmt: skip
    return msgspec.structs.replace(made.finding(), **{**fields, **changes})


def test_parts_are_summed() -> None:
    """What one part does not show, another may."""
    first = result(Watched(asked(both=0, beyond=False), {}))
    assert "unknown" == certificate(first).verdict
    both = certificate(first, result(Watched(asked(), {})))
    assert ("safe", 18) == (both.verdict, both.asked[0].cases)


def test_a_finding_about_the_error_changes_a_rule() -> None:
    """Its reduced case is the object, whatever the observer met."""
    found = certificate(result(Watched(asked(), {}), finding()))
    change = found.change
    assert change is not None
    assert ("changes", "accepted", "1f2e3d4c5b6a") == (found.verdict, change.effect, change.fingerprint)
    assert "no-rule" == found.findings[0].cause


@pytest.mark.parametrize(("severity", "verdict"), [("visible", "changes"), ("shadow", "safe"), ("unreachable", "safe")])
def test_a_finding_that_the_lists_do_not_show_counts_by_its_severity(severity: str, verdict: str) -> None:
    """Such as a difference between versions."""
    same = Answer(1, (CHECK,), (RULE,))
    found = certificate(result(Watched(asked(), {}), finding(severity, answer=same, mismatch="version")))
    assert verdict == found.verdict
    assert 1 == len(found.findings)


def test_a_finding_about_another_rule_of_the_path_is_left_to_it() -> None:
    """But an error that no rule declares belongs to all rules of its path: its check would be deleted with theirs."""
    required = FieldError("FieldValueRequired", "spec.name", "", covered=True)
    one = result(Watched(asked(), {}), finding(error=required))
    assert "safe" == certificate(one).verdict
    assert "changes" == certificate(one, rules=(KNOWN,)).verdict


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"stopped": "interrupted"}, "run"),
        ({"stopped": "target-lost"}, "run"),
        ({"kinds": (KindReport(INFO, "create", 10, 0, has_seed=False),)}, "kind"),
        ({"kinds": (KindReport(INFO, "create", 10, 5, has_seed=True, error="ValueError"),)}, "kind"),
        ({"observed": {NAME: ()}}, "kind"),
    ],
)
def test_an_incomplete_run_certifies_nothing(changes: dict[str, Any], word: str) -> None:
    """Whatever it has seen before."""
    found = certificate(result(Watched(asked(), {}), **changes))
    assert ("unknown", word) == (found.verdict, found.missing[0].partition(":")[0])


def test_a_version_that_is_not_served_is_unknown() -> None:
    """It is not searched."""
    found = certificate(result(Watched(asked(), {}), observed={NAME: ()}), unserved={"t.Toy"})
    assert ("unknown", "version") == (found.verdict, found.missing[0].partition(":")[0])


def test_updates_with_empty_values_are_evidence() -> None:
    """One that both sides judge otherwise changes the rule, and a path without one leaves it unknown."""
    shown = ShownEffect(Effects("accepted", "beta-on", ("spec.name: Invalid",), ()), case("", "a"), ratcheting=True)
    found = certificate(result(Watched(asked(), {})), late={("t.Toy", 0): [LateProbes([shown])]})
    assert ("changes", {"accepted (ratcheting)": 1}) == (found.verdict, found.effects)
    found = certificate(result(Watched(asked(), {})), late={("t.Toy", 0): [LateProbes(), LateProbes([], {"a.b"})]})
    assert ("unknown", "empty") == (found.verdict, found.missing[0].partition(":")[0])
