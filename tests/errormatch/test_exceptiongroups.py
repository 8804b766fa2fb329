"""Exceptions for a group: wide in kinds, versions and operations; cause, side, type and every rule are named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.errormatch.exceptionedit import render
from harness.errormatch.exceptionentry import GroupRule, parse_rule, rule_of
from harness.errormatch.exceptionfile import ExceptionOutcome
from tests.errormatch.test_exceptionfile import ENTRY, complaints, read, text

GROUP = """\
- suite: kubernetes
  place: k8s.io/api/core.PodSpec
  cause: ratcheting
  side: handwritten
  rules:
    - ports[*].name FieldValueInvalid/format=dns-label unmatched graduation
    - nodeName FieldValueRequired unmatched visible
    - '* FieldValueDuplicate/* unmatched shadow'
  reason: the handwritten check looks at what did not change
  owner: sig-node
  until: 2027-01-31
"""


class Met(msgspec.Struct, frozen=True):
    """A finding, as far as an exception for a group looks at it."""

    owner: str = "k8s.io/api/core.PodSpec"
    cause: str = "ratcheting"
    side: str = "handwritten"
    member: str = "ports[*].name"
    type: str = "FieldValueInvalid"
    origin: str = "format=dns-label"
    mismatch: str = "unmatched"
    severity: str = "graduation"
    kind: str = "Deployment"
    path: str = "spec.template.spec.ports[*].name"
    exception: str | None = None
    version: str = "v1"


def apply(tmp_path: Path, *findings: Met) -> ExceptionOutcome[Met]:
    return read(tmp_path, GROUP).apply(findings, "kubernetes")


TOLERATED = [
    Met(),
    Met(kind="Pod", path="spec.ports[*].name"),
    Met(severity="shadow"),
    Met(member="nodeName", type="FieldValueRequired", origin="", severity="visible"),
    Met(member="anything", type="FieldValueDuplicate", origin="any", severity="unreachable"),
]


@pytest.mark.parametrize("finding", TOLERATED, ids=str)
def test_a_rule_speaks_of_every_kind_that_holds_the_type(tmp_path: Path, finding: Met) -> None:
    """Kind and path are open, and a milder severity is tolerated."""
    outcome = apply(tmp_path, finding)
    assert ((), 1) == (outcome.beyond, len(outcome.used))


NEW = {
    "a new cause": Met(cause="no-rule"),
    "the other side": Met(side="declarative"),
    "a new type": Met(owner="k8s.io/api/core.PodStatus"),
    "a new field": Met(member="hostname"),
    "a new type of error": Met(type="FieldValueRequired"),
    "a new origin": Met(origin="format=k8s-short-name"),
    "a new sort of mismatch": Met(mismatch="served"),
    "a worse severity": Met(severity="verdict"),
    "a worse severity of a wide rule": Met(type="FieldValueDuplicate", severity="visible"),
    "a severity that only another rule names": Met(member="nodeName", type="FieldValueRequired", origin="",
                                                   severity="graduation"),
}  # fmt: skip


@pytest.mark.parametrize("finding", NEW.values(), ids=NEW)
def test_anything_new_breaks_through(tmp_path: Path, finding: Met) -> None:
    """What the entry does not name is beyond it."""
    assert (finding,) == apply(tmp_path, finding).beyond


MISTAKES = [
    ("ports[*].name FieldValueInvalid", "6: exception-rule: this is not a rule: 'ports[*].name FieldValueInvalid'"),
    ("name FieldValueInvalid unmatched graduatoin", "did you mean graduation?"),
    ("name FieldValueInvalid unmatchd graduation", "did you mean unmatched?"),
    ("name FieldValueInvalit unmatched graduation", "did you mean FieldValueInvalid?"),
    ("name Field* unmatched graduation", "type contains a single *: 'Field*'"),
    ("'* * * graduation'", "exception-wide: member, type, origin, mismatch are open"),
    ("spec.* FieldValueInvalid unmatched graduation", "member contains a single *: 'spec.*'"),
    ("nodeName FieldValueRequired unmatched visible", "exception-rule: the entry has the rule twice"),
    ("{a: b}", "rules has an item that is not a text"),
]


@pytest.mark.parametrize(("rule", "expected"), MISTAKES)
def test_mistakes_in_a_rule(tmp_path: Path, rule: str, expected: str) -> None:
    """Every mistake is a diagnostic with the line of the rule and a fix."""
    wrong = GROUP.replace("ports[*].name FieldValueInvalid/format=dns-label unmatched graduation", rule)
    assert expected in "\n".join(complaints(tmp_path, wrong))


OTHERS = [
    ("place: k8s.io/api/core.PodSpec", "place: '*'", "2: exception-wide: place is open"),
    ("suite: kubernetes", "suite: '*'", "exception-wide: suite is open"),
    ("cause: ratcheting", "cause: ratchetting", "did you mean ratcheting?"),
    ("side: handwritten", "side: hand", "side is one of handwritten, declarative, both"),
    ("  reason: ", "  kind: Pod\n  reason: ", "unknown key 'kind'"),
    ("place: k8s.io/api/core.PodSpec", "place: [a.B, a.B]", "place has 'a.B' twice"),
    ("place: k8s.io/api/core.PodSpec", "place: ['a.B, a.C']", "'a.B, a.C' is not a Go type"),
    ("place: k8s.io/api/core.PodSpec", "place: []", "place must be a list of texts"),
    ("cause: ratcheting", "cause: [masked, ratchetting]", "3: exception-value: unknown cause 'ratchetting'"),
    ("owner: sig-node", "owner: ''", "owner is empty"),
]


@pytest.mark.parametrize(("old", "new", "expected"), OTHERS)
def test_mistakes_in_a_group(tmp_path: Path, old: str, new: str, expected: str) -> None:
    """What a group speaks of is named, and its keys are its own."""
    assert expected in "\n".join(complaints(tmp_path, GROUP.replace(old, new)))


def test_rules_must_be_a_list(tmp_path: Path) -> None:
    """A text and an empty list are not lists of rules."""
    head, _, rest = GROUP.partition("rules:\n")
    tail = rest[rest.index("  reason") :]
    for value in ("x", "[]"):
        assert "rules must be a list of texts" in complaints(tmp_path, f"{head}rules: {value}\n{tail}")[0]


def test_a_group_has_one_entry(tmp_path: Path) -> None:
    """Two entries with the same cause, side and type are an error, whatever their rules are."""
    other = GROUP.replace("nodeName", "hostname")
    assert "12: exception-twice" in complaints(tmp_path, GROUP + other)[0]
    assert 2 == len(read(tmp_path, GROUP + GROUP.replace("ratcheting", "no-rule")).entries)


def test_the_id_of_a_group_outlives_its_rules(tmp_path: Path) -> None:
    """Rules come and go; the entry stays the same."""
    fewer = GROUP.replace("    - nodeName FieldValueRequired unmatched visible\n", "")
    assert read(tmp_path, GROUP).entries[0].id == read(tmp_path, fewer).entries[0].id
    assert ["graduation", "graduation"] == [read(tmp_path, one).entries[0].severity for one in (GROUP, fewer)]


@pytest.mark.parametrize(
    "finding",
    [Met(), Met(member="", type="", origin=""), Met(member="[*]"), Met(origin="a/b/c"), Met(member="a[*].{b, c}")],
    ids=str,
)
def test_a_rule_is_written_and_read(finding: Any) -> None:
    """The line of a finding tolerates that finding."""
    rule = rule_of(finding)
    assert rule is not None
    assert parse_rule(str(rule)) == rule
    assert rule.tolerates(finding)


@pytest.mark.parametrize(
    "finding",
    [Met(member="a b"), Met(member="{a b"), Met(origin="a b"), Met(type="a/b"), Met(member="-")],
    ids=str,
)
def test_a_name_with_a_space_is_not_a_rule(finding: Any) -> None:
    """It would be read as two names, unless it is in braces."""
    assert rule_of(finding) is None


WIDE = """\
- suite: kubernetes
  place:
  - k8s.io/api/core.PodSpec
  - k8s.io/api/core.Container
  cause: [masked, no-rule]
  side: [handwritten, declarative]
  rules:
  - ports[*].name * * graduation
  - '* FieldValueInvalid/* unmatched shadow'
  reason: validateContainers stops at the first container that has an error
  owner: sig-node
  until: 2027-01-31
"""
SPOKEN_OF = [
    (Met(cause="masked"), True),
    (Met(cause="no-rule", owner="k8s.io/api/core.Container", side="declarative"), True),
    (Met(cause="masked", type="FieldValueRequired", origin="", mismatch="extra"), True),
    (Met(cause="masked", member="x", severity="shadow"), True),
    (Met(cause="masked", member="x", severity="visible"), False),
    (Met(cause="masked", member="x", severity="shadow", mismatch="extra"), False),
    (Met(cause="ratcheting"), False),
    (Met(cause="masked", owner="k8s.io/api/core.Pod"), False),
]


@pytest.mark.parametrize(("finding", "spoken_of"), SPOKEN_OF, ids=str)
def test_an_entry_may_speak_of_a_root_cause(tmp_path: Path, finding: Met, spoken_of: bool) -> None:
    """Of several types and causes, on any side, whatever the type of the error: what it names still counts."""
    assert spoken_of == (() == read(tmp_path, WIDE).apply([finding], "kubernetes").beyond)


def test_the_order_of_a_list_does_not_matter(tmp_path: Path) -> None:
    """The id of an entry is that of the same entry with its types in another order, and is written as it was."""
    other = WIDE.replace("[masked, no-rule]", "[no-rule, masked]")
    [one], [same] = read(tmp_path, WIDE).entries, read(tmp_path, other).entries
    assert (one.id, ("masked", "no-rule")) == (same.id, same.values("cause"))
    assert [one.scope] == [entry.scope for entry in read(tmp_path, render(one)).entries]


@pytest.mark.parametrize(("member", "tolerated"), [("ports[*].name", True), ("nodeName", False), ("hostname", False)])
def test_a_finding_without_an_explanation_is_matched_by_the_rest(tmp_path: Path, member: str, tolerated: bool) -> None:
    """There was no time to find its cause: side, type, member, error and mismatch decide, and the severity."""
    found = Met(cause="not-explained", member=member)
    assert tolerated == (() == apply(tmp_path, found).beyond)


def test_a_witness_is_matched_without_cause_and_severity(tmp_path: Path) -> None:
    """Both are not known from an answer alone."""
    [one] = read(tmp_path, GROUP).entries
    assert one.matches_finding(Met(cause="", severity="verdict"))
    assert not one.matches_finding(Met(cause="", side="declarative"))
    assert not one.matches_finding(Met(cause="", member="hostname"))


@pytest.mark.parametrize("said", ["sometimes", "within 400000 cases of 1.37.1", "whatever"])
def test_occurs_of_older_files_is_ignored(tmp_path: Path, said: str) -> None:
    """It is read, and reported in one note with the first line."""
    file = read(tmp_path, GROUP + f"  occurs: {said}\n" + text({**ENTRY, "occurs": said}))
    [note] = file.notes
    assert ("exception-ignored", 12, "occurs is ignored, here and in 1 more") == (
        note.code, note.position.line, note.message,
    )  # fmt: skip
    assert () == read(tmp_path, GROUP).notes


def test_rules_are_sorted_by_name() -> None:
    """The order of a file does not depend on when a rule was added."""
    rule = GroupRule("a", "T", "", "extra", "shadow")
    assert [rule, replace(rule, member="b")] == sorted([replace(rule, member="b"), rule])


def test_a_group_may_be_for_one_version(tmp_path: Path) -> None:
    """Its type is in every version, and only this one is tolerated; it is written as it is read."""
    file = read(tmp_path, GROUP.replace("  reason:", "  version: v1beta1\n  reason:"))
    outcome = file.apply((Met(), Met(version="v1beta1")), "kubernetes")
    (entry,) = outcome.used
    assert [None, entry.id] == [one.exception for one in outcome.findings]
    assert "k8s.io/api/core.PodSpec of v1beta1, 3 rules" == entry.about
    (again,) = read(tmp_path, render(entry)).entries
    assert (entry.id, entry.scope) == (again.id, again.scope)
