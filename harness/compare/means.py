"""What the judge is given besides the target: ways to ask that it has no knowledge for itself.

The judge reads neither types nor rules, and knows one setting of the feature gates. Who starts it knows more, and hands
in functions over plain data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from harness.case import Answer, Case, Json
from harness.field import FieldError

Mend: TypeAlias = Callable[[Case, FieldError], Iterable[tuple[Json, Json]]]
"""Yields pairs of new and old in which an error of the case may be gone, the likeliest first."""

Elsewhere: TypeAlias = Callable[[list[Case]], list[Answer]]
"""Answers a batch of cases as the same target does under another setting of its feature gates."""


def mend_nothing(case: Case, error: FieldError) -> Iterable[tuple[Json, Json]]:
    """Know no repair."""
    return ()


@dataclass(frozen=True, slots=True)
class Means:
    """What the judge may use. `elsewhere` has other settings of the process-global gates by the name people know."""

    mend: Mend = mend_nothing
    elsewhere: Mapping[str, Elsewhere] = field(default_factory=lambda: MappingProxyType({}))


NO_MEANS = Means()
