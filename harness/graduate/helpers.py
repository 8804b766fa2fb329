"""Doubts a safe rule whose check is made by a line that changes something for another field.

A helper that counts bytes where the rule counts characters does so for every field that it checks. The search may show
it for one of them and not for another, so that the other is not certified.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from harness.graduate.document import Certificate

_OF_VALUES = ("accepted", "rejected", "words")
"""Effects that a helper has by itself. What ratchets, and what stops before it, is a matter of its callers."""


class _Helper(NamedTuple):
    """The line of a check, and the rule that takes its place."""

    line: str
    type: str
    origin: str
    limit: int | None


def doubt_shared(certificates: Sequence[Certificate]) -> tuple[Certificate, ...]:
    """Return the certificates; a safe rule becomes unknown if its line changes something for another field."""
    changed: dict[_Helper, Certificate] = {}
    for one in certificates:
        helper = _helper_of(one)
        if helper is not None and one.verdict == "changes" and any(name in one.effects for name in _OF_VALUES):
            changed.setdefault(helper, one)
    return tuple(_doubted(one, changed.get(helper)) if (helper := _helper_of(one)) else one for one in certificates)


def _helper_of(one: Certificate) -> _Helper | None:
    return None if one.check is None else _Helper(one.check.line, one.type, one.origin, one.limit)


def _doubted(one: Certificate, other: Certificate | None) -> Certificate:
    is_proved = one.proof is not None and one.proof.outcome == "proved"
    if other is None or one.verdict != "safe" or is_proved:
        return one
    effect = next(name for name in _OF_VALUES if name in other.effects)
    missing = (
        f"helper: the line of the check changes {other.name} ({effect}), and may change this field in the same way"
    )
    return msgspec.structs.replace(one, verdict="unknown", missing=(missing,))
