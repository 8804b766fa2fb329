"""The search for rows: what is shown of a rule is what the target answered, at its limit and near the valid object."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.case import Json, Operation
from harness.diagnostics import UsageError
from harness.export.asker import find_resource
from harness.export.rows import Table, TableRow
from harness.export.rowsearch import tabulate_rules
from harness.fuzzers.repair import is_accepted
from harness.rulecov.inventory import inventory_of
from harness.subject import Subject, SubjectSpec, open_subject
from harness.subject.opening import api_of

ROOT = Path(__file__).parent.parent.parent
SPEC = SubjectSpec("suite", str(ROOT / "suites" / "claim_v1"))


@pytest.fixture(scope="module")
def claims() -> Iterator[Subject]:
    """The suite of claims."""
    with open_subject(SPEC) as subject:
        yield subject


def table(subject: Subject, field: str, kind: str = "claims") -> Table:
    """The table of a field."""
    api = api_of(subject.spec)
    assert api is not None
    return tabulate_rules(subject, inventory_of(api), find_resource(subject, kind)[0], field, subject.spec.mode)


def named(found: Table) -> dict[str, TableRow]:
    """Rows by name."""
    return {row.name: row for row in found.rows}


def said(row: TableRow) -> list[tuple[str, str]]:
    """What both sides say, once: field and origin."""
    answer = row.answers[row.info.version]
    return sorted({(error.field, error.origin) for error in (*answer.declarative, *answer.handwritten)})


def test_a_limit_is_shown_from_both_sides(claims: Subject) -> None:
    """One item below the limit and at it are accepted, one more is rejected, and nothing else is wrong with it."""
    rows = named(table(claims, "spec.requests"))
    sizes = {
        name: (len(rows[name].new["spec"]["requests"]), said(rows[name]))
        for name in rows if name.startswith("spec.requests: maxItems 6:") and "update" not in name
    }  # fmt: skip
    assert {
        "spec.requests: maxItems 6: inside the limit, 5 items": (5, []),
        "spec.requests: maxItems 6: at the limit, 6 items": (6, []),
        "spec.requests: maxItems 6: beyond the limit, 7 items": (7, [("spec.requests", "maxItems")]),
    } == sizes


def test_numbers_and_units(claims: Subject) -> None:
    """A number is tried at its minimum and at its maximum."""
    rows = named(table(claims, "spec.requests"))
    values = {
        row.new["spec"]["requests"][0].get("count"): bool(said(row))
        for name, row in rows.items() if name.startswith("spec.requests[*].count: m") and row.operation == "create"
    }  # fmt: skip
    assert values
    assert all(isinstance(value, int) for value in values)
    assert {True, False} == set(values.values())


def test_rows_are_near_the_valid_object(claims: Subject) -> None:
    """What a rule does not need is as it is in the valid object."""
    found = table(claims, "spec.class")
    rows = named(found)
    accepting = rows["spec.class: format=k8s-long-name: accepted"].new
    assert {**found.base["spec"], "class": accepting["spec"]["class"]} == accepting["spec"]
    assert is_accepted(rows["valid"].answers["v1"])


def test_updates_of_every_sort(claims: Subject) -> None:
    """A field is set, unset, set wrongly and left wrong by updates, each with the answer of the target."""
    rows = [row for row in table(claims, "spec.class").rows if row.operation is Operation.UPDATE]

    def value(obj: Json) -> str:
        return "set" if obj["spec"].get("class") else "unset"

    assert {("unset", "set"), ("set", "unset"), ("set", "set")} <= {(value(row.old), value(row.new)) for row in rows}
    assert all(row.answers for row in rows)


def test_what_is_not_reached_is_told(claims: Subject) -> None:
    """A rule that holds under another gate only is named with the gate."""
    missing = [str(one) for one in table(claims, "spec.priority").missing]
    assert [
        "spec.priority: forbidden: rejected: the rule holds only with ClaimPriority=false; add --gates"
    ] == [text for text in missing if "forbidden" in text]  # fmt: skip


def test_the_same_again(claims: Subject) -> None:
    """The same target gives the same table."""
    assert table(claims, "spec.class") == table(claims, "spec.class")


def test_a_field_without_rules(claims: Subject) -> None:
    """A misspelt field is answered with the near miss; a kind that is not there too."""
    with pytest.raises(UsageError, match=r"has no field spec\.clas,(.|\n)*spec\.class"):
        table(claims, "spec.clas")
    with pytest.raises(UsageError, match=r"serves no clain\n(.|\n)*claim"):
        table(claims, "", "clain")


def test_a_field_of_an_item_is_a_field_of_every_item(claims: Subject) -> None:
    """The path of an error, copied from a report, names the field as well as the path of its rule."""
    assert table(claims, "spec.requests[*].count") == table(claims, "spec.requests[0].count")


def test_a_field_without_tags() -> None:
    """Of a field that no rule speaks of yet, each answer gets the nearest object that has something there."""
    with open_subject(SubjectSpec("suite", str(ROOT / "examples" / "migration"))) as subject:
        found = table(subject, "spec.paused", "backups")
    row = named(found)["spec.paused: accepted"]
    others = {name: value for name, value in row.new["spec"].items() if name != "paused"}
    assert (found.base["spec"], True, []) == (others, "paused" in row.new["spec"], said(row))
