"""A search with a focus leans to it, goes on looking elsewhere, and without one nothing changes."""

from __future__ import annotations

from random import Random
from typing import Any

from harness import engine
from harness.engine import RunConfig
from harness.engine.focus import Focus, FocusedPaths, choose_sites, object_kind
from harness.engine.units import Unit
from harness.events import Budget, Result
from harness.fuzzers.edits import sites_of
from harness.jsonpath import look
from tests.engine.toys import ToySpec, open_toys
from tests.fuzzers.toys import WIDGETS, widget_shape

TITLE = Focus({object_kind(WIDGETS): ("spec.title",)})


class _Counted:
    """Counts the cases, and those whose title is not the one that most have."""

    def __init__(self) -> None:
        self.titles: dict[str, int] = {}

    def examine(self, cases: Any, answers: Any, seconds: float) -> None:
        for case in cases:
            title = repr(look(case.object, ("spec", "title")))
            self.titles[title] = self.titles.get(title, 0) + 1

    def aims(self) -> tuple[()]:
        return ()

    def outcome(self) -> dict[str, int]:
        return self.titles


class _Counting:
    def observer(self, subject: Any, unit: Unit) -> _Counted:
        return _Counted()


def _searched(focus: Focus) -> Result:
    spec: Any = ToySpec()
    return engine.run(
        spec,
        RunConfig(
            seed=1, budget=Budget(max_cases=1500), kinds=["widgets"], focus=focus, observers={"titles": _Counting()}
        ),
        opener=open_toys,
    )


def _variety(result: Result) -> float:
    """The share of the cases whose title is not the most frequent one."""
    (titles,) = result.observed["titles"]
    most: int = max(titles.values())
    every: int = sum(titles.values())
    return 1 - most / every


def test_most_of_the_budget_goes_to_the_focus() -> None:
    """With a focus on one field, most cases have another value there: half as many again as without one, or more."""
    focused, plain = _variety(_searched(TITLE)), _variety(_searched(Focus()))
    assert focused > 0.5
    assert focused > 1.5 * plain


def test_what_is_elsewhere_is_found_too() -> None:
    """A focus takes nothing away: differences at other fields are found within the same budget."""
    assert {one.path for one in _searched(TITLE).findings} - {"spec.title"}


def test_a_search_may_end_when_its_places_are_saturated() -> None:
    """Long before its budget, after the same questions whatever that is, and with what it found; it says so."""
    spec: Any = ToySpec()
    ends = Focus(TITLE.paths, until_saturated=True)
    short, long = (
        engine.run(
            spec, RunConfig(seed=1, budget=Budget(max_cases=most), kinds=["widgets"], focus=ends), opener=open_toys
        )
        for most in (200_000, 400_000)
    )
    assert "saturated" == short.stopped == long.stopped
    assert short.cases == long.cases < 60_000
    assert {one.fingerprint for one in short.findings} == {one.fingerprint for one in long.findings}
    assert {one.path for one in short.findings} - {"spec.title"}


def test_an_absent_place_is_stood_for_by_the_nearest_above() -> None:
    """Where an object lacks the parent of a focused field, the parent is the path to edit."""
    shape = widget_shape()
    sites = sites_of({"metadata": {"name": "a"}}, shape)
    assert [("spec",)] == [site.path for site in FocusedPaths(("spec.title",)).sites(sites, shape)]


def test_nothing_is_drawn_for_a_search_without_a_focus() -> None:
    """A search without focus takes no random number for it, so that its results stay what they were."""
    random, untouched = Random(1), Random(1)
    assert [] == choose_sites(random, [], [])
    assert untouched.random() == random.random()
