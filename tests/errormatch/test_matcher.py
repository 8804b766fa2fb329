"""When two errors are the same: semantics.md#6.5, switch by switch."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errormatch.matcher import matcher_for
from harness.field import FieldError

REQUIRED, INVALID, TOO_MANY = "FieldValueRequired", "FieldValueInvalid", "FieldValueTooMany"
RULES = ((r"^old(.*)$", "new$1"),)


def err(kind: str, field: str, origin: str = "", *, sc: bool = False) -> FieldError:
    return FieldError(kind, field, origin=origin, short_circuit=sc)


MATCHES = [
    # want, got, expected
    (err(REQUIRED, "a"), err(REQUIRED, "a"), True),
    (err(REQUIRED, "a"), err(TOO_MANY, "a"), False),
    (err(REQUIRED, "a"), err(REQUIRED, "b"), False),
    (err(REQUIRED, "a"), err(REQUIRED, "a", "x"), False),
    (err(INVALID, "a", "x"), err(INVALID, "a", "x"), True),
    (err(INVALID, "a", "x"), err(INVALID, "a", "y"), False),
    (err(INVALID, "a"), err(INVALID, "a"), False),  # Invalid needs an origin
    (err(REQUIRED, "new.x"), err(REQUIRED, "old.x"), True),  # got is normalized
    (err(REQUIRED, "old.x"), err(REQUIRED, "new.x"), False),  # want is not
    (err(REQUIRED, "old.x"), err(REQUIRED, "old.x"), True),  # equal fields need no normalization
]


@pytest.mark.parametrize(("want", "got", "expected"), MATCHES)
def test_fuzzy_match(want: FieldError, got: FieldError, expected: bool) -> None:
    """Type, origin and normalized field decide, an origin is required when Invalid, and nothing else counts."""
    matcher = matcher_for(RULES)
    assert expected == matcher.matches(want, got)
    louder = FieldError(got.type, got.field, "other words", got.origin, "alpha", True, True, "value")
    assert expected == matcher.matches(want, louder)


ANCESTORS = [
    (err(REQUIRED, "a.b"), err(TOO_MANY, "a", sc=True), True),
    (err(REQUIRED, "a.b"), err(TOO_MANY, "a"), False),  # not a short-circuit
    (err(REQUIRED, "a"), err(TOO_MANY, "a", sc=True), False),  # the same field is no ancestor
    (err(INVALID, "a[0]"), err(TOO_MANY, "a", sc=True), True),  # regardless of every other switch
    (err(REQUIRED, "new.x"), err(TOO_MANY, "old", sc=True), True),  # by the normalized path
    (err(REQUIRED, "old.x"), err(TOO_MANY, "old", sc=True), True),  # or by the path as reported
    (err(REQUIRED, "a.b"), err(TOO_MANY, "a.c", sc=True), False),
]


@pytest.mark.parametrize(("want", "got", "expected"), ANCESTORS)
def test_ancestor_short_circuit(want: FieldError, got: FieldError, expected: bool) -> None:
    """A short-circuit on an ancestor accounts for any error below it."""
    assert expected == matcher_for(RULES).stops(got, want)


def test_matching_errors_have_the_same_key() -> None:
    """Errors of one rule at one path have the same key in every version."""
    matcher = matcher_for(RULES)
    assert matcher.key(err(REQUIRED, "new.x")) == matcher.key(err(REQUIRED, "old.x")) == (REQUIRED, "new.x", "")


FIELDS = st.sampled_from(["a", "a.b", "old", "old.b", "new", "new.b"])
ERRORS = st.builds(err, st.sampled_from([REQUIRED, INVALID]), FIELDS, st.sampled_from(["", "x"]), sc=st.booleans())


@given(ERRORS, ERRORS)
def test_a_match_has_one_key(want: FieldError, got: FieldError) -> None:
    """What matches agrees in type and origin, and in the field once both are in the internal form."""
    matcher = matcher_for(RULES)
    if matcher.matches(want, got):
        assert matcher.key(want) == matcher.key(got)
