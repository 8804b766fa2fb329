"""Findings that one rule explains are told together."""

from __future__ import annotations

from typing import Any

import pytest

from harness.case import Operation
from harness.reporting.assembly import build_report
from harness.reporting.grouping import group, tail
from tests.reporting import made


def groups(*findings: Any) -> list[tuple[str, str, int]]:
    """Cause, path and size of each group."""
    made_report = build_report(made.result(*findings))
    return [(one.cause, one.place, one.size) for one in group(made_report.findings)]


@pytest.mark.parametrize(
    ("path", "end"),
    [
        ("spec.template.spec.tolerations[*].key", "tolerations[*].key"),
        ("spec.size", "spec.size"),
        ("spec", "spec"),
        ("", ""),
    ],
)
def test_the_end_of_a_path_names_the_shared_type(path: str, end: str) -> None:
    """The last two fields say which type is concerned, wherever it is used."""
    assert end == tail(path)


def test_one_rule_on_two_kinds_is_one_group() -> None:
    """A path that differs only in its beginning is abbreviated; another origin is another rule."""
    assert groups(
        made.finding("a" * 12, path="spec.tolerations[*].key"),
        made.finding("b" * 12, path="spec.template.spec.tolerations[*].key"),
        made.finding("c" * 12, path="spec.tolerations[*].key", origin="format=x"),
    ) == [("no-rule", "….tolerations[*].key", 2), ("no-rule", "spec.tolerations[*].key", 1)]


def test_groups_stand_worst_first_then_largest() -> None:
    """One verdict weighs more than many shadows."""
    assert groups(
        made.finding("a" * 12, severity="shadow", path="a.a"),
        made.finding("b" * 12, severity="shadow", path="a.a"),
        made.finding("c" * 12, severity="verdict", cause="masked", path="b.b"),
        made.finding("d" * 12, severity="shadow", cause="origin", path="c.c"),
    ) == [("masked", "b.b", 1), ("no-rule", "a.a", 2), ("origin", "c.c", 1)]


def test_a_group_is_shown_by_its_worst_and_smallest() -> None:
    """The example of a group is the one that is read fastest."""
    small = made.finding("b" * 12)
    large = made.finding("a" * 12, case=made.finding().case.__class__(
        1, "example.io", "v1", "Widget", Operation.UPDATE, {"spec": {"size": 3, "name": "a" * 90}}, {}, "widgets"
    ))  # fmt: skip
    (one,) = group(build_report(made.result(large, small)).findings)
    assert one.first.fingerprint == "b" * 12


def owned(fingerprint: str, member: str, **more: Any) -> Any:
    """A finding on a member of a type that many kinds share."""
    path = f"metadata.ownerReferences[*].{member}"
    owner = "k8s.io/apimachinery/pkg/apis/meta.OwnerReference"
    return made.finding(fingerprint * 12, path=path, owner=owner, member=member, **more)


def test_rules_of_one_type_with_one_cause_are_one_group() -> None:
    """Whatever kinds hold the type, and wherever: its rules are told together, another cause or side apart."""
    (one, other, third) = group(build_report(made.result(
        owned("a", "name"), owned("b", "kind", kind="Gadget", resource="gadgets"), owned("c", "name"),
        owned("d", "name", cause="masked"), owned("e", "name", side="declarative"),
    )).findings)  # fmt: skip
    assert ("OwnerReference: 2 rules", 3, ("example.io/v1 widgets", "example.io/v1 gadgets")) == (
        one.title, one.size, one.kinds,
    )  # fmt: skip
    assert [("name", "FieldValueInvalid", ""), ("kind", "FieldValueInvalid", "")] == list(one.rules)
    assert {("masked", "OwnerReference.name"), ("no-rule", "OwnerReference.name")} == {
        (each.cause, each.title) for each in (other, third)
    }


def test_the_id_of_a_group_lasts() -> None:
    """It depends on cause, side and type alone: not on findings, their order, or the release of anything."""
    alone = group(build_report(made.result(owned("a", "name"))).findings)
    many = group(build_report(made.result(made.finding("f" * 12), owned("c", "uid"), owned("b", "kind"))).findings)
    assert "g783c354c" == alone[0].id
    assert alone[0].id in [one.id for one in many]
    assert len({one.id for one in many}) == 2
