"""The truth tables of semantics.md#7.3 and #7.6, row by row."""

from __future__ import annotations

import itertools
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.case import Composition
from harness.compare.comparator import Comparator
from harness.compare.composition import (
    GRADUATED,
    Served,
    Setting,
    baseline,
    compose,
    compose_parts,
    dedupe_by_text,
    settings,
)
from harness.compare.covered import unique
from harness.errormatch.matcher import matcher_for
from harness.field import FieldError
from tests.compare.builders import answer, case, error, errors, info

COMPOSITIONS: tuple[Composition, ...] = ("levels", "explicit", "shadow", "takeover")


def setting(composition: Composition, name: str) -> Setting:
    return next(one for one in settings(composition) if one.name == name)


def served(
    composition: Composition, name: str, hv: tuple[FieldError, ...], dv: tuple[FieldError, ...]
) -> list[FieldError]:
    return compose(hv, dv, info(composition), setting(composition, name))


# semantics.md#7.3, fate of a declarative error.
FATE_OF_DV = [
    # declarative error          beta-on      beta-off    graduated
    ("Internal@<nil>",           "returned", "returned", "returned"),
    ("Internal@<nil> alpha",     "returned", "returned", "returned"),
    ("Internal@<nil> beta",      "returned", "returned", "returned"),
    ("Required@spec.a",          "returned", "returned", "returned"),
    ("Required@spec.a beta",     "returned", "hidden",   "returned"),
    ("Required@spec.a alpha",    "hidden",   "hidden",   "returned"),
]  # fmt: skip


@pytest.mark.parametrize(("declarative", "beta_on", "beta_off", "graduated"), FATE_OF_DV)
@pytest.mark.parametrize("composition", ["levels", "explicit"])
def test_fate_of_a_declarative_error(
    composition: Composition, declarative: str, beta_on: str, beta_off: str, graduated: str
) -> None:
    """semantics.md#7.3: internal and standard errors are returned, beta ones by the gate, alpha ones when graduated."""
    for name, fate in (("beta-on", beta_on), ("beta-off", beta_off), (GRADUATED, graduated)):
        expected = [error(declarative)] if fate == "returned" else []
        assert expected == served(composition, name, (), errors(declarative))


# semantics.md#7.3, fate of a handwritten error; the declarative errors beside it stand in the middle.
FATE_OF_HV = [
    # handwritten           declarative        beta-on    beta-off   graduated
    ("Required@a",         [],                 "kept",    "kept",    "kept"),
    ("Required@a",         ["Required@a beta"], "kept",   "kept",    "kept"),
    ("Required@a covered", ["Required@a beta"], "removed", "kept",   "removed"),
    ("Required@a covered", ["Required@a"],      "kept",   "kept",    "removed"),
    ("Required@a covered", ["Required@a alpha"], "kept",  "kept",    "removed"),
    ("Required@a covered", [],                  "kept",   "kept",    "removed"),
]  # fmt: skip


@pytest.mark.parametrize(("handwritten", "declarative", "beta_on", "beta_off", "graduated"), FATE_OF_HV)
def test_fate_of_a_handwritten_error(
    handwritten: str, declarative: list[str], beta_on: str, beta_off: str, graduated: str
) -> None:
    """semantics.md#7.3: a covered error goes when a beta twin is shown, or when everything is enforced."""
    for name, fate in (("beta-on", beta_on), ("beta-off", beta_off), (GRADUATED, graduated)):
        kept, _ = compose_parts(errors(handwritten), errors(*declarative), info(), setting("levels", name))
        assert ([error(handwritten)] if fate == "kept" else []) == kept


@pytest.mark.parametrize("name", ["beta-on", "beta-off", GRADUATED])
def test_a_repeated_text_is_dropped(name: str) -> None:
    """semantics.md#7.3, last row: of two handwritten errors with one text the first stays, whatever their origins."""
    twice = (error("Invalid@a/minimum", detail="d"), error("Invalid@a/maximum", detail="d"))
    assert [twice[0]] == served("levels", name, twice, ())


# semantics.md#7.3, what a user sees of one rule: H and D have type, path and origin in common.
TRUTH_TABLE = [
    # HV fires, covered, DV level, DV fires, beta on → user sees, beta off → user sees
    ("no",  "–",   "alpha",    "yes", "–",    "–"),
    ("no",  "–",   "beta",     "yes", "D",    "–"),
    ("no",  "–",   "standard", "yes", "D",    "D"),
    ("yes", "no",  "alpha",    "yes", "H",    "H"),
    ("yes", "no",  "beta",     "yes", "H, D", "H"),
    ("yes", "no",  "standard", "yes", "H, D", "H, D"),
    ("yes", "yes", "alpha",    "yes", "H",    "H"),
    ("yes", "yes", "beta",     "yes", "D",    "H"),
    ("yes", "yes", "standard", "yes", "H, D", "H, D"),
    ("yes", "any", "any",      "no",  "H",    "H"),
    ("any", "any", "any",      "panics", "H (if any), I", "H (if any), I"),
]  # fmt: skip


def _rows() -> list[tuple[str, ...]]:
    """Write every `any` out."""
    rows = []
    for fires, covered, level, declared, on, off in TRUTH_TABLE:
        all_fires = ["yes", "no"] if fires == "any" else [fires]
        all_covered = ["yes", "no"] if covered == "any" else [covered]
        all_levels = ["alpha", "beta", "standard"] if level == "any" else [level]
        for row in itertools.product(all_fires, all_covered, all_levels):
            sees = [s.replace("H (if any)", "H" if row[0] == "yes" else "") for s in (on, off)]
            rows.append((*row, declared, *sees))
    return rows


@pytest.mark.parametrize(("fires", "covered", "level", "declared", "beta_on", "beta_off"), _rows())
def test_truth_table(fires: str, covered: str, level: str, declared: str, beta_on: str, beta_off: str) -> None:
    """semantics.md#7.3: what a user sees of one rule, under both settings of the gate."""
    h = error("Required@spec.a" + (" covered" if covered == "yes" else ""), detail="handwritten")
    d = error("Required@spec.a" + ("" if level == "standard" else f" {level}"), detail="declarative")
    i = error(
        "Internal@<nil>" + ("" if level == "standard" else f" {level}"), detail="panic during declarative validation"
    )
    hv = (h,) if fires == "yes" else ()
    dv = {"yes": (d,), "no": (), "panics": (i,)}[declared]
    letters = {"H": h, "D": d, "I": i}
    for name, sees in (("beta-on", beta_on), ("beta-off", beta_off)):
        expected = [letters[letter] for letter in sees.replace(" ", "").split(",") if letter in letters]
        assert expected == served("levels", name, hv, dv)


def test_order_is_handwritten_first() -> None:
    """Surviving handwritten errors come first, in their order, then declarative errors in theirs."""
    hv = errors("Required@z", "Required@m covered", "Required@a")
    dv = errors("Required@y", "Required@m beta", "Required@b")
    assert [e.field for e in served("levels", "beta-on", hv, dv)] == ["z", "a", "y", "m", "b"]


def test_paths_are_normalized_before_a_covered_error_goes() -> None:
    """A covered error is superseded by a declarative one whose path becomes its own."""
    rules = ((r"^spec\.runtimeHandler(.*)$", "handler$1"),)
    hv, dv = errors("Required@handler covered"), errors("Required@spec.runtimeHandler beta")
    beta_on = setting("levels", "beta-on")
    assert list(dv) == compose(hv, dv, info(normalization=rules), beta_on)
    assert [*hv, *dv] == compose(hv, dv, info(), beta_on)


# semantics.md#7.6, 1.36 with WithDeclarativeEnforcement: the handwritten error carries its own level.
EXPLICIT = [
    # handwritten                  declarative          beta-on  beta-off  graduated
    ("Required@a covered beta",  "Required@a beta",     "D",     "H",      "D"),
    ("Required@a covered beta",  "",                    "–",     "H",      "–"),
    ("Required@a covered beta",  "Required@a alpha",    "–",     "H",      "D"),
    ("Required@a covered alpha", "Required@a alpha",    "H",     "H",      "D"),
    ("Required@a covered",       "Required@a beta",     "H, D",  "H",      "D"),
    ("Required@a covered",       "Required@a",          "H, D",  "H, D",   "D"),
    ("Required@a beta",          "Required@a beta",     "H, D",  "H",      "H, D"),
    ("Required@a",               "",                    "H",     "H",      "H"),
]  # fmt: skip


@pytest.mark.parametrize(("handwritten", "declarative", "beta_on", "beta_off", "graduated"), EXPLICIT)
def test_explicit(handwritten: str, declarative: str, beta_on: str, beta_off: str, graduated: str) -> None:
    """semantics.md#7.6: in 1.36 a covered beta error goes with the gate, whether or not a declarative one is there."""
    hv, dv = errors(handwritten), errors(*filter(None, [declarative]))
    for name, sees in (("beta-on", beta_on), ("beta-off", beta_off), (GRADUATED, graduated)):
        expected = [*(hv if "H" in sees else ()), *(dv if "D" in sees else ())]
        assert expected == served("explicit", name, hv, dv)


def test_shadow() -> None:
    """semantics.md#7.6: without the option 1.36 serves handwritten errors alone, repeated ones too, until graduated."""
    hv = errors("Required@a covered beta", "Required@b", "Required@b")
    dv = errors("Required@a beta", "Required@c", "Internal@<nil>")
    assert list(hv) == served("shadow", "beta-on", hv, dv)
    assert list(hv) == served("shadow", "beta-off", hv, dv)
    assert [hv[1], *dv] == served("shadow", GRADUATED, hv, dv)


def test_a_strategy_that_never_runs_declarative_validation() -> None:
    """In 1.36 most strategies do not call it: what they mark as covered is served to the end."""
    hv, graduated = errors("Required@a covered", "Required@b"), settings("shadow")[-1]
    assert list(hv) == compose(hv, (), info("shadow", rules=False), graduated)
    assert list(hv[1:]) == compose(hv, (), info("shadow"), graduated)


# semantics.md#7.6, 1.33 to 1.35: DeclarativeValidation and DeclarativeValidationTakeover.
TAKEOVER = [
    # DV,   TO,    returned
    (False, False, "all HV"),
    (False, True,  "all HV"),
    (True,  False, "all HV"),
    (True,  True,  "HV without covered, then all DV"),
]  # fmt: skip


@pytest.mark.parametrize(("dv_gate", "to_gate", "returned"), TAKEOVER)
def test_takeover(dv_gate: bool, to_gate: bool, returned: str) -> None:
    """semantics.md#7.6: only both gates together serve declarative errors, and then all of them."""
    hv = errors("Required@a covered", "Required@b", "Required@b")
    dv = errors("Required@a", "Required@c")
    gates = {"DeclarativeValidation": dv_gate, "DeclarativeValidationTakeover": to_gate}
    one = next(one for one in settings("takeover") if one.gates == gates)
    expected = list(hv) if returned == "all HV" else [*hv[1:], *dv]
    assert expected == compose(hv, dv, info("takeover"), one)


def test_takeover_without_rules() -> None:
    """A strategy that never asks the declarative side serves its handwritten errors, whatever marks they bear."""
    hv = errors("Required@a covered", "Required@b")
    without = msgspec.structs.replace(info("takeover"), rules=False)
    assert [list(hv)] * 5 == [compose(hv, [], without, one) for one in settings("takeover")]


def test_graduated_after_takeover() -> None:
    """Once 1.35's migration is over, covered errors are gone and every declarative one is served."""
    hv, dv = errors("Required@a covered", "Required@b"), errors("Required@c")
    assert [hv[1], *dv] == served("takeover", GRADUATED, hv, dv)


@pytest.mark.parametrize("composition", ["levels", "explicit", "shadow"])
def test_settings_by_beta(composition: Composition) -> None:
    """From 1.36 on there are two settings today, and the end of the migration."""
    expected = [
        ("beta-on", {"DeclarativeValidationBeta": True}),
        ("beta-off", {"DeclarativeValidationBeta": False}),
        ("graduated", {}),
    ]
    assert expected == [(one.name, one.gates) for one in settings(composition)]
    assert baseline(composition).name == "beta-off"


def test_settings_by_takeover() -> None:
    """Until 1.35 there are four settings today; the one with both gates off trusts the handwritten side."""
    assert len(settings("takeover")) == 5
    assert {False} == set(baseline("takeover").gates.values())
    assert settings("takeover")[-1].is_graduated


FIELDS = st.sampled_from(["a", "b", "a[0].c"])
ERRORS = st.builds(
    FieldError,
    type=st.sampled_from(["FieldValueRequired", "FieldValueInvalid", "InternalError"]),
    field=FIELDS,
    detail=st.sampled_from(["", "x"]),
    origin=st.sampled_from(["", "minimum"]),
    level=st.sampled_from(["", "alpha", "beta"]),
    covered=st.booleans(),
)
LISTS = st.lists(ERRORS, max_size=4).map(tuple)


@given(LISTS, LISTS, st.sampled_from(COMPOSITIONS))
def test_composing_never_invents_errors(
    hv: tuple[FieldError, ...], dv: tuple[FieldError, ...], composition: Composition
) -> None:
    """Whatever is served was reported, handwritten errors first, and uncovered handwritten texts are never lost."""
    for one in settings(composition):
        kept, enforced = compose_parts(hv, dv, info(composition), one)
        assert set(kept) <= set(hv)
        assert set(enforced) <= set(dv)
        assert {e.text for e in hv if not e.covered} <= {e.text for e in kept} | {e.text for e in hv if e.covered}


@given(LISTS, LISTS, st.sampled_from(COMPOSITIONS))
def test_graduated_serves_every_rule(
    hv: tuple[FieldError, ...], dv: tuple[FieldError, ...], composition: Composition
) -> None:
    """When graduated, every declarative error is served and no covered handwritten one, in every generation."""
    kept, enforced = compose_parts(hv, dv, info(composition), settings(composition)[-1])
    assert list(dv) == enforced
    assert not any(e.covered for e in kept)


@given(LISTS)
def test_dedupe_keeps_the_first_of_each_text(hv: tuple[FieldError, ...]) -> None:
    """No text is lost, none comes twice, and the order stays."""
    kept = dedupe_by_text(hv)
    assert list(dict.fromkeys(e.text for e in hv)) == [e.text for e in kept]


RULES = ((r"^old\b", "new"),)
TEXTS = (
    "Required@old", "Required@new", "Invalid@old", "Invalid@old/minimum beta", "Invalid@new/minimum covered",
    "TooMany@a covered", "TooMany@a beta", "TooMany@a alpha", "Duplicate@a[0] sc beta", "Duplicate@a[0].b covered",
)  # fmt: skip


def drawn(random: Random) -> tuple[FieldError, ...]:
    return errors(*random.choices(TEXTS, k=random.randrange(6)))


def test_a_served_list_tells_what_some_error_in_it_matches_either_way() -> None:
    """Equal type, field and origin, or one matches the other: the same as asking about every pair."""
    random, matcher, said = Random(1), matcher_for(RULES), set()
    for _ in range(400):
        listed, (wanted, *_) = drawn(random), (*drawn(random), *errors("Required@old"))
        expected = any(
            (one.type, one.field, one.origin) == (wanted.type, wanted.field, wanted.origin)
            or matcher.matches(one, wanted)
            or matcher.matches(wanted, one)
            for one in listed
        )
        assert expected == Served(settings("levels")[0], list(listed[:2]), list(listed[2:]), matcher).has_equivalent(
            wanted
        )
        said.add(expected)
    assert said == {True, False}


def test_an_error_is_dropped_when_an_earlier_one_that_stayed_matches_it() -> None:
    """The same as asking about every pair, in the same order."""
    random, matcher, dropped = Random(2), matcher_for(RULES), 0
    for _ in range(400):
        listed = drawn(random)
        expected: list[FieldError] = []
        for one in listed:
            if not any(matcher.matches(earlier, one) for earlier in expected):
                expected.append(one)
        assert expected == unique(listed, matcher)
        dropped += len(listed) - len(expected)
    assert dropped > 0


def test_signatures_are_those_of_what_differs() -> None:
    """Asked for signatures alone, a comparator names the same differences in the same order."""
    random, found = Random(3), 0
    comparator = Comparator(info(normalization=RULES), is_known_path=lambda path: not path.startswith("a"))
    for _ in range(400):
        said = answer(drawn(random), drawn(random), versions=random.choice([{}, {"v2": drawn(random)}]))
        mismatches = comparator.compare(case(), said)
        assert tuple(one.signature for one in mismatches) == comparator.signatures(case(), said)
        found += len(mismatches)
    assert found > 0
