"""Matches handwritten with declarative errors.

The judge needs one configuration of upstream's matcher, the *fuzzy* one: by type, by origin, with an origin required
when the type is Invalid, and by normalized field; and the same with short-circuits of ancestors. Source: apimachinery
pkg/util/validation/field/error_matcher.go (2026-07); semantics.md#6.5.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TypeAlias

from harness.errormatch.normalize import Normalizer, normalizer
from harness.field import ErrorType, FieldError
from harness.jsonpath import is_below

Key: TypeAlias = tuple[str, str, str]
"""The properties of an error that the matcher compares: type, normalized path, origin."""

_INVALID = ErrorType.INVALID.value


class Matcher:
    """Compares errors. `want` is in the internal form, `got` may come from any version and is normalized."""

    __slots__ = ("normalize",)

    def __init__(self, normalize: Normalizer) -> None:
        self.normalize = normalize

    def matches(self, want: FieldError, got: FieldError) -> bool:
        """Whether the two agree in type, origin and normalized field; Invalid errors without origin never do."""
        if want.type != got.type or want.origin != got.origin:
            return False
        if not want.origin and want.type == _INVALID:
            return False
        field = got.field
        return want.field == field or want.field == self.normalize(field)

    def stops(self, got: FieldError, want: FieldError) -> bool:
        """Whether `got` short-circuits a field above the one of `want`."""
        if not got.short_circuit:
            return False
        field = got.field
        return is_below(want.field, field) or (want.field != field and is_below(want.field, self.normalize(field)))

    def index(self, got: Iterable[FieldError]) -> dict[Key, list[int]]:
        """Index a list, so that matching long lists does not compare every pair.

        Returns: the indexes of the errors that `matches` accepts for an error, by its `wanted` key.
        """
        found: dict[Key, list[int]] = {}
        normalize = self.normalize
        for number, error in enumerate(got):
            if error.origin or error.type != _INVALID:
                field = error.field
                found.setdefault((error.type, field, error.origin), []).append(number)
                if (other := normalize(field)) != field:
                    found.setdefault((error.type, other, error.origin), []).append(number)
        return found

    def wanted(self, want: FieldError) -> Key:
        """Return the key of an error in the result of `index`."""
        return want.type, want.field, want.origin

    def key(self, error: FieldError) -> Key:
        """Return the key that errors of one rule at one path share, whatever their details."""
        return error.type, self.normalize(error.field), error.origin


@lru_cache(maxsize=1024)
def matcher_for(rules: tuple[tuple[str, str], ...]) -> Matcher:
    """Return the shared matcher with these normalization rules."""
    return Matcher(normalizer(rules))
