"""Fixes of suites are true: a mistake is planted, the fix is followed to the letter, and the finding is gone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from harness.power.judge import SuiteTrial
from harness.power.mutant import Mutant
from harness.subject import Subject
from harness.subject.openers.suite import open_suite
from tests.explanations.follow import OF_TAGS
from tests.explanations.population import NAMES, Explained, Outcome, all_mutants, trial_of

EVERY = 150
"""One mutant of so many is explained in a test; `python -m tests.explanations` explains all of them."""
NAMED = 0.95
"""The share of fixes that name the field and the rule."""


@dataclass
class Population:
    """The suites as they are, each searched once when a test asks for it."""

    trials: dict[str, SuiteTrial] = field(default_factory=dict)
    opened: dict[str, Subject] = field(default_factory=dict)

    def outcomes(self, name: str, mutants: list[Mutant]) -> list[Outcome]:
        """Explain mutants of a suite."""
        if name not in self.trials:
            self.trials[name] = trial_of(name)
            self.opened[name] = open_suite(self.trials[name].spec)
        explained = Explained(self.trials[name], self.opened[name])
        return [outcome for mutant in mutants for outcome in explained.outcomes(mutant)]


@pytest.fixture(scope="module")
def population() -> Iterator[Population]:
    """Open suites once."""
    made = Population()
    yield made
    for subject in made.opened.values():
        subject.close()


PLANTED = [
    ("mark", "claim_v1", "handwritten handwritten.validate_selectors: too_many(", "flip the mark"),
    ("unmark", "claim_v1", "handwritten handwritten.StatusValidator.run: forbidden(", "mark as covered"),
    ("origin", "claim_v1", "handwritten handwritten.validate_selectors: too_many(", "drop the origin"),
    ("declare", "claim_v1", "format=k8s-uuid", "drop the tag"),
    ("declare", "claim_v1", "+k8s:eachVal=+k8s:maxBytes=32", "drop the tag"),
    ("declare", "workload_v1", "types.go:72: +k8s:beta(since: \"1.37\")=+k8s:enum", "drop the tag"),
    ("remove", "claim_v1", "self.errors.append(required(path.child('devices')", "drop the error"),
    ("limit", "claim_v1", "types.go:158: +k8s:beta(since: \"1.37\")=+k8s:maxItems=4", "tag +1"),
    ("limit", "workload_v1", "handwritten handwritten.validate_container: 120", "+1"),
]  # fmt: skip


@pytest.mark.parametrize(("sort", "suite", "where", "operator"), PLANTED)
def test_each_sort_of_fix_works_to_the_letter(
    population: Population, sort: str, suite: str, where: str, operator: str
) -> None:
    """What the sentence says is done in the files that it names, and the same case shows the difference no more."""
    mutants = [one for one in all_mutants(suite) if where in one.name and one.operator == operator]
    outcomes = [one for one in population.outcomes(suite, mutants[:1]) if one.sort == sort]
    assert outcomes
    assert {"gone"} == {one.made for one in outcomes}
    assert sort not in OF_TAGS or {"gone"} == {one.tried for one in outcomes}


@pytest.mark.parametrize("name", NAMES)
def test_fixes_of_planted_mistakes_name_them_and_mend_them(population: Population, name: str) -> None:
    """Of mutants of every sort, fixes name the field and the rule, and a mechanical one makes the finding go."""
    outcomes = population.outcomes(name, all_mutants(name)[1::EVERY])
    assert outcomes
    unnamed = [(one.mutant, one.fix) for one in outcomes if not one.named]
    assert len(unnamed) <= max(1, (1 - NAMED) * len(outcomes)), unnamed
    assert [] == [(one.mutant, one.fix, one.made) for one in outcomes if one.sort and one.made != "gone"]
    assert [] == [(one.mutant, one.contradicted) for one in outcomes if one.contradicted]


@pytest.mark.parametrize("name", NAMES)
def test_a_fix_that_was_tried_keeps_its_word(population: Population, name: str) -> None:
    """Wherever the harness says that its fix was tried and the finding is gone, following it makes it go."""
    mutants = [one for one in all_mutants(name) if one.operator in ("drop the tag", "tag -1")]
    outcomes = population.outcomes(name, mutants[:: max(1, len(mutants) // 4)])
    tried = [one for one in outcomes if one.tried == "gone"]
    assert [] == [(one.mutant, one.fix, one.made) for one in tried if one.made != "gone"]
    assert tried or not [one for one in outcomes if one.sort in OF_TAGS]
