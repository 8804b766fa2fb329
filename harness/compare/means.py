"""What the judge is given besides the target: ways to ask that it has no knowledge for itself.

The judge reads neither types nor rules. Who starts it knows more, and hands in functions over plain data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from harness.case import Case, Json
from harness.field import FieldError

Mend: TypeAlias = Callable[[Case, FieldError], Iterable[tuple[Json, Json]]]
"""Yields pairs of new and old in which an error of the case may be gone, the likeliest first."""


def mend_nothing(case: Case, error: FieldError) -> Iterable[tuple[Json, Json]]:
    """Know no repair."""
    return ()


@dataclass(frozen=True, slots=True)
class Means:
    """What the judge may use."""

    mend: Mend = mend_nothing


NO_MEANS = Means()
