"""What a user sees of two lists under given gates, for every generation of the migration.

| composition | releases | who decides what is shown |
|---|---|---|
| `levels` | 1.37 | the level of each declarative error and DeclarativeValidationBeta |
| `explicit` | 1.36, opted in | the same, but a handwritten error carries its own level and goes without a counterpart |
| `shadow` | 1.36, not opted in | handwritten errors alone |
| `takeover` | 1.33 to 1.35 | DeclarativeValidation and DeclarativeValidationTakeover |

`graduated` is the day after the migration: every declarative error counts, every covered handwritten error is gone.
Source: apiserver pkg/registry/rest/validate.go, apimachinery pkg/api/validate/errors.go (2026-07);
semantics.md#7.3, #7.4, #7.6.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from harness.case import Composition, Gates, KindInfo
from harness.errormatch.matcher import Key, Matcher, matcher_for
from harness.field import ErrorType, FieldError

BETA = "DeclarativeValidationBeta"
VALIDATION = "DeclarativeValidation"
TAKEOVER = "DeclarativeValidationTakeover"
MIGRATION = frozenset({BETA, VALIDATION, TAKEOVER})
"""The gates that decide how two lists are composed, and nothing else."""

Parts: TypeAlias = tuple[list[FieldError], list[FieldError]]
"""What is served, in two halves: handwritten errors that stay, declarative errors that count."""

_INTERNAL = ErrorType.INTERNAL.value


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of the migration's gates, by a name that the wire uses too."""

    name: str
    gates: Gates = field(default_factory=dict, hash=False)

    @property
    def is_graduated(self) -> bool:
        """Whether this is no setting of today but the end of the migration."""
        return self.name == GRADUATED


GRADUATED = "graduated"

_BETA_SETTINGS = (Setting("beta-on", {BETA: True}), Setting("beta-off", {BETA: False}), Setting(GRADUATED))
_TAKEOVER_SETTINGS = (
    Setting("takeover", {VALIDATION: True, TAKEOVER: True}),
    Setting("validation-on", {VALIDATION: True, TAKEOVER: False}),
    Setting("takeover-only", {VALIDATION: False, TAKEOVER: True}),
    Setting("validation-off", {VALIDATION: False, TAKEOVER: False}),
    Setting(GRADUATED),
)


def settings(composition: Composition) -> tuple[Setting, ...]:
    """Return every setting of the migration's gates today, and `graduated` last."""
    return _TAKEOVER_SETTINGS if composition == "takeover" else _BETA_SETTINGS


def baseline(composition: Composition) -> Setting:
    """Return the setting that trusts the handwritten side: the last one of today."""
    return settings(composition)[-2]


def compose(
    handwritten: Sequence[FieldError], declarative: Sequence[FieldError], info: KindInfo, setting: Setting
) -> list[FieldError]:
    """Return what a user is served: surviving handwritten errors, then declarative errors that count, each in order."""
    kept, enforced = compose_parts(handwritten, declarative, info, setting)
    return kept + enforced


def compose_parts(
    handwritten: Sequence[FieldError], declarative: Sequence[FieldError], info: KindInfo, setting: Setting
) -> Parts:
    """Return what a user is served, the two halves apart."""
    (parts,) = compose_each(handwritten, declarative, info, (setting,))
    return parts


def compose_each(
    handwritten: Sequence[FieldError], declarative: Sequence[FieldError], info: KindInfo, every: Sequence[Setting]
) -> list[Parts]:
    """Return what a user is served under each of these settings, the two halves apart."""
    once = dedupe_by_text(handwritten)
    match info.composition:
        case "takeover":
            return [_takeover(handwritten, declarative, setting) for setting in every]
        case "shadow":
            return [_shadow(handwritten, once, declarative, setting, rules=info.rules) for setting in every]
        case "explicit":
            return [_explicit(once, declarative, setting) for setting in every]
        case "levels":
            matcher = matcher_for(info.normalization)
            return [_levels(once, declarative, setting, matcher) for setting in every]


def is_enforced(error: FieldError, *, beta: bool) -> bool:
    """Whether a declarative error counts: internal and standard ones always, beta ones by the gate, alpha never."""
    return not error.level or error.type == _INTERNAL or (beta and error.level == "beta")


def dedupe_by_text(errors: Sequence[FieldError]) -> list[FieldError]:
    """Drop errors whose text was seen before. Origins and marks do not count (semantics.md#S39)."""
    if len(errors) < 2:
        return list(errors)
    fields = [error.field for error in errors]
    if len(set(fields)) == len(fields):  # a text begins with its field
        return list(errors)
    shared = Counter(fields)
    first: dict[tuple[str, str], FieldError] = {}
    for error in errors:
        first.setdefault((error.field, error.text if shared[error.field] > 1 else ""), error)
    return list(first.values())


def _levels(once: Sequence[FieldError], dv: Sequence[FieldError], setting: Setting, matcher: Matcher) -> Parts:
    if setting.is_graduated:
        return _graduated(once, dv)
    beta = setting.gates[BETA]
    enforced = [error for error in dv if is_enforced(error, beta=beta)]
    counterparts = [error for error in enforced if error.level == "beta"]
    if not counterparts:
        return list(once), enforced
    known = matcher.index(counterparts)
    return [e for e in once if not (e.covered and matcher.wanted(e) in known)], enforced


def _explicit(once: Sequence[FieldError], dv: Sequence[FieldError], setting: Setting) -> Parts:
    if setting.is_graduated:
        return _graduated(once, dv)
    beta = setting.gates[BETA]
    # 1.36 asks the handwritten error for its level and does not look whether a declarative one is there.
    kept = [e for e in once if not (e.covered and e.level == "beta" and beta)]
    return kept, [error for error in dv if is_enforced(error, beta=beta)]


def _shadow(
    hv: Sequence[FieldError], once: Sequence[FieldError], dv: Sequence[FieldError], setting: Setting, *, rules: bool
) -> Parts:
    # The early return comes before the filter, so identical texts stay. A strategy that never runs declarative
    # validation composes nothing either, and keeps its covered errors to the end.
    migrates = setting.is_graduated and (rules or dv)
    return _graduated(once, dv) if migrates else (list(hv), [])


def _takeover(hv: Sequence[FieldError], dv: Sequence[FieldError], setting: Setting) -> Parts:
    if setting.is_graduated or (setting.gates[VALIDATION] and setting.gates[TAKEOVER]):
        return [error for error in hv if not error.covered], list(dv)
    return list(hv), []


def _graduated(once: Sequence[FieldError], dv: Sequence[FieldError]) -> Parts:
    return [error for error in once if not error.covered], list(dv)


class Served:
    """What is served under one setting, in two halves; `errors` is the whole list, as the user reads it."""

    __slots__ = ("_by_key", "_matcher", "_plain", "_rules", "declarative", "errors", "handwritten", "setting")

    def __init__(
        self, setting: Setting, handwritten: list[FieldError], declarative: list[FieldError], matcher: Matcher
    ) -> None:
        self.setting, self.handwritten, self.declarative = setting, handwritten, declarative
        self.errors = handwritten + declarative
        self._matcher = matcher
        self._plain: set[Key] | None = None
        self._by_key: dict[Key, list[int]] | None = None
        self._rules: dict[Key, list[int]] | None = None

    def says_the_same(self, other: Served) -> bool:
        """Whether the very same is served under the other's setting."""
        return self.handwritten == other.handwritten and self.declarative == other.declarative

    @property
    def rules(self) -> dict[Key, list[int]]:
        """The numbers of the declarative errors by the keys of what they match."""
        if self._rules is None:
            self._rules = self._matcher.index(self.declarative)
        return self._rules

    def tells(self, error: FieldError) -> bool:
        """Whether some served error tells the user the same as this one, whichever side they come from.

        The same is: type, field and origin are equal, or one matches the other.
        """
        matcher = self._matcher
        if self._plain is None:
            self._plain = set(map(matcher.wanted, self.errors))
        if matcher.wanted(error) in self._plain:
            return True
        if self._by_key is None:
            self._by_key = matcher.index(self.errors)
        return matcher.wanted(error) in self._by_key or any(one in self._plain for one in matcher.index((error,)))
