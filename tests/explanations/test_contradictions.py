"""Sentences of findings are held against the findings: each planted contradiction is found, and no true sentence is."""

from __future__ import annotations

from typing import Any

import pytest

from harness.case import Answer, Case, Operation
from harness.compare.finding import Finding
from harness.field import FieldError
from tests.explanations.claims import CLAIMS
from tests.explanations.contradictions import hold
from tests.report import made

OWN, OTHER = "0" * 12, "1" * 12
CHECK = made.error(covered=True)
RULE = made.error()
ELSE = FieldError("FieldValueRequired", "spec.mode", "")


def said(handwritten: tuple[FieldError, ...] = (), declarative: tuple[FieldError, ...] = (), **more: Any) -> Answer:
    """The answer of a finding."""
    return Answer(1, handwritten=handwritten, declarative=declarative, **more)


def told(*more: Finding, **own: Any) -> list[str]:
    """Hold a finding with these fields, and others beside it; return what contradicts its sentences."""
    values: dict[str, Any] = {"detail": "", "fix": "", "certainty": "experiment", **own}
    found = hold([made.finding(OWN, **values), *more])
    assert all(one.claim for one in found if one.fingerprint == OWN), found
    return [one.contradiction for one in found if one.fingerprint == OWN and one.contradiction]


LOUD: dict[str, Any] = {"side": "declarative", "mismatch": "extra", "answer": said((), (RULE,))}
CREATE: dict[str, Any] = {
    "operation": "create",
    "case": Case(
        1, "example.io", "v1", "Widget", Operation.CREATE, {"spec": {"size": 3, "name": "a"}}, None, "widgets"
    ),
}
SAID_BY_BOTH = said((CHECK,), (RULE,))
BOTH = made.finding(OTHER, detail="", path="spec.name", answer=SAID_BY_BOTH)
PLANTED: list[tuple[str, dict[str, Any], list[Finding]]] = [
    ("for no value", {"detail": "the declarative side reports it for none of the 9 other values"}, [BOTH]),
    ("for no value", {**LOUD, "detail": "the handwritten side reports it for none of the 2 other values"}, [BOTH]),
    ("in this one", {"detail": "for none of the 2 other values tried in this one", "answer": SAID_BY_BOTH}, []),
    ("no origin", {"detail": "both errors lack an origin"}, []),
    ("no rules", {"detail": "v1 has no declarative validation at all: no rule of it was generated"}, [BOTH]),
    ("no rules", {"detail": "v1 has no declarative validation at all: no rule of it", "rule_source": "t.go:1"}, []),
    (
        "no rules of another version",
        {"detail": "v2 has no declarative validation at all"},
        [made.finding(OTHER, detail="", answer=said(versions={"v2": (RULE,)}))],
    ),
    (
        "one version",
        {**LOUD, "detail": "only the rules of v1 report it, those of v2 do not",
         "answer": said((), (RULE,), versions={"v2": (RULE,)})},
        [],
    ),
    ("as a create", {"detail": "ratchets: as a create both sides agree"}, [made.finding(OTHER, detail="", **CREATE)]),
    ("an empty list", {**LOUD, "detail": "it returned early; without it both sides agree"}, []),
    (
        "a list without the error",
        {**LOUD, "cause": "masked", "detail": "early; without it both sides agree", "answer": said((ELSE,), (RULE,))},
        [made.finding(OTHER, **{**LOUD, **CREATE}, cause="masked", detail="")],
    ),
    ("beside nothing", {"detail": "the check does not run beside spec.one: without that field both sides agree"}, []),
    ("alone", {"detail": "both sides report it for VALUE, and for 3 the declarative side alone (3 other values)"}, []),
    ("no field", {"cause": "wrong-path", "detail": "no field of the type has this path"},
     [made.finding(OTHER, detail="", source="t.go:7", member="size")]),
    ("one limit", {"detail": "at another limit", "experiment": "sizes; then both limits narrowed down"}, []),
    ("severity", {"severity_note": "alone, this error would be of severity shadow"}, []),
    ("none more severely", {"severity_note": "of 2 other objects that got it, 3 show it, none more severely"}, []),
    ("no repair more severely", {"severity_note": "of 2 repairs of errors beside it, 3 show it, none more so"}, []),
    ("not on updates", {**LOUD, "detail": "silent on this update, not even when it changes"}, [BOTH]),
    ("by both sides", {"detail": "reported by both sides"}, []),
    ("no counterpart", {"detail": "no declarative counterpart of it", "answer": said((CHECK,), (RULE,))}, []),
    ("no level", {"detail": "no declarative counterpart with a level of it",
                  "answer": said((CHECK,), (made.error(level="beta"),))}, []),
    ("no request", {"fix": "nothing to do for requests, none of which shows it", "severity": "shadow"}, []),
    ("no experiment", {"experiment": "none: the lists show it"}, []),
]  # fmt: skip


@pytest.mark.parametrize(("own", "others"), [row[1:] for row in PLANTED], ids=[row[0] for row in PLANTED])
def test_a_planted_contradiction_is_found(own: dict[str, Any], others: list[Finding]) -> None:
    """One sentence is untrue of the finding itself or of another one of its kind."""
    assert 1 == len(told(*others, **own))


TRUE: list[dict[str, Any]] = [
    {"detail": "no declarative counterpart with a level of it", "answer": SAID_BY_BOTH},
    {"detail": "no declarative counterpart of it; the declarative side reports it for none of the 9 other values"},
    {"detail": "v1 has no declarative validation at all: no rule of it"},
    {**LOUD, "detail": "only the rules of v1 report it, those of v2 do not",
     "answer": said((), (RULE,), versions={"v2": ()})},
    {"detail": "the declarative side ratchets: as a create both sides agree"},
    {**LOUD, "detail": "it returned early; without it both sides agree", "answer": said((ELSE,), (RULE,))},
    {"detail": "the check does not run beside spec.name: without that field both sides agree"},
    {"detail": "both sides report it for 4, and for 3 the handwritten side alone (3 other values tried)"},
    {"detail": "rejects a value of 3 or more and rejects a value of 5 or more",
     "experiment": "then both limits narrowed down"},
    {"severity_note": "alone, this error would be of severity verdict; of 2 other objects x, 2 show it, none more so"},
    {"certainty": "observed", "experiment": "none: the lists show it"},
    {"fix": "nothing to do for requests, none of which names v1; mend it", "severity": "unreachable"},
    {"fix": "let both report it, or neither; keep the only one"},
]  # fmt: skip


@pytest.mark.parametrize("own", TRUE)
def test_a_sentence_that_nothing_contradicts_is_left_alone(own: dict[str, Any]) -> None:
    """The same words of an answer that fits them, beside a finding of another field."""
    assert [] == told(made.finding(OTHER, detail="", path="spec.name", type="FieldValueRequired"), **own)


def test_a_sentence_that_no_claim_knows_is_listed() -> None:
    """A new sentence with such a word needs a check: it is told, not passed over. Quoted errors claim nothing."""
    finding = made.finding(OWN, detail=f'it is always so; "only this"; {CHECK.text}', fix="never", certainty="remains")
    assert [("detail", "it is always so"), ("fix", "never")] == [(one.text, one.sentence) for one in hold([finding])]


def test_every_claim_is_met_by_a_planted_sentence() -> None:
    """No claim with a check is left untested."""
    planted = [made.finding(OWN, **{"detail": "", **own}) for _, own, _ in PLANTED]
    met = {one.claim for finding in planted for one in hold([finding])}
    assert {one.name for one in CLAIMS if one.contradicted is not None} <= met
