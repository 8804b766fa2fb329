"""Findings of one mistake are one group."""

from __future__ import annotations

from typing import Any

import pytest

from harness.case import Answer, Operation
from harness.report.model.assembly import build_report
from harness.report.model.grouping import find_by_id, group, tail
from tests.report import made


def groups(*findings: Any) -> list[tuple[str, str, int]]:
    """Return cause, location and size of each group."""
    made_report = build_report(made.result(*findings))
    return [(one.cause, one.location, one.size) for one in group(made_report.findings)]


@pytest.mark.parametrize(
    ("path", "end"),
    [
        ("spec.template.spec.tolerations[*].key", "tolerations[*].key"),
        ("spec.size", "spec.size"),
        ("spec", "spec"),
        ("", ""),
    ],
)
def test_the_end_of_a_path_identifies_the_shared_type(path: str, end: str) -> None:
    """The last two fields identify the type, wherever it is used."""
    assert end == tail(path)


def test_one_rule_on_two_kinds_is_one_group() -> None:
    """Paths that differ only in their beginning are abbreviated; another origin is another rule."""
    assert groups(
        made.finding("a" * 12, path="spec.tolerations[*].key"),
        made.finding("b" * 12, path="spec.template.spec.tolerations[*].key"),
        made.finding("c" * 12, path="spec.tolerations[*].key", origin="format=x"),
    ) == [("no-rule", "….tolerations[*].key", 2), ("no-rule", "spec.tolerations[*].key", 1)]


def test_groups_are_ordered_worst_first_then_largest() -> None:
    """One finding of severity verdict comes before many of severity shadow."""
    assert groups(
        made.finding("a" * 12, severity="shadow", path="a.a"),
        made.finding("b" * 12, severity="shadow", path="a.a"),
        made.finding("c" * 12, severity="verdict", cause="masked", path="b.b"),
        made.finding("d" * 12, severity="shadow", cause="origin", path="c.c"),
    ) == [("masked", "b.b", 1), ("no-rule", "a.a", 2), ("origin", "c.c", 1)]


def test_the_first_finding_of_a_group_is_the_worst_and_smallest() -> None:
    """It represents the group, and small objects are easy to read."""
    small = made.finding("b" * 12)
    large = made.finding("a" * 12, case=made.finding().case.__class__(
        1, "example.io", "v1", "Widget", Operation.UPDATE, {"spec": {"size": 3, "name": "a" * 90}}, {}, "widgets"
    ))  # fmt: skip
    (one,) = group(build_report(made.result(large, small)).findings)
    assert one.first.fingerprint == "b" * 12


def owned(fingerprint: str, member: str, **more: Any) -> Any:
    """Return a finding on a member of a type that many kinds share."""
    path = f"metadata.ownerReferences[*].{member}"
    owner = "k8s.io/apimachinery/pkg/apis/meta.OwnerReference"
    return made.finding(fingerprint * 12, path=path, owner=owner, member=member, **more)


def test_one_member_of_a_type_with_one_cause_is_one_group() -> None:
    """The kinds and paths do not matter; another member, cause or side is another mistake."""
    gadget = {"kind": "Gadget", "resource": "gadgets"}
    found = group(build_report(made.result(
        owned("a", "name"), owned("b", "name", **gadget), owned("c", "kind"), owned("d", "name", cause="unmarked"),
        owned("e", "name", side="declarative"), owned("f", "name", origin="format=x"),
    )).findings)  # fmt: skip
    assert [2, 1, 1, 1, 1] == [one.size for one in found]
    assert ("OwnerReference.name", ("example.io/v1 widgets", "example.io/v1 gadgets")) == (
        found[0].title,
        found[0].kinds,
    )


def test_a_cause_of_a_whole_type_is_one_group() -> None:
    """A validation that does not ratchet affects all members of the type."""
    members = [
        owned(name, member, cause="ratcheting") for name, member in (("a", "name"), ("b", "kind"), ("c", "name"))
    ]
    [one] = group(build_report(made.result(*members)).findings)
    assert "OwnerReference: 2 rules" == one.title
    assert [("name", "FieldValueInvalid", ""), ("kind", "FieldValueInvalid", "")] == list(one.rules)


def moved(place: str, number: int, operation: str) -> list[Any]:
    """Return the findings of one wrong path: at that path, its missing counterpart, and at the right path."""
    wrong, right = f"spec.{place}.town", f"spec.{place}.city"
    answer = Answer(
        1, handwritten=(made.error(wrong, covered=True),), declarative=(made.error(right, origin="", level="beta"),)
    )
    common: dict[str, Any] = {"owner": "x.Address", "operation": operation, "answer": answer}
    town, city = {**common, "path": wrong, "member": "town"}, {**common, "path": right, "member": "city"}
    return [
        made.finding(f"a{number:011}", **town, cause="wrong-path", mismatch="path", severity="visible"),
        made.finding(f"b{number:011}", **town, cause="path", severity="shadow"),
        made.finding(f"c{number:011}", **city, cause="path", mismatch="extra", side="declarative", severity="visible"),
    ]


def test_a_wrong_path_is_one_mistake_in_all_kinds() -> None:
    """Its six findings for each of three paths are one group, named after the cause `wrong-path`."""
    places = [(place, operation) for place in ("office", "store", "branches[*]") for operation in ("create", "update")]
    many = [one for number, (place, operation) in enumerate(places) for one in moved(place, number, operation)]
    [one] = group(build_report(made.result(*many)).findings)
    assert (18, "wrong-path", "Address.town") == (one.size, one.cause, one.title)
    assert "wrong-path" == one.first.cause
    assert [("path", 6), ("path", 6), ("wrong-path", 6)] == sorted((part.cause, part.size) for part in one.split())


def test_other_causes_of_an_error_at_a_wrong_path_are_the_same_mistake() -> None:
    """No answer has its counterpart, but no rule can report an error at a path that the type does not have."""
    town: dict[str, Any] = {"owner": "x.Address", "path": "spec.store.town", "member": "town"}
    findings = [
        made.finding("a" * 12, **town, cause="wrong-path", mismatch="path", severity="visible"),
        made.finding("b" * 12, **town, cause="no-rule", severity="shadow"),
        made.finding("c" * 12, **town, cause="no-rule", type="FieldValueRequired", severity="shadow"),
    ]
    found = group(build_report(made.result(*findings)).findings)
    assert [("wrong-path", 2), ("no-rule", 1)] == [(one.cause, one.size) for one in found]


def test_a_whole_object_at_another_path_is_one_mistake() -> None:
    """The errors of its members differ only in the beginning of their paths."""

    def halves(number: int, member: str) -> list[Any]:
        wrong, right = f"spec.stores.{member}", f"spec.stores[0].{member}"
        answer = Answer(
            1, handwritten=(made.error(wrong, covered=True),), declarative=(made.error(right, origin="", level="beta"),)
        )
        common: dict[str, Any] = {"answer": answer, "cause": "path", "severity": "shadow"}
        right = right.replace("0", "*")
        return [
            made.finding(f"d{number:011}", owner="x.Spec", member=f"stores.{member}", path=wrong, **common),
            made.finding(f"e{number:011}", owner="x.Address", member=member, path=right, mismatch="extra",
                         side="declarative", **common),
        ]  # fmt: skip

    findings = [*halves(1, "town"), *halves(2, "street")]
    assert [4] == [one.size for one in group(build_report(made.result(*findings)).findings)]


def test_a_wrong_index_is_one_mistake() -> None:
    """All errors of an item are reported at the next item, whose own errors have another wording."""

    def halves(number: int, member: str, owner: str = "x.Store") -> list[Any]:
        ours, theirs = (made.error(f"spec.stores[{index}].{member}", **more) for index, more in
                        ((1, {"covered": True}), (0, {"origin": "", "level": "beta"})))  # fmt: skip
        common: dict[str, Any] = {
            "answer": Answer(1, handwritten=(ours,), declarative=(theirs,)), "owner": owner, "cause": "path",
            "member": member.rpartition(".")[2], "path": f"spec.stores[*].{member}".replace("[2]", "[*]"),
        }  # fmt: skip
        return [
            made.finding(f"d{number:011}", **common, severity="shadow"),
            made.finding(f"e{number:011}", **common, mismatch="extra", side="declarative", severity="visible"),
        ]

    words = made.finding("a" * 12, owner="x.Store", member="town", path="spec.stores[*].town", cause="wording",
                         mismatch="served", side="both")  # fmt: skip
    elsewhere = made.finding("b" * 12, owner="x.Shop", member="town", path="spec.shops[*].town", cause="wording",
                             mismatch="served", side="both")  # fmt: skip
    findings = [*halves(1, "town"), *halves(2, "street"), *halves(3, "shelves[2].name", "x.Shelf"), words, elsewhere]
    found = group(build_report(made.result(*findings)).findings)
    assert [("path", 7), ("wording", 1)] == sorted((one.cause, one.size) for one in found)


def test_another_path_with_the_same_error_is_another_mistake() -> None:
    """Groups are merged by the errors in their answers, not by similar paths."""
    other = made.finding(
        "f" * 12, owner="x.Person", member="nick", path="spec.nick", cause="wrong-path", mismatch="path"
    )
    assert 2 == len(group(build_report(made.result(other, *moved("office", 1, "create"))).findings))


def test_a_limit_and_the_message_that_quotes_it_are_one_mistake() -> None:
    """The wording differs because the limits do; another wording of another rule is another mistake."""
    days: dict[str, Any] = {"owner": "x.Spec", "member": "days", "path": "spec.days", "origin": "maximum"}
    words = {"cause": "wording", "mismatch": "served", "side": "both"}
    other = {**days, "member": "name", "path": "spec.name"}
    found = group(build_report(made.result(
        made.finding("a" * 12, **days, cause="boundary"), made.finding("b" * 12, **days, **words),
        made.finding("c" * 12, **other, **words),
    )).findings)  # fmt: skip
    assert [("boundary", 2), ("wording", 1)] == [(one.cause, one.size) for one in found]


def test_every_shown_id_is_found() -> None:
    """The ID of an open or tolerated group, a fingerprint, and a prefix of either are found; nothing else is."""
    findings = build_report(made.result(
        made.finding("a" * 12, path="spec.x"), made.finding("b" * 12, path="spec.y", exception="1a2b"),
    )).findings  # fmt: skip
    for one in group(findings):
        assert list(one.findings) == find_by_id(findings, one.id) == find_by_id(findings, one.id[:5])
    assert ["a" * 12] == [one.fingerprint for one in find_by_id(findings, "aaaa")]
    assert [[], [], []] == [find_by_id(findings, name) for name in ("g", "gffffffff", "")]


def test_the_id_of_a_group_does_not_change() -> None:
    """It depends on cause, side, type and rule only, not on the findings, their order, or a release."""
    alone = group(build_report(made.result(owned("a", "name"))).findings)
    many = group(build_report(made.result(made.finding("f" * 12), owned("c", "uid"), owned("b", "name"))).findings)
    assert "g7ebde252" == alone[0].id
    assert alone[0].id in [one.id for one in many]
    assert len({one.id for one in many}) == 3


def test_the_id_of_a_group_survives_a_renamed_cause() -> None:
    """The ID is computed from the first name of the cause."""
    one = made.finding(cause="no-counterpart", side="declarative", mismatch="extra")
    [found] = group(build_report(made.result(one)).findings)
    assert ("g3af4f1c3", "no-counterpart") == (found.id, found.cause)
