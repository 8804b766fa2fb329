"""Rule coverage of a run: the outcomes of observers become entries of the report."""

from __future__ import annotations

from pathlib import Path

import msgspec

from harness.cli.coverage import inventory_in, rule_observers, with_coverage
from harness.field.unaccepted import UNTRIED, ErrorAt, Unaccepted
from harness.report.model.assembly import build_report
from harness.report.model.document import Report
from harness.rulecov.inventory import Inventory, read_inventory
from harness.rulecov.observed import (
    ACCEPTED,
    DECLARATIVE_CREATE,
    DECLARATIVE_UPDATE,
    HANDWRITTEN_UPDATE,
    NAME,
    REJECTED,
    SERVED,
    Observed,
    Sight,
    Uncovered,
)
from harness.subject import SubjectSpec
from tests.report import made
from tests.rulecov.watching import api_of_go, root

GO = root('maximum=3 | A int32 `json:"a"`', 'required | B string `json:"b"`') + (
    '// +k8s:validation-gen=true\ntype U struct {\n\t// +k8s:required\n\tC string `json:"c"`\n}\n'
)


def inventory(tmp_path: Path) -> Inventory:
    """Two rules of a T, one of a U."""
    return read_inventory(api_of_go(tmp_path, GO))


def told(known: Inventory, *parts: tuple[Observed, ...], narrowed: bool = True) -> Report:
    """Return the report of a run whose parts have these outcomes."""
    results = [made.result(observed={NAME: part}) for part in parts]
    return with_coverage(build_report(results), results, {"widgets_v1": known}, narrowed)


def test_the_coverage_of_units_with_one_type_is_merged(tmp_path: Path) -> None:
    """Several resources have the type Scale; the entry has the earliest time."""
    known = inventory(tmp_path)
    name = known.rules[0].type
    observed = (
        Observed(name, {0: Sight(DECLARATIVE_CREATE | REJECTED, 5.0)}),
        Observed(name, {0: Sight(DECLARATIVE_UPDATE | HANDWRITTEN_UPDATE | SERVED, 2.0), 1: Sight(ACCEPTED)}),
    )
    report = told(known, observed, narrowed=False)
    assert [
        ("a", ("create", "update"), ("update",), True, False, 2.0, False, True),
        ("b", (), (), False, True, None, False, True),
        ("c", (), (), False, False, None, False, False),
    ] == [
        (r.path, r.declarative, r.handwritten, r.rejected, r.accepted, r.first, r.unserved, r.asked)
        for r in report.rules
    ]
    assert report.coverage is not None
    assert (3, 2, 1, 1) == tuple(getattr(report.coverage, n) for n in ("declared", "asked", "fired", "accepted"))


def test_a_narrowed_run_has_only_rules_of_selected_kinds(tmp_path: Path) -> None:
    """Rules of other kinds are omitted."""
    known = inventory(tmp_path)
    assert ["a", "b"] == [rule.path for rule in told(known, (Observed(known.rules[0].type, {}),)).rules]


def test_a_rule_that_fired_only_on_given_objects_is_unserved(tmp_path: Path) -> None:
    """Unless another part shows that it fires on served objects."""
    known = inventory(tmp_path)
    name = known.rules[0].type
    as_it_stands = (Observed(name, {0: Sight(DECLARATIVE_CREATE, 1.0)}),)
    served = (Observed(name, {0: Sight(DECLARATIVE_CREATE | SERVED, 1.0)}),)
    assert told(known, as_it_stands).rules[0].unserved
    assert not told(known, as_it_stands, served).rules[0].unserved


def test_errors_without_a_rule_are_listed(tmp_path: Path) -> None:
    """They are sorted and unique."""
    known = inventory(tmp_path)
    errors = tuple(Uncovered("g", "v1", "T", path, "FieldValueRequired", "", 2, "no") for path in ("y", "x"))
    report = told(known, (Observed("t", {}, errors), Observed("t", {}, errors)))
    assert [("x", 4), ("y", 4)] == [(one.path, one.count) for one in report.uncovered]


def test_rules_that_cannot_fire_have_their_reason(tmp_path: Path) -> None:
    """The reason is read from the list for the release of the target."""
    known = inventory(tmp_path)
    rule = msgspec.structs.replace(
        known.rules[0].rule, group="scheduling.k8s.io", version="v1alpha3", kind="CompositePodGroup",
        path="spec.schedulingPolicy.gang", type="FieldValueInvalid", origin="update",
    )  # fmt: skip
    one = Inventory((msgspec.structs.replace(known.rules[0], rule=rule),))
    target = msgspec.structs.replace(made.result().target, release="1.37.1")
    results = [made.result(target=target, observed={NAME: ()})]
    report = with_coverage(build_report(results), results, {"widgets_v1": one}, False)
    assert report.rules[0].cannot.startswith("spec.schedulingPolicy is immutable itself")


def test_rules_that_are_never_run_have_a_reason(tmp_path: Path) -> None:
    """They are of types for which no kind of the target runs declarative validators."""
    known = inventory(tmp_path)
    name = known.rules[0].type
    target = made.result().target
    kind = msgspec.structs.replace(target.kinds[0], type=name, rules=False)
    running = msgspec.structs.replace(kind, resource="others", rules=True)
    for kinds, is_idle in (((kind,), True), ((kind, running), False)):
        results = [made.result(target=msgspec.structs.replace(target, kinds=kinds), observed={NAME: ()})]
        report = with_coverage(build_report(results), results, {"widgets_v1": known}, False)
        assert [is_idle, is_idle, False] == [bool(rule.cannot) for rule in report.rules]


def test_without_types_there_are_no_observers() -> None:
    """Neither are there for a suite that cannot be opened, which is an error when it is opened."""
    assert {} == rule_observers(SubjectSpec("command", "true"))
    assert {} == rule_observers(SubjectSpec("suite", "nowhere"))
    assert inventory_in({}) is None
    result = made.result()
    assert with_coverage(build_report(result), [result], {}, False).coverage is None


def test_a_limit_that_was_not_accepted_has_its_reason(tmp_path: Path) -> None:
    """The nearest object of all units and parts; untried without any; none if it was accepted, or not asked about."""
    go = '// +k8s:validation-gen=true\ntype T struct {\n\t// +k8s:maximum=9\n\tA int32 `json:"a"`\n}\n'
    known = read_inventory(api_of_go(tmp_path, go))
    name = known.rules[0].type
    near, far = (Unaccepted("rejected", count, (ErrorAt("b", "FieldValueRequired"),)) for count in (1, 2))

    def reason(*parts: tuple[Observed, ...]) -> Unaccepted | None:
        return told(known, *parts, narrowed=False).rules[0].unaccepted

    tried, nearer = Observed(name, {0: Sight(0, None, far)}), Observed(name, {0: Sight(0, None, near)})
    accepting = Observed(name, {0: Sight(ACCEPTED)})
    assert (near, near) == (reason((tried, nearer)), reason((nearer,), (tried,)))
    assert (None, None) == (reason((tried, accepting)), reason((accepting,), (tried,)))
    assert (UNTRIED, None) == (reason((Observed(name, {}),)), reason(()))
