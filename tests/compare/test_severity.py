"""Who would notice: every grade is given and withheld."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.case import Composition, Failure
from harness.compare.comparator import Comparator
from harness.compare.finding import SEVERITIES
from harness.compare.severity import severity_of
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
        assert [expected] == [severity_of(case(), said, m, one) for m in one.compare(case(), said)]


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
