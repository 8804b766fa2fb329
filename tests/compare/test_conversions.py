"""What is lost on the way through another version and back: which paths count, who notices, and what it explains."""

from __future__ import annotations

from typing import Any

import pytest

from harness.case import RoundTrip
from harness.compare.comparator import Comparator
from harness.compare.conversions import compare_round_trips, version_losing
from harness.compare.judge import judge
from harness.compare.severity import severity_of
from tests.compare.builders import answer, case, drive, errors, info

HERE: dict[str, Any] = {
    "metadata": {"name": "n"},
    "spec": {"size": 5, "ports": [{"n": 1, "p": "a"}, {"n": 2, "p": "b"}]},
}
OTHER = info(version="v2", versions=("v1",))
LOST: dict[str, Any] = {"v1": RoundTrip({"spec": {"size": 5}}, {"spec": {}})}


def told(before: Any, after: Any, **more: Any) -> list[tuple[str, str]]:
    """Return path and sentence of each mismatch of an object that came back from v1 as another one."""
    found = compare_round_trips(answer(round_trips={"v1": RoundTrip(before, after)}, **more), lambda version: True)
    return [(one.path, one.detail) for one in found]


def spec(**values: Any) -> Any:
    """Return the object with some other values in its spec; None leaves one out."""
    return {**HERE, "spec": {key: value for key, value in {**HERE["spec"], **values}.items() if value is not None}}


@pytest.mark.parametrize(
    ("after", "path", "words"),
    [
        (spec(size=None), "spec.size", "5 is lost"),
        (spec(size=6), "spec.size", "5 is 6 afterwards"),
        (spec(ports=[{"n": 1, "p": "a"}]), "spec.ports", "afterwards"),
        (spec(ports=[{"n": 1}, {"n": 2, "p": "b"}]), "spec.ports[0].p", '"a" is lost'),
        ({"metadata": {"name": "n"}}, "spec", "is lost"),
    ],
)
def test_what_is_lost_or_changed_is_told_with_its_path(after: Any, path: str, words: str) -> None:
    """As deep as both objects have it."""
    [(found, sentence)] = told(HERE, after)
    assert path == found
    assert sentence.startswith("read and written in v1, ")
    assert words in sentence


def test_items_of_one_list_are_told_once() -> None:
    """A member that all items lose is one mismatch."""
    assert ["spec.ports[0].p"] == [path for path, _ in told(HERE, spec(ports=[{"n": 1}, {"n": 2}]))]


@pytest.mark.parametrize(
    "after",
    [
        {**HERE, "metadata": {"name": "n", "annotations": {"x": "y"}}},
        {**spec(mode="A"), "status": {}},
    ],
)
def test_what_a_conversion_adds_is_allowed(after: Any) -> None:
    """Annotations keep what a version has no field for, and defaults are its own business; so for what they lose."""
    assert [] == told(HERE, after)
    noted = {**HERE, "metadata": {"name": "n", "annotations": {"x": "y"}}}
    assert [] == told(noted, {**noted, "metadata": {"name": "n", "annotations": {}}})
    assert [] == told({**noted, "status": None}, HERE)


def test_only_accepted_objects_and_served_versions_count() -> None:
    """What is rejected is never stored, and no client reads what is not served."""
    assert 1 == len(told(HERE, spec(size=6)))
    assert [] == told(HERE, spec(size=6), handwritten=errors("Required@spec"))
    assert [] == told(HERE, spec(size=6), declarative=errors("Required@spec"))
    turned = answer(round_trips={"v1": RoundTrip(HERE, spec(size=6))})
    assert [] == list(compare_round_trips(turned, lambda version: version != "v1"))


def test_a_version_that_cannot_hold_an_object() -> None:
    """It is told for the whole object, in the words of the conversion."""
    [found] = compare_round_trips(answer(round_trips={"v1": RoundTrip(error="no such mode")}), lambda version: True)
    assert ("", "v1", "v1 cannot hold the object: no such mode") == (found.path, found.origin, found.detail)


def test_a_loss_is_a_finding_that_users_can_see() -> None:
    """Nothing is rejected; the version is part of its identity, and the cause needs no experiment."""
    comparator = Comparator(OTHER, versions={"v1": info(version="v1")})
    asked, said = case({"spec": {"size": 5}}, version="v2"), answer(round_trips=LOST)
    [mismatch] = comparator.compare(asked, said)
    assert ("conversion", "spec.size", "", "v1", "") == mismatch.signature
    assert [mismatch.signature] == list(comparator.signatures(asked, said))
    assert "visible" == severity_of(asked, said, mismatch, comparator)
    finding = drive(judge(asked, said, mismatch, comparator, subject="s"), lambda asked: said)
    assert ("conversion", "observed", "visible") == (finding.cause, finding.certainty, finding.severity)
    assert "keep the value" in finding.fix


@pytest.mark.parametrize(
    ("turned", "is_told"),
    [(LOST, True), ({}, False), ({"v1": RoundTrip({"spec": {"x": 1}}, {"spec": {}})}, False)],
)
def test_a_difference_between_versions_that_a_conversion_explains_says_so(
    turned: dict[str, RoundTrip], is_told: bool
) -> None:
    """The other version does not report an error at a value that it never gets."""
    comparator = Comparator(OTHER, versions={"v1": info(version="v1")})
    asked = case({"spec": {"size": 5}}, version="v2")
    own = errors("Invalid@spec.size/maximum beta")
    said = answer(errors("Invalid@spec.size/maximum covered"), own, versions={"v1": ()}, round_trips=turned)
    mismatch = next(one for one in comparator.compare(asked, said) if one.kind == "version")
    finding = drive(judge(asked, said, mismatch, comparator, subject="s"), lambda asked: said)
    assert "version" == finding.cause
    assert is_told == ("the conversion to v1 loses or changes the value" in finding.detail)


@pytest.mark.parametrize(
    ("path", "version"), [("spec.size", "v1"), ("spec", "v1"), ("spec.size.x", "v1"), ("name", "")]
)
def test_a_loss_above_or_below_a_path_concerns_it(path: str, version: str) -> None:
    """One beside it does not, nor one in another version."""
    assert version == version_losing(LOST, ["v1"], path)
    assert "" == version_losing(LOST, ["v3"], path)
