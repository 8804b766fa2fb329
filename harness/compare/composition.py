"""Composes the errors that a user sees from two lists under given gates, for every generation of the migration.

| composition | releases | what decides which errors are served |
|---|---|---|
| `levels` | 1.37 | the level of each declarative error and DeclarativeValidationBeta |
| `explicit` | 1.36, opted in | the same, but by the handwritten error's own level, even without a counterpart |
| `shadow` | 1.36, not opted in | handwritten errors alone |
| `takeover` | 1.33 to 1.35 | DeclarativeValidation and DeclarativeValidationTakeover |

`graduated` is the state after the migration: every declarative error is served, and no covered handwritten error.
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
"""The gates that only decide how two lists are composed."""

Parts: TypeAlias = tuple[list[FieldError], list[FieldError]]
"""The served errors in two halves: handwritten errors that are kept, declarative errors that are enforced."""

_INTERNAL = ErrorType.INTERNAL.value


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of the migration's gates. The name is also used in the protocol."""

    name: str
    gates: Gates = field(default_factory=dict, hash=False)

    @property
    def is_graduated(self) -> bool:
        """Whether this is the end of the migration and not a setting of today."""
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
    """Return the setting that relies on handwritten validation most: the last one of today."""
    return settings(composition)[-2]


def compose(
    handwritten: Sequence[FieldError],
    declarative: Sequence[FieldError],
    info: KindInfo,
    setting: Setting,
    parent: Sequence[FieldError] = (),
) -> list[FieldError]:
    """Return the served errors: handwritten errors that are kept, then enforced declarative errors, each in order.

    Where there are none, those of the `parent` are served.
    """
    kept, enforced = compose_parts(handwritten, declarative, info, setting)
    return kept + enforced or list(parent)


def compose_parts(
    handwritten: Sequence[FieldError], declarative: Sequence[FieldError], info: KindInfo, setting: Setting
) -> Parts:
    """Return the served errors in two halves."""
    (parts,) = compose_each(handwritten, declarative, info, (setting,))
    return parts


def compose_each(
    handwritten: Sequence[FieldError], declarative: Sequence[FieldError], info: KindInfo, every: Sequence[Setting]
) -> list[Parts]:
    """Return the served errors under each of these settings, in two halves."""
    once = dedupe_by_text(handwritten)
    match info.composition:
        case "takeover":
            return [_takeover(handwritten, declarative, setting, rules=info.rules) for setting in every]
        case "shadow":
            return [_shadow(handwritten, once, declarative, setting, rules=info.rules) for setting in every]
        case "explicit":
            return [_explicit(once, declarative, setting) for setting in every]
        case "levels":
            matcher = matcher_for(info.normalization)
            return [_levels(once, declarative, setting, matcher) for setting in every]


def is_enforced(error: FieldError, *, beta: bool) -> bool:
    """Whether a declarative error is served: internal and standard ones always, beta ones by the gate, alpha never."""
    return not error.level or error.type == _INTERNAL or (beta and error.level == "beta")


def dedupe_by_text(errors: Sequence[FieldError]) -> list[FieldError]:
    """Drop errors with the text of an earlier one. Origins and covered marks are ignored (semantics.md#S39)."""
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
    # 1.36 reads the level of the handwritten error and does not check whether there is a declarative one.
    kept = [e for e in once if not (e.covered and e.level == "beta" and beta)]
    return kept, [error for error in dv if is_enforced(error, beta=beta)]


def _shadow(
    hv: Sequence[FieldError], once: Sequence[FieldError], dv: Sequence[FieldError], setting: Setting, *, rules: bool
) -> Parts:
    # Upstream returns before it drops duplicates, so identical texts are kept. A strategy that never runs declarative
    # validation composes no lists either, so it serves its covered errors even when graduated.
    migrates = setting.is_graduated and (rules or dv)
    return _graduated(once, dv) if migrates else (list(hv), [])


def _takeover(hv: Sequence[FieldError], dv: Sequence[FieldError], setting: Setting, *, rules: bool) -> Parts:
    taken_over = setting.is_graduated or (setting.gates[VALIDATION] and setting.gates[TAKEOVER])
    # As above: marks are set in functions that strategies without declarative validation call, too.
    if taken_over and (rules or dv):
        return [error for error in hv if not error.covered], list(dv)
    return list(hv), []


def _graduated(once: Sequence[FieldError], dv: Sequence[FieldError]) -> Parts:
    return [error for error in once if not error.covered], list(dv)


class Served:
    """The errors served under one setting, in two halves; `errors` is the whole list in the order of the response."""

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

    def equals(self, other: Served) -> bool:
        """Whether both settings serve equal lists."""
        return self.handwritten == other.handwritten and self.declarative == other.declarative

    @property
    def rules(self) -> dict[Key, list[int]]:
        """The indexes of the declarative errors, by the keys of the handwritten errors that they match."""
        if self._rules is None:
            self._rules = self._matcher.index(self.declarative)
        return self._rules

    def has_equivalent(self, error: FieldError) -> bool:
        """Whether a served error of either validator is equivalent: equal type, path and origin, or the two match."""
        matcher = self._matcher
        if self._plain is None:
            self._plain = set(map(matcher.wanted, self.errors))
        if matcher.wanted(error) in self._plain:
            return True
        if self._by_key is None:
            self._by_key = matcher.index(self.errors)
        return matcher.wanted(error) in self._by_key or any(one in self._plain for one in matcher.index((error,)))
