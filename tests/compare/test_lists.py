"""Pairs of lists are compared once for all kinds of which the same counts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.case import Composition, ServedList
from harness.compare import lists as lists_module
from harness.compare.comparator import Comparator, has_more_lists
from harness.compare.comparison import TWO_SIDES
from harness.compare.lists import list_comparator, migrating
from harness.compare.two_servers import TwoServers
from harness.errormatch.matcher import matcher_for
from harness.errormatch.trusted import NO_WORDINGS, Wordings
from harness.memory import Room
from tests.compare.builders import answer, case, errors, info
from tests.compare.test_composition import COMPOSITIONS, LISTS


def test_memory_is_bounded_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asked again, or after thousands of other lists, the same pair of lists gives the same mismatches."""
    monkeypatch.setattr(lists_module, "_REMEMBERED", Room(20))
    one = list_comparator(info(), Wordings(), TWO_SIDES)
    asked = errors("Required@a covered")
    first = one.compare(asked, ())
    for number in range(100):
        one.compare(errors(f"Required@a[{number}]"), ())
    assert first == one.compare(asked, ())
    assert len(one._memo) <= 20


def test_kinds_share_what_was_compared() -> None:
    """A subresource or another version has the same lists; what makes them mean something else keeps kinds apart."""
    one = list_comparator(info(), NO_WORDINGS, TWO_SIDES)
    assert one is list_comparator(info(version="v9", subresource="status"), NO_WORDINGS, TWO_SIDES)
    others: list[dict[str, Any]] = [
        {"composition": "takeover"}, {"normalization": (("a", "b"),)}, {"short_circuit_mismatch": True},
        {"rules": False},
    ]  # fmt: skip
    apart = [one, *(list_comparator(info(**more), NO_WORDINGS, TWO_SIDES) for more in others)]
    apart += [
        list_comparator(info(), Wordings(), TWO_SIDES),
        list_comparator(info(), NO_WORDINGS, TwoServers("a", "b")),
    ]
    assert len(set(map(id, apart))) == 7


@given(LISTS, LISTS, st.sampled_from(COMPOSITIONS), st.booleans())
def test_what_others_asked_changes_nothing(hv: Any, dv: Any, composition: Composition, is_first: bool) -> None:
    """Paths are looked at for each kind apart: lists that were compared for another one say the same of them."""
    asked, said = case(), answer(hv, dv)
    other = Comparator(info(composition, version="v9"), is_known_path=lambda path: path != "b")
    one = Comparator(info(composition), is_known_path=lambda path: path != "a")
    if is_first:
        other.compare(asked, said)
    alone = Comparator(info(composition), is_known_path=lambda path: path != "a", trusted=Wordings())
    assert one.compare(asked, said) == alone.compare(asked, said)


MARKS = ("", " covered", " alpha", " beta", " covered sc", " covered beta", " sc", " covered alpha")


@pytest.mark.parametrize("composition", COMPOSITIONS)
@pytest.mark.parametrize("type", ["Invalid", "Required", "Internal"])
@pytest.mark.parametrize("rules", [True, False])
def test_what_both_sides_say_alike_counts_by_its_marks(composition: Composition, type: str, rules: bool) -> None:
    """One error of both sides, in the same words, shows at one place what it shows at any other, whoever asks first."""
    more: dict[str, Any] = {"rules": rules, "normalization": (("spec.b", "spec.c"),)}
    one = list_comparator(info(composition, **more), Wordings(), TWO_SIDES)
    for ours in MARKS:
        for theirs in MARKS:
            for path in ("spec.a", "spec.b", "spec.b[0].d"):
                pair = errors(f"{type}@{path}/o{ours}"), errors(f"{type}@{path}/o{theirs}")
                alone = list_comparator(info(composition, **more), Wordings(), TWO_SIDES)
                assert one is not alone
                signatures = [(kind, origin, side) for kind, _, _, origin, side in one.compare(*pair)[1]]
                assert signatures == [(kind, origin, side) for kind, _, _, origin, side in alone.compare(*pair)[1]]


def test_a_version_that_says_the_same_tells_no_more() -> None:
    """Lists of all versions are looked at apart only where one differs."""
    said = errors("Invalid@a/b")
    assert not has_more_lists(answer((), said, versions={"v1": said, "v2": errors("Invalid@a/b")}))
    assert has_more_lists(answer((), said, versions={"v1": said, "v2": ()}))
    assert has_more_lists(answer((), said, served=(ServedList("today", {}, said),)))


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
