"""Mismatch gathering of every generation: semantics.md#7.4 and #7.6, row by row."""

from __future__ import annotations

import pytest

from harness.case import Composition
from harness.compare.covered import candidates, gather
from harness.errormatch.matcher import matcher_for
from tests.compare.builders import error, errors, info

# What one handwritten and one declarative error are to each other, in 1.37.
LEVELS = [
    # handwritten                 declarative              unmatched  extra
    ("Required@a covered",       "Required@a alpha",        "–",      "–"),
    ("Required@a covered",       "Required@a beta",         "–",      "–"),
    ("Required@a covered",       "Required@a",              "H",      "–"),  # standard ones are no candidates
    ("Required@a covered",       "",                        "H",      "–"),
    ("Required@a",               "Required@a beta",         "–",      "D"),  # without a mark there is no twin
    ("Required@a",               "",                        "–",      "–"),
    ("",                         "Required@a alpha",        "–",      "D"),
    ("",                         "Required@a beta",         "–",      "D"),
    ("",                         "Required@a",              "–",      "–"),  # extra standard errors are fine
    ("Required@a covered",       "Required@b beta",         "H",      "D"),
    ("Required@a covered",       "Forbidden@a beta",        "H",      "D"),
    ("Invalid@a/minimum covered", "Invalid@a/maximum beta", "H",      "D"),
    ("Invalid@a covered",        "Invalid@a beta",          "H",      "D"),  # Invalid needs an origin
    ("TooMany@a covered",        "TooMany@a beta",          "–",      "–"),
]  # fmt: skip


@pytest.mark.parametrize(("handwritten", "declarative", "unmatched", "extra"), LEVELS)
@pytest.mark.parametrize("composition", ["levels", "explicit"])
def test_gathering_with_levels(
    composition: Composition, handwritten: str, declarative: str, unmatched: str, extra: str
) -> None:
    """semantics.md#7.4: alpha and beta errors are compared with covered handwritten ones, standard ones are not."""
    hv, dv = errors(*filter(None, [handwritten])), errors(*filter(None, [declarative]))
    one = info(composition)
    expected = (list(hv) if unmatched == "H" else [], list(dv) if extra == "D" else [])
    assert expected == gather(hv, dv, one, matcher_for(()))


@pytest.mark.parametrize("composition", ["shadow", "takeover"])
def test_gathering_without_levels(composition: Composition) -> None:
    """semantics.md#7.6: before enforcement every declarative error is compared, standard ones too."""
    one = info(composition)
    assert gather((), errors("Required@a"), one, matcher_for(())) == ([], list(errors("Required@a")))
    assert gather(errors("Required@a covered"), errors("Required@a"), one, matcher_for(())) == ([], [])


def test_an_uncovered_error_hides_a_covered_one() -> None:
    """semantics.md#7.4: fuzzy deduplication may drop the covered error of two, which leaves its counterpart extra."""
    hv, dv = errors("Required@a", "Required@a covered"), errors("Required@a beta")
    assert gather(hv, dv, info(), matcher_for(())) == ([], list(dv))
    assert gather(hv[::-1], dv, info(), matcher_for(())) == ([], [])


def test_deduplication_until_135_is_exact() -> None:
    """semantics.md#7.6: until 1.35 only identical handwritten errors are one; so the second of two takes no twin."""
    first = error("TooLong@a/maxLength covered", detail="may not be more than 3 bytes")
    second = error("TooLong@a/maxLength covered", detail="too long")
    dv = errors("TooLong@a/maxLength")
    assert gather((first, first), dv, info("takeover"), matcher_for(())) == ([], [])
    assert gather((first, second), dv, info("takeover"), matcher_for(())) == ([second], [])
    assert gather((first, second), dv, info("shadow"), matcher_for(())) == ([], [])


def test_many_to_many_from_137_on() -> None:
    """1.37 lets two handwritten errors share one declarative twin; before, the first one takes it."""
    rules = ((r"^old$", "new"),)
    hv = errors("Required@old covered", "Required@new covered")
    dv = errors("Required@old alpha")
    many = info("levels", normalization=rules)
    one = info("explicit", normalization=rules)
    assert gather(hv, dv, many, matcher_for(rules)) == ([], [])
    assert gather(hv, dv, one, matcher_for(rules)) == ([hv[1]], [])


def test_a_short_circuit_accounts_for_what_lies_below() -> None:
    """semantics.md#7.4: with ShortCircuitMismatch an ancestor's short-circuit excuses an error, but is extra itself."""
    hv, dv = errors("Required@a.b covered"), errors("TooMany@a alpha sc")
    assert gather(hv, dv, info(short_circuit_mismatch=True), matcher_for(())) == ([], list(dv))
    assert gather(hv, dv, info(), matcher_for(())) == (list(hv), list(dv))
    unflagged = errors("TooMany@a alpha")
    assert gather(hv, unflagged, info(short_circuit_mismatch=True), matcher_for(())) == (list(hv), list(unflagged))


def test_candidates() -> None:
    """With levels, only alpha and beta errors are candidates; an internal error without level is none."""
    dv = errors("Required@a", "Required@a alpha", "Required@a beta", "Internal@<nil>")
    assert candidates(dv, "levels") == list(dv[1:3])
    assert candidates(dv, "shadow") == list(dv)
