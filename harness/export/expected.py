"""What a Go test is to expect of a row: both answers in the words of upstream's test helper.

The helper compares one list with what is served under three settings, by type, origin and normalized field, and under
the last one by level and by side too. Which level a rule has that is
not there yet, a test must say, and it is not for the test to decide.
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
"""The level that a rule has, or would have, which declares an error."""
_Key: TypeAlias = Callable[["ExpectedError"], tuple[object, ...]]


@dataclass(frozen=True, slots=True)
class ExpectedError:
    """An error with what the helper knows of it. `skipped`: the declarative side stops before it gets there."""

    error: FieldError
    handwritten: bool
    skipped: bool = False


@dataclass(frozen=True, slots=True)
class VersionExpectation:
    """What a test expects of one version, and how today's answers fall short of it: empty when the test passes."""

    marks: tuple[ExpectedError, ...]
    differs: tuple[str, ...]


def expected_of(info: KindInfo, answer: Answer, level_of: LevelOf) -> VersionExpectation:
    """Write down what both sides answered, as one list; where they differ, what is marked counts.

    A handwritten error that is marked as covered and has no counterpart is expected of the declarative side, at the
    level that `level_of` names. A declarative error without one is expected, since its tag says so.
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
    once = _once(marks, matcher)
    return VersionExpectation(once, tuple(_shortcomings(once, info, answer, matcher)))


def _has(errors: Errors, wanted: FieldError, matcher: Matcher) -> bool:
    key = _plain(ExpectedError(wanted, True), matcher)
    return any(_plain(ExpectedError(error, False), matcher) == key for error in errors)


def _plain(mark: ExpectedError, matcher: Matcher) -> tuple[object, ...]:
    return mark.error.type, matcher.normalize(mark.error.field), mark.error.origin


def _strict(mark: ExpectedError, matcher: Matcher) -> tuple[object, ...]:
    return (*_plain(mark, matcher), mark.error.level, mark.handwritten)


def _once(marks: Sequence[ExpectedError], matcher: Matcher) -> tuple[ExpectedError, ...]:
    """Keep one of those that one expectation stands for: with an origin it may be met more than once."""
    first: dict[object, ExpectedError] = {}
    for number, mark in enumerate(marks):
        key = (*_strict(mark, matcher), mark.skipped) if mark.error.origin else number
        first.setdefault(key, mark)
    return tuple(first.values())


def _shortcomings(marks: Sequence[ExpectedError], info: KindInfo, answer: Answer, matcher: Matcher) -> list[str]:
    """Say what the helper would complain about."""
    said = []
    for setting in settings(info.composition):
        kept, enforced = compose_parts(answer.handwritten, answer.declarative, info, setting)
        got = [ExpectedError(error, True) for error in kept] + [ExpectedError(error, False) for error in enforced]
        wanted = [mark for mark in marks if not (setting.is_graduated and mark.skipped)]
        key: _Key = (lambda mark: _strict(mark, matcher)) if setting.is_graduated else lambda m: _plain(m, matcher)
        said += [f"{setting.name}: {text}" for text in _compared(wanted, got, key)]
    found = gather(answer.handwritten, answer.declarative, info, matcher)
    said += [f"handwritten, covered, without a counterpart: {error.text}" for error in found.unmatched]
    said += [f"declarative, without a counterpart: {error.text}" for error in found.extra]
    return said + _versions(info, answer, matcher)


def _compared(wanted: Sequence[ExpectedError], got: Sequence[ExpectedError], key: _Key) -> list[str]:
    """Compare as the helper does: an expectation with an origin takes all it meets, one without takes one."""
    exact = [(m.error.type, m.error.field, m.error.value, m.error.origin, m.error.detail) for m in got]
    said = [f"twice the same: {one[1]}" for one in {one for one in exact if exact.count(one) > 1}]
    left = list(got)
    for mark in wanted:
        hits = [one for one in left if key(one) == key(mark)]
        if not hits:
            said.append(f"not served: {mark.error.text}")
        for hit in hits if mark.error.origin else hits[:1]:
            left.remove(hit)
    return said + [f"served besides: {one.error.text}" for one in left]


def _versions(info: KindInfo, answer: Answer, matcher: Matcher) -> list[str]:
    """Compare the declarative lists of all versions, details included."""

    def form(errors: Errors) -> list[tuple[str, ...]]:
        return sorted((matcher.normalize(one.field), one.type, one.detail, one.origin) for one in errors)

    own = form(answer.declarative)
    return [f"{info.version} and {name} say different things" for name, errors in answer.versions.items()
            if form(errors) != own]  # fmt: skip


def by_versions(
    expected: Mapping[str, VersionExpectation], normalize: Callable[[str], str]
) -> list[tuple[tuple[str, ...], VersionExpectation]]:
    """Group versions that are expected to say the same."""
    groups: dict[object, tuple[list[str], VersionExpectation]] = {}
    for version, one in expected.items():
        key = tuple(
            (m.error.type, normalize(m.error.field), m.error.origin, m.error.level, m.handwritten, m.skipped)
            for m in one.marks
        ), bool(one.differs)  # fmt: skip
        groups.setdefault(key, ([], one))[0].append(version)
    return [(tuple(versions), one) for versions, one in groups.values()]


class Levels:
    """The levels of the rules of a kind: of the same error where it is declared, else the one that most rules have."""

    def __init__(self, rules: Iterable[KnownRule], info: KindInfo) -> None:
        own = [known for known in rules if known.type == info.type]
        self._known = {
            (place, known.rule.type, known.rule.origin): known.rule.level for known in own for place in known.places
        }
        counted = Counter(known.rule.level for known in own if not known.rule.path.startswith("metadata."))
        self._usual: Level = counted.most_common(1)[0][0] if counted else "alpha"

    def __call__(self, error: FieldError) -> Level:
        return self._known.get((canonical_path(error.field), error.type, error.origin), self._usual)
