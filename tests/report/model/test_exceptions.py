"""Witnesses created from reports: the smallest case for each rule, and the same file for the same cases."""

from __future__ import annotations

from typing import Any

import msgspec

from harness.case import Case, Operation
from harness.errormatch.witness import Witness, encode
from harness.report.model.assembly import build_report
from harness.report.model.document import Reach, Report
from harness.report.model.exceptions import (
    create_group_exception,
    create_witness,
    find_witness_cases,
    rules_without_case,
    split_witness,
)
from harness.report.model.grouping import group
from tests.report import made
from tests.report.model.test_tolerance import WORDS

OWNER = "example.io/widgets.Spec"


def found(member: str, size: int, fingerprint: str = "0" * 12, **more: Any) -> Any:
    """Return a finding on a member, with an object of this size."""
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


ENTRY = create_group_exception(
    group(report(found("size", 1), found("color", 1, "1" * 12)).findings)[0], report(found("size", 1)), WORDS
)


def objects(witness: Witness | None) -> list[Any]:
    assert witness is not None
    return [case.object for case in witness.cases]


def test_the_smallest_case_of_a_rule_is_its_witness() -> None:
    """It is the smallest of all reports and of the present witness."""
    large, small = report(found("size", 9), found("color", 2)), report(found("size", 3))
    first = create_witness(ENTRY, "widgets_v1", find_witness_cases(large, ENTRY))
    assert [{"kind": "Widget", "spec": {"color": "aa"}}, {"kind": "Widget", "spec": {"size": "a" * 9}}] == objects(
        first
    )
    both = create_witness(ENTRY, "widgets_v1", [*split_witness(first), *find_witness_cases(small, ENTRY)])
    assert [{"kind": "Widget", "spec": {"color": "aa"}}, {"kind": "Widget", "spec": {"size": "aaa"}}] == objects(both)
    assert both == create_witness(ENTRY, "widgets_v1", [*split_witness(both), *find_witness_cases(large, ENTRY)])


def test_one_case_may_show_several_rules() -> None:
    """The case is in the file once, with all rules that it shows."""
    shared = found("size", 1).case
    witness = create_witness(
        ENTRY,
        "widgets_v1",
        find_witness_cases(report(found("size", 1), msgspec.structs.replace(found("color", 1), case=shared)), ENTRY),
    )
    assert witness is not None
    [case] = witness.cases
    assert {"size", "color"} == {one.member for one in case.shows}
    assert [] == list(rules_without_case(ENTRY, witness))


def test_an_unexplained_finding_is_not_a_witness() -> None:
    """It is tolerated, but it may have another cause."""
    unsure = report(found("size", 1, cause="not-explained"))
    assert ENTRY.tolerates(unsure.findings[0], "widgets_v1")
    assert [] == find_witness_cases(unsure, ENTRY)


def test_a_rule_without_a_case_has_no_witness() -> None:
    """This applies to a whole entry, and to a single rule of it."""
    assert create_witness(ENTRY, "widgets_v1", find_witness_cases(report(), ENTRY)) is None
    assert 2 == len(rules_without_case(ENTRY, None))
    only = create_witness(ENTRY, "widgets_v1", find_witness_cases(report(found("size", 1)), ENTRY))
    assert ["color FieldValueInvalid unmatched graduation"] == list(rules_without_case(ENTRY, only))


def test_cases_under_default_gates_are_preferred() -> None:
    """They are preferred to smaller cases, because most runs use the default gates."""
    gated, plain = report(found("size", 1), gates={"Wide": True}), report(found("size", 5))
    witness = create_witness(
        ENTRY, "widgets_v1", [*find_witness_cases(gated, ENTRY), *find_witness_cases(plain, ENTRY)]
    )
    assert witness is not None
    assert [{}] == [case.gates for case in witness.cases]


def test_only_cases_of_the_newest_release_are_kept() -> None:
    """A witness is replayed on one release, so cases of two releases cannot be mixed."""
    old, new = report(found("size", 1), release="1.9.2"), report(found("size", 5), release="1.10.0")
    witness = create_witness(ENTRY, "widgets_v1", [*find_witness_cases(old, ENTRY), *find_witness_cases(new, ENTRY)])
    assert witness is not None
    assert ("1.10.0", [{"kind": "Widget", "spec": {"size": "aaaaa"}}]) == (witness.release, objects(witness))


def test_a_file_is_the_same_for_the_same_cases() -> None:
    """The order of findings in a report, and of keys in an object, does not matter."""
    one, other = found("size", 1), found("color", 1)
    turned = [
        msgspec.structs.replace(f, case=msgspec.structs.replace(f.case, object=dict(reversed(f.case.object.items()))))
        for f in (other, one)
    ]
    first = create_witness(ENTRY, "widgets_v1", find_witness_cases(report(one, other), ENTRY))
    second = create_witness(ENTRY, "widgets_v1", find_witness_cases(report(*turned), ENTRY))
    assert first is not None
    assert second is not None
    assert encode(first) == encode(second)
    assert encode(first).endswith(b"}\n")
