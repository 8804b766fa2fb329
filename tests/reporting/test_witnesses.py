"""Witnesses made of reports: the smallest case for each rule, and the same file for the same cases."""

from __future__ import annotations

from typing import Any

import msgspec

from harness.case import Case, Operation
from harness.errormatch.witness import Witness, encode
from harness.reporting.assembly import build_report
from harness.reporting.document import Reach, Report
from harness.reporting.exceptions import group_entry
from harness.reporting.grouping import group
from harness.reporting.witnesses import held_by, seen_in, unseen, witness_of
from tests.reporting import made
from tests.reporting.test_tolerance import WORDS

OWNER = "example.io/widgets.Spec"


def found(member: str, size: int, fingerprint: str = "0" * 12, **more: Any) -> Any:
    """A finding on a member, with an object of some size."""
    case = Case(
        1,
        "example.io",
        "v1",
        "Widget",
        Operation.CREATE,
        {"kind": "Widget", "spec": {member: "a" * size}},
        None,
        "widgets",
    )
    values = {"cause": "ratcheting", **more}
    return made.finding(fingerprint, owner=OWNER, member=member, path=f"spec.{member}", case=case, **values)


def report(*findings: Any, gates: dict[str, bool] | None = None, release: str = "") -> Report:
    target = msgspec.structs.replace(made.result().target, release=release)
    result = made.result(*findings, target=target)
    return build_report(result, reaches={"widgets_v1": Reach("suite", "x", gates or {})})


ENTRY = group_entry(
    group(report(found("size", 1), found("color", 1, "1" * 12)).findings)[0], report(found("size", 1)), WORDS
)


def objects(witness: Witness | None) -> list[Any]:
    assert witness is not None
    return [case.object for case in witness.cases]


def test_the_smallest_case_stands_for_a_rule() -> None:
    """Of several reports, and of what the witness has already."""
    large, small = report(found("size", 9), found("color", 2)), report(found("size", 3))
    first = witness_of(ENTRY, "widgets_v1", seen_in(large, ENTRY))
    assert [{"kind": "Widget", "spec": {"color": "aa"}}, {"kind": "Widget", "spec": {"size": "a" * 9}}] == objects(
        first
    )
    both = witness_of(ENTRY, "widgets_v1", [*held_by(first), *seen_in(small, ENTRY)])
    assert [{"kind": "Widget", "spec": {"color": "aa"}}, {"kind": "Widget", "spec": {"size": "aaa"}}] == objects(both)
    assert both == witness_of(ENTRY, "widgets_v1", [*held_by(both), *seen_in(large, ENTRY)])


def test_one_case_may_show_several_rules() -> None:
    """It stands in the file once, with all that it shows."""
    shared = found("size", 1).case
    witness = witness_of(
        ENTRY,
        "widgets_v1",
        seen_in(report(found("size", 1), msgspec.structs.replace(found("color", 1), case=shared)), ENTRY),
    )
    assert witness is not None
    [case] = witness.cases
    assert {"size", "color"} == {one.member for one in case.shows}
    assert [] == list(unseen(ENTRY, witness))


def test_what_was_not_explained_is_no_witness() -> None:
    """It is tolerated, by what is certain of it, and may be of another cause."""
    unsure = report(found("size", 1, cause="not-explained"))
    assert ENTRY.tolerates(unsure.findings[0], "widgets_v1")
    assert [] == seen_in(unsure, ENTRY)


def test_what_no_report_shows_has_no_witness() -> None:
    """An entry, or a single rule of it."""
    assert witness_of(ENTRY, "widgets_v1", seen_in(report(), ENTRY)) is None
    assert 2 == len(unseen(ENTRY, None))
    only = witness_of(ENTRY, "widgets_v1", seen_in(report(found("size", 1)), ENTRY))
    assert ["color FieldValueInvalid unmatched graduation"] == list(unseen(ENTRY, only))


def test_the_gates_as_they_are_by_default_come_first() -> None:
    """Whatever the size: most runs ask under them."""
    gated, plain = report(found("size", 1), gates={"Wide": True}), report(found("size", 5))
    witness = witness_of(ENTRY, "widgets_v1", [*seen_in(gated, ENTRY), *seen_in(plain, ENTRY)])
    assert witness is not None
    assert [{}] == [case.gates for case in witness.cases]


def test_the_newest_release_counts() -> None:
    """Cases of another one cannot be asked together with its own."""
    old, new = report(found("size", 1), release="1.9.2"), report(found("size", 5), release="1.10.0")
    witness = witness_of(ENTRY, "widgets_v1", [*seen_in(old, ENTRY), *seen_in(new, ENTRY)])
    assert witness is not None
    assert ("1.10.0", [{"kind": "Widget", "spec": {"size": "aaaaa"}}]) == (witness.release, objects(witness))


def test_a_file_is_the_same_for_the_same_cases() -> None:
    """In whatever order reports have them, and keys of objects stand."""
    one, other = found("size", 1), found("color", 1)
    turned = [
        msgspec.structs.replace(f, case=msgspec.structs.replace(f.case, object=dict(reversed(f.case.object.items()))))
        for f in (other, one)
    ]
    first = witness_of(ENTRY, "widgets_v1", seen_in(report(one, other), ENTRY))
    second = witness_of(ENTRY, "widgets_v1", seen_in(report(*turned), ENTRY))
    assert first is not None
    assert second is not None
    assert encode(first) == encode(second)
    assert encode(first).endswith(b"}\n")
