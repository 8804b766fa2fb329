"""Findings that one rule explains are told together."""

from __future__ import annotations

from typing import Any

import pytest

from harness.case import Operation
from harness.reporting.document import build_report
from harness.reporting.grouping import group, tail
from tests.reporting import made


def groups(*findings: Any) -> list[tuple[str, str, int]]:
    """Cause, path and size of each group."""
    made_report = build_report(made.result(*findings))
    return [(one.cause, one.path, len(one.findings)) for one in group(made_report.findings)]


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
