"""Who would notice: every grade is given and withheld."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.case import Composition, Failure
from harness.compare.comparator import Comparator
from harness.compare.finding import SEVERITIES
from harness.compare.severity import grade_alone, severity_of, why_unreachable, worst_possible
from tests.compare.builders import answer, case, error, errors, info

H, D = "handwritten", "declarative"

# composition, handwritten, declarative: the grade of each mismatch, in order.
GRADES: list[tuple[Composition, list[str], list[str], list[str]]] = [
    # Alone on the object, so the verdict changes: today by the gate, or when graduated.
    ("levels", [], ["Required@a beta"], ["verdict"]),
    ("levels", [], ["Required@a alpha"], ["graduation"]),
    ("levels", ["Required@a covered"], [], ["graduation"]),
    ("explicit", ["Required@a covered beta"], [], ["verdict"]),
    ("explicit", ["Required@a covered beta"], ["Required@a alpha"], ["verdict"]),
    ("takeover", ["Required@a covered"], [], ["verdict"]),
    ("takeover", [], ["Required@a"], ["verdict"]),
    ("shadow", [], ["Required@a"], ["graduation"]),
    # Something else rejects the object anyway.
    ("levels", ["TooMany@z"], ["Required@a beta"], ["visible"]),
    ("levels", ["TooMany@z"], ["Required@a alpha"], ["shadow"]),
    ("levels", ["TooMany@z", "Required@a covered"], [], ["shadow"]),
    ("levels", ["Required@a covered"], ["Required@b beta"], ["shadow", "visible"]),
    ("levels", ["Required@a covered"], ["Required@b alpha"], ["shadow", "shadow"]),
    # Twice on the user's screen.
    ("levels", ["Required@a covered"], ["Required@a"], ["visible"]),
    ("levels", ["Required@a"], ["Required@a"], ["visible"]),
    ("levels", ["Required@a"], ["Required@a beta"], ["visible"]),
    ("levels", ["Required@a"], ["Required@a alpha"], ["shadow"]),
    ("levels", [], ["Internal@<nil>"], ["visible"]),
]


@pytest.mark.parametrize(("composition", "hv", "dv", "expected"), GRADES)
def test_grades(composition: Composition, hv: list[str], dv: list[str], expected: list[str]) -> None:
    """A mismatch is graded by what its own error does to the served lists of all settings."""
    one, said = Comparator(info(composition)), answer(errors(*hv), errors(*dv))
    assert expected == [severity_of(case(), said, m, one) for m in one.compare(case(), said)]


def test_what_no_request_reaches() -> None:
    """A version that is registered and not served has differences that nobody can meet; served, they count."""
    said = answer(errors("Required@a covered"), ())
    for through, expected in (("v2", "unreachable"), ("", "graduation")):
        one = Comparator(msgspec.structs.replace(info(), through=through))
        mismatches = one.compare(case(), said)
        assert [expected] == [severity_of(case(), said, m, one) for m in mismatches]
        told = "v1 deployments are registered and not served, and were asked with the strategy of v2" if through else ""
        assert [told] == [why_unreachable(case(), said, m, one) for m in mismatches]


REFUSED = "409, because metadata.uid is not that of the stored object"


def test_what_a_server_refuses() -> None:
    """A request that is answered before validation shows no difference, whichever it is; validated, it does."""
    crashed = Failure("prepare", "x", panic=True)
    for unreachable, expected in ((REFUSED, "unreachable"), ("", "verdict")):
        for said in (answer((), errors("Required@a beta"), unreachable=unreachable), answer(failure=crashed)):
            said, one = msgspec.structs.replace(said, unreachable=unreachable), Comparator(info())
            [mismatch] = one.compare(case(), said)
            assert (expected, expected) == (severity_of(case(), said, mismatch, one), worst_possible(said, one))
            assert bool(unreachable) == (REFUSED in why_unreachable(case(), said, mismatch, one))


@pytest.mark.parametrize(
    ("composition", "hv", "dv", "alone", "with_parent"),
    [
        ("levels", ["Invalid@a covered"], [], "graduation", "shadow"),
        ("levels", [], ["Required@a beta"], "verdict", "visible"),
        ("takeover", ["Invalid@a covered"], [], "verdict", "visible"),
    ],
)
def test_what_a_parent_rejects_changes_no_verdict(
    composition: Composition, hv: list[str], dv: list[str], alone: str, with_parent: str
) -> None:
    """A scale that its own rules accept is rejected with the object that it changes; its errors may still differ."""
    one = Comparator(info(composition))
    for parent, expected in (((), alone), (errors("Invalid@a"), with_parent)):
        said = answer(errors(*hv), errors(*dv), parent=parent)
        assert [expected] == [severity_of(case(), said, m, one) for m in one.compare(case(), said)]


def test_another_request_is_not_refused() -> None:
    """What a value may be alone is asked of an object that reaches the validators."""
    one, said = Comparator(info()), answer(errors("TooMany@z"), errors("Required@a beta"), unreachable=REFUSED)
    assert ["verdict"] == [grade_alone(case(), said, m, one) for m in one.compare(case(), said)]


@pytest.mark.parametrize(
    ("served", "expected", "named"),
    [
        ({"v1beta1": False, "v1beta2": False}, "unreachable", "v1beta1"),
        ({"v1beta1": True, "v1beta2": False}, "verdict", "v1beta1"),
        ({"v1beta1": False, "v1beta2": True}, "verdict", "v1beta2"),
        ({}, "verdict", "v1beta1"),
    ],
)
def test_versions_that_nobody_can_send(served: dict[str, bool], expected: str, named: str) -> None:
    """Versions that differ from one that is not served differ for nobody, and one that is served is named first."""
    versions = {
        version: info(version=version, through="" if is_served else "v1") for version, is_served in served.items()
    }
    one, lists = Comparator(info(), versions=versions), {"v1": errors("Required@a"), "v1beta1": (), "v1beta2": ()}
    said = answer((), errors("Required@a"), versions=lists)
    [mismatch] = [m for m in one.compare(case(), said) if m.kind == "version"]
    assert expected == severity_of(case(), said, mismatch, one)
    assert f"those of {named} do not" in mismatch.detail
    named_all = "v1beta1 and v1beta2 deployments, with which v1 was compared, are registered and not served"
    assert (named_all if expected == "unreachable" else "") == why_unreachable(case(), said, mismatch, one)


def test_each_mismatch_is_blamed_for_its_own_error() -> None:
    """Two differences on one object: only the one whose error flips the verdict is graded for it."""
    one = Comparator(info())
    said = answer(errors("Required@a covered"), errors("Required@a beta", "Required@b alpha"))
    assert [severity_of(case(), said, m, one) for m in one.compare(case(), said)] == ["shadow"]
    alone = answer((), errors("Required@b alpha"))
    assert [severity_of(case(), alone, m, one) for m in one.compare(case(), alone)] == ["graduation"]


@pytest.mark.parametrize(("level", "expected"), [("beta", "visible"), ("alpha", "shadow")])
def test_other_words(level: str, expected: str) -> None:
    """Words that change today are visible; words that change when graduated are not, yet."""
    one = Comparator(info())
    said = answer((error("Required@a covered", detail="x"),), (error(f"Required@a {level}", detail="y"),))
    assert [severity_of(case(), said, m, one) for m in one.compare(case(), said)] == [expected]


@pytest.mark.parametrize(
    ("hv", "dv", "expected"), [(["Required@x"], [], "visible"), ([], ["Required@x alpha"], "shadow")]
)
def test_wrong_paths(hv: list[str], dv: list[str], expected: str) -> None:
    """A wrong path is visible when users read it today."""
    one, said = Comparator(info(), is_known_path=lambda _: False), answer(errors(*hv), errors(*dv))
    found = [m for m in one.compare(case(), said) if m.kind == "path"]
    assert [severity_of(case(), said, m, one) for m in found] == [expected]


VERSIONS: list[tuple[list[str], list[str], list[str], str]] = [
    # handwritten, declarative here, declarative there
    ([], ["Required@a"], [], "verdict"),
    (["Required@a covered"], ["Required@a beta"], [], "graduation"),
    (["TooMany@z"], ["Required@a"], [], "visible"),
    ([], ["Required@a"], ["Required@a alpha"], "verdict"),
    (["Required@a covered"], ["Required@a beta"], ["Required@a alpha"], "shadow"),
]


@pytest.mark.parametrize(("hv", "here", "there", "expected"), VERSIONS)
def test_versions(hv: list[str], here: list[str], there: list[str], expected: str) -> None:
    """Versions are graded by what is served through each."""
    one = Comparator(info())
    said = answer(errors(*hv), errors(*here), versions={"v1": errors(*here), "v1beta1": errors(*there)})
    found = [m for m in one.compare(case(), said) if m.kind == "version"]
    assert [severity_of(case(), said, m, one) for m in found] == [expected]


@pytest.mark.parametrize(
    ("failure", "expected"),
    [(Failure("handwritten", "x", panic=True), "verdict"), (Failure("self", "x"), "visible")],
)
def test_failures(failure: Failure, expected: Any) -> None:
    """A panic is the worst there is; an unstable answer may be read by somebody."""
    one, said = Comparator(info()), answer(failure=failure)
    assert [severity_of(case(), said, m, one) for m in one.compare(case(), said)] == [expected]
    assert expected in SEVERITIES


@pytest.mark.parametrize(
    ("hv", "dv", "expected", "alone", "possible"),
    [
        (["TooMany@z"], ["Required@a beta"], "visible", "verdict", "visible"),
        (["TooMany@z"], ["Required@a alpha"], "shadow", "graduation", "visible"),
        (["TooMany@z covered"], ["Required@a beta", "TooMany@z beta"], "visible", "verdict", "visible"),
        ([], ["Required@a alpha"], "graduation", "graduation", "graduation"),
        ([], ["Required@a beta"], "verdict", "verdict", "verdict"),
    ],
)
def test_other_errors_hide_how_severe_an_error_may_be(
    hv: list[str], dv: list[str], expected: str, alone: str, possible: str
) -> None:
    """Alone it may change a verdict; beside an error that no setting takes away it cannot."""
    one, said = Comparator(info()), answer(errors(*hv), errors(*dv))
    found = next(m for m in one.compare(case(), said) if m.path == "a")
    graded = severity_of(case(), said, found, one), grade_alone(case(), said, found, one), worst_possible(said, one)
    assert (expected, alone, possible) == graded


@pytest.mark.parametrize("composition", ["levels", "explicit", "shadow", "takeover"])
def test_no_mismatch_exceeds_what_is_possible(composition: Composition) -> None:
    """The bound holds for every list of grades above, under every composition."""
    one = Comparator(info(composition))
    for _, hv, dv, _ in GRADES:
        said = answer(errors(*hv), errors(*dv))
        graded = [SEVERITIES.index(severity_of(case(), said, m, one)) for m in one.compare(case(), said)]
        assert min(graded, default=4) >= SEVERITIES.index(worst_possible(said, one))


@pytest.mark.parametrize(
    ("composition", "expected"), [("levels", "verdict"), ("shadow", "graduation"), ("takeover", "verdict")]
)
def test_a_crash_that_is_recovered_counts_where_it_is_served(composition: Composition, expected: str) -> None:
    """Where declarative errors are never served, a rule that crashes fails no request before the migration ends."""
    one = Comparator(info(composition))
    said = answer((), (error("Internal@<nil>", detail="panic during declarative validation: nil"),))
    found = next(m for m in one.compare(case(), said) if m.kind == "panic")
    assert expected == severity_of(case(), said, found, one)
