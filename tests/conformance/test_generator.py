"""The judge is judged by the generator's own test packages: compiled from their types, asked beside generated code.

Each package of a release is one test. What upstream's validators answer is right; ours give the same list: type, path,
detail, origin, level, short-circuit and shown value, in the same order (`judge.py` says what a map leaves open).
Nothing of upstream is kept here: the module is fetched, its packages are linked into a worker, and asked.
"""

from __future__ import annotations

from functools import cache, cached_property
from pathlib import Path
from random import Random

import pytest

from harness.compiler import Compiled
from harness.field import FieldError
from harness.fuzzers.shape import shape_of
from tests.conformance.conftest import Count
from tests.conformance.generator.build import worker_of
from tests.conformance.generator.cases import Objects, Question, Vocabulary, questions
from tests.conformance.generator.judge import ask, difference
from tests.conformance.generator.packages import TestPackage, open_module

pytestmark = pytest.mark.kubernetes

CASES = 600
"""Drawn for each root type; those that Go cannot decode are left out."""
FEWEST = 500

NO_RULES = {
    "all_types_match/trivial": "no type has a rule",
    "no_types_match": "no type is selected",
    "one_type_match/trivial": "the one type that is selected has no rule",
    "1.37.1: tags/subfield/deep": "its rules wait for nested subfields; what is left has none",
    "tags/supported_resources/issubresource": "about subresources; its rules accept everything",
    "tags/supported_resources/root": "about subresources; its rules accept everything",
    "tags/supported_resources/subresource": "about subresources; its rules accept everything",
    "tags/union/union/discriminated/empty": "a union without members",
    "tags/validate_true": "its rules accept everything",
    "tags/validatetruealpha": "its rules accept everything",
    "tags/validatetruebeta": "its rules accept everything",
}
"""Packages, some of one release, in which nothing can fail, and why. They are asked all the same: subresources, too."""

NAMES = {
    release: tuple((Path(__file__).parent / "generator" / "names" / f"{release}.txt").read_text().split())
    for release in ("1.37.1", "1.36.3", "1.35.2", "1.34.2")
}
"""The packages with generated validators of each release, so that none goes missing in silence."""

NEWEST = "1.37.1"
EACH = [
    pytest.param(release, name, id=f"{release}-{name}", marks=[] if release == NEWEST else pytest.mark.older)
    for release, names in NAMES.items()
    for name in names
]


class Release:
    """The test packages of a release, compiled when they are first asked for, and the worker to ask."""

    def __init__(self, name: str) -> None:
        self.module = open_module(name)
        self._compiled: dict[str, Compiled] = {}

    def compiled(self, package: TestPackage) -> Compiled:
        """Compile a package once."""
        if package.name not in self._compiled:
            self._compiled[package.name] = self.module.compile(package)
        return self._compiled[package.name]

    @cached_property
    def worker(self) -> Path:
        """The worker that links every package; all are compiled for it, to know what the roots are."""
        return worker_of(self.module, {name: self.compiled(one).types for name, one in self.module.packages.items()})

    def questions(self, package: TestPackage, type_name: str) -> list[Question]:
        """Draw the cases of one root type; the same in every run."""
        compiled = self.compiled(package)
        objects = Objects(
            Random(f"{package.name}.{type_name}"),
            shape_of(self.module.universe, f"{package.types}.{type_name}"),
            Vocabulary.of([package.folder]),
        )
        paths = sorted(compiled.plan.roots[type_name].paths) if package.registers else []
        return questions(package.path, type_name, objects, sorted(compiled.options(type_name)), paths, CASES)


@cache
def opened(name: str) -> Release:
    """Open a release once."""
    return Release(name)


def is_of_a_rule(error: FieldError) -> bool:
    """Whether a rule reported an error; the other one says that a subresource is not known."""
    return "no validation found" not in error.detail


@pytest.mark.parametrize(
    ("release", "number"),
    [
        (NEWEST, 153),
        pytest.param("1.36.3", 130, marks=pytest.mark.older),
        pytest.param("1.35.2", 106, marks=pytest.mark.older),
        pytest.param("1.34.2", 88, marks=pytest.mark.older),
    ],
)
def test_every_package_is_known(release: str, number: int) -> None:
    """The packages in the module are those listed here, and all of them are tested."""
    assert sorted(NAMES[release]) == sorted(opened(release).module.packages)
    assert number == len(NAMES[release])


@pytest.mark.parametrize(("release", "name"), EACH)
def test_package(release: str, name: str, count: Count) -> None:
    """The same types have rules, and every case gets the same errors."""
    this = opened(release)
    package = this.module.packages[name]
    compiled = this.compiled(package)
    assert set(package.registered) == {one for one in compiled.types if compiled.has_rules(one)}
    cases, errors, failing = 0, 0, False
    differences: list[str] = []
    for type_name in compiled.types:
        shape = shape_of(this.module.universe, f"{package.types}.{type_name}")
        asked = this.questions(package, type_name)
        replies = ask(this.worker, asked)
        judged = [(one, reply) for one, reply in zip(asked, replies, strict=True) if not reply.failure]
        found = (difference(compiled, shape, one, reply) for one, reply in judged)
        differences += [str(one) for one in found if one is not None]
        assert FEWEST <= len(judged), f"too many cases of {type_name} cannot be decoded: {replies}"
        cases, errors = cases + len(judged), errors + sum(len(reply.errors) for _, reply in judged)
        failing |= any(is_of_a_rule(error) for _, reply in judged for error in reply.errors)
    numbers = {
        "packages": 1,
        "root types": len(compiled.types),
        "cases": cases,
        "errors compared": errors,
        "differences": len(differences),
    }
    count(f"generator's test packages of {release}", numbers)
    reason = NO_RULES.get(name) or NO_RULES.get(f"{release}: {name}")
    assert failing == (reason is None), reason or "no rule failed: there was nothing to compare"
    assert not differences, f"{len(differences)} of {cases} cases, the shortest:\n{min(differences, key=len)}"
