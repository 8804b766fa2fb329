"""Computes the expected errors of a Go test row from the two answers, in the form that upstream's test helper takes.

The helper compares one list of expected errors with the served errors under three settings of the gates: by type,
origin and normalized field path, and under the last setting also by level and by validator. A covered handwritten error
without a counterpart needs a level for the missing rule, which the caller provides (`LevelOf`).
Source: pkg/api/testing/validation.go, field/error_matcher.go (1.37.1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from harness.case import Answer, KindInfo
from harness.compare.composition import compose_parts, settings
from harness.compare.covered import gather
from harness.errormatch.matcher import Matcher, matcher_for
from harness.field import FieldError
from harness.field.error import Level
from harness.jsonpath import canonical_path
from harness.rulecov.inventory import KnownRule

Errors: TypeAlias = Sequence[FieldError]
LevelOf: TypeAlias = Callable[[FieldError], Level]
"""Returns the level of the rule that declares an error; for a missing rule, the level that it should have."""
_Key: TypeAlias = Callable[["ExpectedError"], tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class ExpectedError:
    """An error with the marks of the helper. `skipped`: declarative validation short-circuits before this rule."""

    error: FieldError
    handwritten: bool
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class VersionExpectation:
    """The expected errors of one version, and how today's answers differ from them: empty when the test passes."""

    marks: tuple[ExpectedError, ...]
    differs: tuple[str, ...]


def expected_of(info: KindInfo, answer: Answer, level_of: LevelOf) -> VersionExpectation:
    """Merge the errors of the handwritten and the declarative validator into one list of expected errors.

    Where they differ, the marks decide: a covered handwritten error without a counterpart is expected from a
    declarative rule, at the level that `level_of` returns, and a declarative error without a counterpart is expected.
    """
    matcher = matcher_for(info.normalization)
    graduated = settings(info.composition)[-1]
    kept, enforced = compose_parts(answer.handwritten, answer.declarative, info, graduated)
    marks = [ExpectedError(error, False) for error in enforced] + [ExpectedError(error, True) for error in kept]
    found = gather(answer.handwritten, answer.declarative, info, matcher)
    alone = [error for error in answer.handwritten if error.covered and not _has(enforced, error, matcher)]
    missed = {id(error) for error in found.unmatched}
    for error in alone:
        if id(error) in missed:
            marks.append(ExpectedError(msgspec.structs.replace(error, level=level_of(error)), False))
        else:
            marks.append(ExpectedError(error, True, True))
    expected = _deduplicate(marks, matcher)
    return VersionExpectation(expected, tuple(_differences(expected, info, answer, matcher)))


def _has(errors: Errors, wanted: FieldError, matcher: Matcher) -> bool:
    key = _plain(ExpectedError(wanted, True), matcher)
    return any(_plain(ExpectedError(error, False), matcher) == key for error in errors)


def _plain(mark: ExpectedError, matcher: Matcher) -> tuple[object, ...]:
    return mark.error.type, matcher.normalize(mark.error.field), mark.error.origin


def _strict(mark: ExpectedError, matcher: Matcher) -> tuple[object, ...]:
    return (*_plain(mark, matcher), mark.error.level, mark.handwritten)


def _deduplicate(marks: Sequence[ExpectedError], matcher: Matcher) -> tuple[ExpectedError, ...]:
    """Keep one of several equal marks with an origin, because the helper lets one expectation match several errors."""
    first: dict[object, ExpectedError] = {}
    for number, mark in enumerate(marks):
        key = (*_strict(mark, matcher), mark.skipped) if mark.error.origin else number
        first.setdefault(key, mark)
    return tuple(first.values())


def _differences(marks: Sequence[ExpectedError], info: KindInfo, answer: Answer, matcher: Matcher) -> list[str]:
    """Describe each difference that the helper would report."""
    differences = []
    for setting in settings(info.composition):
        kept, enforced = compose_parts(answer.handwritten, answer.declarative, info, setting)
        got = [ExpectedError(error, True) for error in kept] + [ExpectedError(error, False) for error in enforced]
        wanted = [mark for mark in marks if not (setting.is_graduated and mark.skipped)]
        key: _Key = (lambda mark: _strict(mark, matcher)) if setting.is_graduated else lambda m: _plain(m, matcher)
        differences += [f"{setting.name}: {text}" for text in _compare(wanted, got, key)]
    found = gather(answer.handwritten, answer.declarative, info, matcher)
    differences += [f"handwritten, covered, without a counterpart: {error.text}" for error in found.unmatched]
    differences += [f"declarative, without a counterpart: {error.text}" for error in found.extra]
    return differences + _version_differences(info, answer, matcher)


def _compare(wanted: Sequence[ExpectedError], got: Sequence[ExpectedError], key: _Key) -> list[str]:
    """Compare like the helper: an expectation with an origin matches every equal error, one without matches one."""
    exact = [(m.error.type, m.error.field, m.error.value, m.error.origin, m.error.detail) for m in got]
    differences = [f"twice the same: {same[1]}" for same in {same for same in exact if exact.count(same) > 1}]
    left = list(got)
    for mark in wanted:
        hits = [one for one in left if key(one) == key(mark)]
        if not hits:
            differences.append(f"not served: {mark.error.text}")
        for hit in hits if mark.error.origin else hits[:1]:
            left.remove(hit)
    return differences + [f"served besides: {one.error.text}" for one in left]


def _version_differences(info: KindInfo, answer: Answer, matcher: Matcher) -> list[str]:
    """Compare the declarative errors of all versions, details included."""

    def form(errors: Errors) -> list[tuple[str, ...]]:
        return sorted((matcher.normalize(one.field), one.type, one.detail, one.origin) for one in errors)

    own = form(answer.declarative)
    return [f"{info.version} and {name} say different things" for name, errors in answer.versions.items()
            if form(errors) != own]  # fmt: skip


def group_versions(
    expected: Mapping[str, VersionExpectation], normalize: Callable[[str], str]
) -> list[tuple[tuple[str, ...], VersionExpectation]]:
    """Group versions with the same expected errors."""
    groups: dict[object, tuple[list[str], VersionExpectation]] = {}
    for version, one in expected.items():
        key = tuple(
            (m.error.type, normalize(m.error.field), m.error.origin, m.error.level, m.handwritten, m.skipped)
            for m in one.marks
        ), bool(one.differs)  # fmt: skip
        groups.setdefault(key, ([], one))[0].append(version)
    return [(tuple(versions), one) for versions, one in groups.values()]


class RuleLevels:
    """The levels of the rules of a kind."""

    def __init__(self, rules: Iterable[KnownRule], info: KindInfo) -> None:
        own = [known for known in rules if known.type == info.type]
        self._known = {
            (path, known.rule.type, known.rule.origin): known.rule.level for known in own for path in known.places
        }
        counted = Counter(known.rule.level for known in own if not known.rule.path.startswith("metadata."))
        self._usual: Level = counted.most_common(1)[0][0] if counted else "alpha"

    def level_of(self, error: FieldError) -> Level:
        """Return the level of the rule that declares an error; for a missing rule, the most frequent of the kind."""
        return self._known.get((canonical_path(error.field), error.type, error.origin), self._usual)
