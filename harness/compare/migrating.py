"""Which handwritten errors count when lists are composed: what is wrong besides differs from case to case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from harness.errormatch.matcher import Matcher
from harness.field import FieldError


def migrating(
    handwritten: Sequence[FieldError], declarative: Sequence[FieldError], matcher: Matcher
) -> tuple[FieldError, ...]:
    """Return the handwritten errors that the migration can do anything to, or that something else depends on.

    The others are unmarked and stand at a field of their own, before and after normalization: most of all errors.
    """
    normalize = matcher.normalize
    fields = [error.field for error in handwritten]
    fields += [error.field for error in declarative]
    names = [*fields, *(other for field in fields if (other := normalize(field)) != field)]
    telling = [error for error in handwritten if error.covered or error.short_circuit]
    if len(telling) == len(handwritten) or len(set(names)) == len(names):
        return tuple(telling)
    shared = {name for name, times in Counter(names).items() if times > 1}
    return tuple(
        error
        for error in handwritten
        if error.covered or error.short_circuit or error.field in shared or normalize(error.field) in shared
    )
