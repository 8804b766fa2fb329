"""Errors that no composition touches are left out before lists are composed, and nobody notices."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.case import Composition
from harness.compare import lists as lists_module
from harness.compare.comparator import Comparator
from harness.compare.migrating import migrating
from harness.errormatch.matcher import matcher_for
from harness.errormatch.trusted import Wordings
from tests.compare.builders import answer, case, errors, info
from tests.compare.test_composition import COMPOSITIONS, LISTS


def test_what_counts_is_marked_or_shares_its_field() -> None:
    """Also by what normalization makes of a field; a short-circuit speaks for fields below its own."""
    matcher = matcher_for(((r"^spec\.c$", "spec.d"),))
    handwritten = errors(
        "Required@spec.a", "Required@spec.b covered", "Required@spec.c", "Invalid@spec.e sc", "Required@spec.f",
        "Required@spec.g", "Invalid@spec.g",
    )  # fmt: skip
    found = migrating(handwritten, errors("Required@spec.d", "Required@spec.f"), matcher)
    assert found == handwritten[1:]
    assert migrating(handwritten[:1], (), matcher) == ()


@given(LISTS, LISTS, st.sampled_from(COMPOSITIONS), st.booleans())
def test_errors_that_no_composition_touches_change_nothing(
    hv: Any, dv: Any, composition: Composition, stops: bool
) -> None:
    """What is left out before lists are composed would have said nothing, whatever normalization makes of its field."""
    kind = info(composition, normalization=((r"^a\[0\]\.c$", "b"), ("^b$", "a")), short_circuit_mismatch=stops)
    found = Comparator(kind).compare(case(), answer(hv, dv))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lists_module, "migrating", lambda handwritten, *_: handwritten)
        assert found == Comparator(kind, trusted=Wordings()).compare(case(), answer(hv, dv))
