"""Compares what users are served today with what they are served once a rule has graduated.

After graduation the rule is standard and the handwritten errors that are marked as covered by it are gone; everything
else stays as it is. Both lists of an answer are composed as the release composes them, under each of today's settings
of the gates. Which errors are those of the rule is handed in as keys: nothing here reads a tag.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import msgspec

from harness.case import Answer, KindInfo
from harness.compare.composition import compose, settings
from harness.errormatch.matcher import Matcher, matcher_for
from harness.errormatch.trusted import Wordings
from harness.field import FieldError, Level
from harness.jsonpath import canonical_path, first_items

ErrorKey: TypeAlias = tuple[str, str, str]
"""Canonical path, type and origin of an error."""

Effect: TypeAlias = Literal["accepted", "rejected", "lost", "twice", "added", "words"]
EFFECTS: tuple[Effect, ...] = ("accepted", "rejected", "lost", "twice", "added", "words")
"""What changes for users, the worst first: newly accepted or rejected objects, then the errors of rejected ones."""


@dataclass(frozen=True, slots=True)
class RuleErrors:
    """The errors of one rule: the keys of its declarative ones, those of the handwritten check, and its level today."""

    declarative: frozenset[ErrorKey]
    handwritten: frozenset[ErrorKey]
    level: Level

    @classmethod
    def of(cls, places: Sequence[str], type_: str, origin: str, level: Level, matcher: Matcher) -> RuleErrors:
        """Return the errors of a rule that reports at these canonical paths of one version."""
        inner = [canonical_path(matcher.normalize(first_items(place))) for place in places]
        return cls(
            frozenset((place, type_, origin) for place in places),
            frozenset((place, type_, origin) for place in inner),
            level,
        )

    def reports(self, error: FieldError) -> bool:
        """Whether a declarative error is one of the rule, at the level that it has today."""
        return error.level == self.level and (canonical_path(error.field), error.type, error.origin) in self.declarative

    def counts(self, error: FieldError, matcher: Matcher) -> bool:
        """Whether a handwritten error is one of the check that the rule takes the place of, marked or not."""
        path = canonical_path(matcher.normalize(error.field))
        return (path, error.type, error.origin) in self.handwritten


class Effects(msgspec.Struct, frozen=True):
    """What one answer shows of the graduation of one rule, under the first setting that shows the worst of it."""

    effect: Effect
    setting: str
    today: tuple[str, ...]
    after: tuple[str, ...]

    @property
    def changes_verdict(self) -> bool:
        """Whether an object is accepted that was rejected, or the reverse."""
        return self.effect in ("accepted", "rejected")


def compare_after(
    handwritten: Sequence[FieldError],
    declarative: Sequence[FieldError],
    rule: RuleErrors,
    info: KindInfo,
    trusted: Wordings,
) -> Effects | None:
    """Return what users would notice of the graduation of a rule in one answer; None if they notice nothing."""
    left, raised = _both_after(handwritten, declarative, [rule], info)
    found: list[Effects] = []
    for setting in settings(info.composition)[:-1]:  # the last one is no setting of a server
        today = compose(handwritten, declarative, info, setting)
        after = compose(left, raised, info, setting)
        effect = _effect(today, after, handwritten, info, trusted)
        if effect is not None:
            texts = (tuple(error.text for error in errors) for errors in (today, after))
            found.append(Effects(effect, setting.name, *texts))
    return min(found, key=lambda one: EFFECTS.index(one.effect), default=None)


def answer_after(answer: Answer, rules: Sequence[RuleErrors], info: KindInfo) -> Answer:
    """Return an answer as both sides give it once all of these rules have graduated."""
    left, raised = _both_after(answer.handwritten, answer.declarative, rules, info)
    return msgspec.structs.replace(answer, handwritten=tuple(left), declarative=tuple(raised))


def _both_after(
    handwritten: Sequence[FieldError], declarative: Sequence[FieldError], rules: Sequence[RuleErrors], info: KindInfo
) -> tuple[list[FieldError], list[FieldError]]:
    matcher = matcher_for(info.normalization)
    left = [
        error for error in handwritten if not (error.covered and any(rule.counts(error, matcher) for rule in rules))
    ]
    raised = [
        msgspec.structs.replace(one, level="") if any(rule.reports(one) for rule in rules) else one
        for one in declarative
    ]
    return left, raised


def _effect(
    today: Sequence[FieldError],
    after: Sequence[FieldError],
    handwritten: Sequence[FieldError],
    info: KindInfo,
    trusted: Wordings,
) -> Effect | None:
    if bool(today) != bool(after):
        return "rejected" if after else "accepted"
    if [error.text for error in today] == [error.text for error in after]:
        return None
    matcher = matcher_for(info.normalization)
    before, then = (Counter(error.text for error in errors) for errors in (today, after))
    gone = [error for error in today if error.text not in then]
    come = [error for error in after if error.text not in before]
    changed = False
    for error in list(gone):
        same = [other for other in come if matcher.matches(error, other)]
        if same:
            gone.remove(error)
            alike = next((other for other in same if trusted.same(error, other)), None)
            changed = changed or alike is None
            come.remove(alike or same[0])
    if gone:
        return "lost"
    kept = [error for error in today if error.text in then]
    if any(matcher.matches(error, other) for error in kept for other in come) or _repeats(before, then, handwritten):
        return "twice"
    # One handwritten error may stand for several of the rule: two bad items, told once because their text is one.
    keys = {matcher.key(error) for error in today}
    return "added" if any(matcher.key(error) not in keys for error in come) else "words" if changed else None


def _repeats(before: Counter[str], then: Counter[str], handwritten: Sequence[FieldError]) -> bool:
    """Whether a text is served more often than today, and than handwritten code makes it."""
    made = Counter(error.text for error in handwritten)
    return any(times > max(before[text], made[text]) for text, times in then.items() if text in before)
