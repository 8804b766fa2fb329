"""The six comparisons, each seen to accept and to reject."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.case import Answer, Case, Composition, Failure, ServedList
from harness.compare.comparator import Comparator, is_unchanged
from harness.compare.composition import compose, settings
from harness.compare.mismatch import Mismatch
from harness.errormatch.trusted import NO_WORDINGS, Wording, Wordings
from harness.field import FieldError
from tests.compare.builders import answer, case, error, errors, info
from tests.compare.test_composition import COMPOSITIONS, LISTS


def compare(hv: list[str], dv: list[str], composition: Composition = "levels", **more: Any) -> list[Mismatch]:
    return Comparator(info(composition, **more)).compare(case(), answer(errors(*hv), errors(*dv)))


def told(found: list[Mismatch]) -> list[tuple[str, str, str]]:
    """What is said: kind, path, and the setting under which it shows."""
    return [(one.kind, one.path, one.setting) for one in found]


# One real difference, one mismatch: lists, generation, and what is said of them.
ONE_EACH: list[tuple[list[str], list[str], Composition, list[tuple[str, str, str]]]] = [
    ([], [], "levels", []),
    (["Required@a"], [], "levels", []),
    ([], ["Required@a"], "levels", []),
    (["Required@a covered"], ["Required@a alpha"], "levels", []),
    (["Required@a covered"], ["Required@a beta"], "levels", []),
    (["Required@a covered"], [], "levels", [("unmatched", "a", "graduated")]),
    ([], ["Required@a alpha"], "levels", [("extra", "a", "graduated")]),
    ([], ["Required@a beta"], "levels", [("extra", "a", "beta-on")]),
    (["Required@a"], ["Required@a beta"], "levels", [("extra", "a", "beta-on")]),
    (["Required@a"], ["Required@a alpha"], "levels", [("extra", "a", "graduated")]),
    (["Required@a covered"], ["Required@a"], "levels", [("unmatched", "a", "")]),
    (["Required@a"], ["Required@a"], "levels", [("served", "a", "beta-on")]),
    ([], ["Forbidden@a", "Forbidden@a"], "levels", [("served", "a", "beta-on")]),
    ([], ["Internal@<nil>"], "levels", [("extra", "<nil>", "beta-off")]),
    (["Required@a covered beta"], [], "explicit", [("unmatched", "a", "beta-on")]),
    (["Required@a covered beta"], ["Required@a alpha"], "explicit", [("served", "a", "beta-on")]),
    (["Required@a covered"], ["Required@a beta"], "explicit", [("served", "a", "beta-on")]),
    (["Required@a covered"], ["Required@a"], "shadow", []),
    (["Required@a", "Required@a"], [], "shadow", [("served", "a", "beta-on")]),
    (["Required@a", "Required@a"], [], "levels", []),
    ([], ["Required@a"], "shadow", [("extra", "a", "graduated")]),
    (["Required@a covered"], [], "takeover", [("unmatched", "a", "takeover")]),
    ([], ["Required@a"], "takeover", [("extra", "a", "takeover")]),
    (["Required@a covered"], ["Required@a"], "takeover", []),
]


@pytest.mark.parametrize(("hv", "dv", "composition", "expected"), ONE_EACH)
def test_each_difference_is_said_once(
    hv: list[str], dv: list[str], composition: Composition, expected: list[tuple[str, str, str]]
) -> None:
    """One real difference gives one mismatch, with the first setting under which a user would notice."""
    assert expected == told(compare(hv, dv, composition))


def test_a_difference_on_many_items_has_one_signature() -> None:
    """Items differ in their index only, so their mismatches have one signature."""
    found = compare(["Required@l[0].a covered", "Required@l[1].a covered"], [])
    assert len({one.signature for one in found}) == 1


def test_lists_that_agree_after_normalization() -> None:
    """A field that moved between versions is the same field, by the rules of the kind."""
    rules = ((r"^spec\.runtimeHandler(.*)$", "handler$1"),)
    lists = (["Required@handler covered"], ["Required@spec.runtimeHandler beta"])
    assert compare(*lists, normalization=rules) == []
    assert told(compare(*lists)) == [
        ("unmatched", "handler", "graduated"),
        ("extra", "spec.runtimeHandler", "beta-on"),
    ]


def test_a_short_circuit_changes_what_is_read_but_is_wanted() -> None:
    """Where the kind allows it, a stop above a field stands for the errors below it."""
    lists = (["Required@a.b covered", "TooMany@a covered"], ["TooMany@a alpha sc"])
    assert compare(*lists, short_circuit_mismatch=True) == []
    assert told(compare(*lists)) == [("unmatched", "a.b", "graduated")]


def _reworded(detail: str, level: str, trusted: Wordings = NO_WORDINGS) -> list[Mismatch]:
    hv = (error("Invalid@a/minimum covered", detail="must be at least 1"),)
    dv = (error(f"Invalid@a/minimum {level}", detail=detail),)
    return Comparator(info(), trusted=trusted).compare(case(), answer(hv, dv))


def test_other_words_are_a_served_mismatch() -> None:
    """Same type, field and origin, but words nobody trusts: what users read changes."""
    assert told(_reworded("must be greater than or equal to 1", "beta")) == [("served", "a", "beta-on")]
    assert told(_reworded("must be greater than or equal to 1", "alpha")) == [("served", "a", "graduated")]
    assert _reworded("must be at least 1", "beta") == []


def test_words_are_quoted_as_users_read_them() -> None:
    """A backslash of a regex is one backslash."""
    hv, dv = error("Invalid@a/format=x covered", detail=r"it's \."), error("Invalid@a/format=x beta", detail=r"is \.")
    [found] = Comparator(info()).compare(case({"a": 1}), answer((hv,), (dv,)))
    assert found.detail == rf"""the words change under beta-on: "{hv.detail}" becomes '{dv.detail}'"""


@pytest.mark.parametrize(
    ("hv", "rule", "under"),
    [([], "Forbidden@a/x", "every setting"), (["Forbidden@a/x covered"], "Forbidden@a/x beta", "beta-on")],
)
def test_an_error_served_twice_names_the_settings(hv: list[str], rule: str, under: str) -> None:
    """A rule without a level is served under each of them."""
    said = answer(errors(*hv), errors(rule, rule))
    [found] = Comparator(info()).compare(case({"a": 1}), said)
    assert found.detail.startswith(f"served twice under {under}: a: ")


def test_trusted_words_are_no_mismatch() -> None:
    """Words that somebody has looked at are the same, but not with another limit."""
    limit = r"(?P<limit>\d+)"
    trusted = Wordings([Wording(f"must be at least {limit}", f"must be greater than or equal to {limit}", "same")])
    assert _reworded("must be greater than or equal to 1", "beta", trusted) == []
    assert told(_reworded("must be greater than or equal to 2", "beta", trusted)) == [("served", "a", "beta-on")]


def test_unknown_paths() -> None:
    """A path that no field of the type has is said once for each side; the root and known ones are fine."""
    one = Comparator(info(), is_known_path=lambda path: path.startswith("spec"))
    hv = errors("Required@spec.a", "Required@sepc.l[0]", "Required@sepc.l[1]", "Required@<nil>")
    found = one.compare(case(), answer(hv, errors("Required@sepc.x")))
    assert [(m.kind, m.path, m.side) for m in found] == [
        ("path", "sepc.l[0]", "handwritten"),
        ("path", "sepc.x", "declarative"),
    ]


def test_an_answer_is_compared_once_for_all_that_it_shows() -> None:
    """Asked again of the same answer, the very same is returned; another answer is compared anew."""
    one = Comparator(info(), is_known_path=lambda path: False)
    said, other = answer(errors("Required@a", "Required@b")), answer(errors("Required@c"))
    first, again = one.compare(case(), said), one.compare(case(), said)
    assert [True, True] == [here is there for here, there in zip(first, again, strict=True)]
    assert [("path", "c", "")] == told(one.compare(case(), other))
    assert first == one.compare(case(), said)


def test_a_handwritten_path_may_be_of_the_internal_version() -> None:
    """What a normalization rule writes is a path of the internal version: right on the handwritten side only."""
    rules = ((r"^spec\.runtimeHandler(.*)$", "handler$1"),)
    one = Comparator(info(normalization=rules), is_known_path=lambda path: path.startswith("spec"))
    assert one.compare(case(), answer(errors("Required@handler"))) == []
    assert told(one.compare(case(), answer((), errors("Required@handler")))) == [("path", "handler", "")]


def test_versions_agree_or_not() -> None:
    """Lists of other versions are compared after normalization, level by level."""
    rules = ((r"^old$", "new"),)
    one = Comparator(info(normalization=rules))
    dv = errors("Required@new")
    assert one.compare(case(), answer((), dv, versions={"v1": dv, "v1beta1": errors("Required@old")})) == []
    missing = one.compare(case(), answer((), dv, versions={"v1beta1": ()}))
    added = one.compare(case(), answer((), dv, versions={"v1beta1": errors("Required@old", "TooMany@x")}))
    level = one.compare(case(), answer((), dv, versions={"v1beta1": errors("Required@old alpha")}))
    assert [[(m.kind, m.path) for m in found] for found in (missing, added, level)] == [
        [("version", "new")],
        [("version", "x")],
        [("version", "new")],
    ]
    assert "levels differ: standard in v1, alpha in v1beta1" in level[0].detail


def test_a_version_difference_already_said_is_not_repeated() -> None:
    """A rule that one version lacks shows as unmatched there; the other version is the cause, not another mismatch."""
    found = Comparator(info()).compare(
        case(), answer(errors("Required@a covered"), versions={"v2": errors("Required@a alpha")})
    )
    assert [m.kind for m in found] == ["unmatched"]


def _with_served(served: dict[str, tuple[FieldError, ...]]) -> list[Mismatch]:
    hv, dv = errors("Required@a covered", "Required@b"), errors("Required@a beta", "TooMany@m", "TooLong@m/maxLength")
    lists = {one.name: tuple(compose(hv, dv, info(), one)) for one in settings("levels")}
    all_served = tuple(ServedList(name, {}, given) for name, given in {**lists, **served}.items())
    found = Comparator(info()).compare(case(), answer(hv, dv, served=all_served))
    return [m for m in found if m.kind == "composition"]


def test_composition_is_checked_against_the_target() -> None:
    """Our list is the target's, to the letter; only the order inside a half may differ, as maps have none."""
    assert _with_served({}) == []
    moved = errors("Required@b", "TooLong@m/maxLength", "Required@a beta", "TooMany@m")
    assert _with_served({"beta-on": moved}) == []
    for wrong in (
        moved[:-1],
        (*moved, moved[0]),
        (*moved[1:], moved[0]),
        (error("Required@b", detail="x"), *moved[1:]),
    ):
        assert [(m.kind, m.setting) for m in _with_served({"beta-on": wrong})] == [("composition", "beta-on")]


def test_a_setting_nobody_knows_is_a_composition_mismatch() -> None:
    """A target that speaks of another setting is told so."""
    assert _with_served({"gamma": ()})[0].detail == "the setting 'gamma' is none of beta-on, beta-off, graduated"


def test_accepted_by_us_but_not_by_the_target() -> None:
    """Empty lists are compared with what is served, too."""
    served = (ServedList("beta-on", {}, errors("Required@a")),)
    found = Comparator(info()).compare(case(), answer(served=served))
    assert told(found) == [("composition", "a", "beta-on")]


FAILURES = [
    (Failure("decode", "strict decoding error"), []),
    (Failure("worker", "not asked"), []),
    (Failure("self", "two answers"), ["self"]),
    (Failure("handwritten", "boom", panic=True), ["panic"]),
    (Failure("worker", "time-out", panic=True), ["panic"]),
]


@pytest.mark.parametrize(("failure", "expected"), FAILURES)
def test_failures(failure: Failure, expected: list[str]) -> None:
    """A panic in any stage and two answers to one case are mismatches; an object that cannot be read is none."""
    assert expected == [m.kind for m in Comparator(info()).compare(case(), Answer(1, failure=failure))]


def test_panics_are_told_apart_by_stage_and_message_without_its_values() -> None:
    """A panic has a lasting name: numbers, addresses and quoted values are left out."""

    def signature(stage: Any, message: str) -> Any:
        return Comparator(info()).compare(case(), Answer(1, failure=Failure(stage, message, panic=True)))[0].signature

    index = "runtime error: index out of range [{}] with length {}\ngoroutine 1"
    assert signature("handwritten", index.format(3, 2)) == signature("handwritten", index.format(10, 9))
    assert signature("handwritten", index.format(3, 2)) != signature("declarative", index.format(3, 2))
    assert signature("handwritten", index.format(3, 2)) != signature("handwritten", "runtime error: nil pointer")


def test_a_recovered_panic_is_a_panic() -> None:
    """The target may turn a crash into an internal error: it is a panic, and not an extra error besides."""
    dv = (error("Internal@<nil>", detail="panic during declarative validation: nil pointer"),)
    found = Comparator(info("shadow")).compare(case(), answer((), dv))
    assert [(m.kind, m.origin) for m in found] == [("panic", "declarative: nil pointer")]


OLD = {"spec": {"a": "bad", "l": [{"n": "x", "v": 1}, {"n": "y", "v": 2}]}}
UNCHANGED = [
    ({"spec": {"a": "bad", "b": 1}}, "spec.a", True),
    ({"spec": {"a": "worse"}}, "spec.a", False),
    ({"spec": {"l": [{"n": "y", "v": 2}]}}, "spec.l[0].v", True),
    ({"spec": {"l": [{"n": "y", "v": 3}]}}, "spec.l[0].v", False),
    ({"spec": {"a": "bad"}}, "spec.z", True),
    ({"spec": {}}, "spec.a", False),
    ({"spec": {}}, "elsewhere.x", False),
    (OLD, "elsewhere.x", True),
]


@pytest.mark.parametrize(("new", "path", "expected"), UNCHANGED)
def test_unchanged_values_are_told_apart(new: Any, path: str, expected: bool) -> None:
    """A mismatch about a value the update left alone is marked as ratcheting; items may have moved."""
    asked = case(new, OLD)
    found = Comparator(info()).compare(asked, answer((error(f"Invalid@{path}/minimum covered"),)))
    assert [expected] == [m.ratcheting for m in found]
    assert expected == is_unchanged(asked, path)


def test_a_create_has_nothing_unchanged() -> None:
    """On a create nothing is ratcheted."""
    found = Comparator(info()).compare(case(OLD), answer(errors("Required@spec.z covered")))
    assert [m.ratcheting for m in found] == [False]
    assert not is_unchanged(case(OLD), "spec.z")


@given(LISTS, LISTS, st.sampled_from(COMPOSITIONS))
def test_comparing_is_a_function(hv: Any, dv: Any, composition: Composition) -> None:
    """Fresh or used, a comparator says the same, each signature of a key once, about errors that were reported."""
    asked, said = case(), answer(hv, dv)
    used, fresh = Comparator(info(composition)), Comparator(info(composition), trusted=Wordings())
    assert used.compare(asked, said) == used.compare(asked, said) == fresh.compare(asked, said)
    assert {m.path for m in used.compare(asked, said)} <= {e.field for e in (*hv, *dv)}


@given(LISTS, LISTS, st.sampled_from(COMPOSITIONS))
def test_what_an_answer_shows_it_may_show(hv: Any, dv: Any, composition: Composition) -> None:
    """The quick look never denies a signature; without the error that one is about it does."""
    comparator = Comparator(info(composition), is_known_path=lambda path: path != "b")
    said = answer(hv, dv)
    for signature in comparator.signatures(case(), said):
        assert comparator.may_show(signature, said)
        assert not comparator.may_show(signature, answer()) or signature[0] == "panic"


@given(LISTS)
def test_standard_rules_alone_are_no_difference(dv: tuple[FieldError, ...]) -> None:
    """A new API with standard rules only, none of them failing twice, has nothing to compare."""
    standard = tuple(
        {e.field: FieldError(e.type, e.field, origin=e.origin) for e in dv if e.type != "InternalError"}.values()
    )
    assert Comparator(info()).compare(case(), answer((), standard)) == []


@given(LISTS, st.sampled_from(["alpha", "beta"]))
def test_marked_errors_with_twins_are_no_difference(errs: tuple[FieldError, ...], level: Any) -> None:
    """Lists that agree error by error, words included, give no mismatch under any setting."""
    once = {e.field: e for e in errs if e.origin and e.type != "InternalError"}.values()
    hv = tuple(FieldError(e.type, e.field, e.detail, e.origin, covered=True) for e in once)
    dv = tuple(FieldError(e.type, e.field, e.detail, e.origin, level) for e in once)
    assert Comparator(info()).compare(case(), answer(hv, dv)) == []


def test_a_case_is_not_changed() -> None:
    """Comparing reads the objects only."""
    new, old = {"spec": {"a": 1}}, {"spec": {"a": 1}}
    asked: Case = case(new, old)
    Comparator(info()).compare(asked, answer(errors("Required@spec.a covered")))
    assert (asked.object, asked.old) == ({"spec": {"a": 1}}, {"spec": {"a": 1}})


@pytest.mark.parametrize(("composition", "expected"), [("explicit", []), ("shadow", []), ("levels", ["composition"])])
def test_metadata_errors_joined_late_may_be_served_twice(composition: Composition, expected: list[str]) -> None:
    """1.36 puts common metadata errors in front after composing; 1.37 composes them too, so there it is a mismatch."""
    doubled = errors("Invalid@metadata.uid", "Invalid@metadata.uid")
    served = (ServedList("graduated", {}, doubled),)
    found = Comparator(info(composition)).compare(case({"a": 1}, {}), answer(doubled, served=served))
    assert expected == [m.kind for m in found if m.kind == "composition"]


def test_another_error_is_a_composition_mismatch_in_every_release() -> None:
    """Leaving repeats aside never hides an error that only one of the lists has."""
    served = (ServedList("graduated", {}, errors("Invalid@a", "Invalid@a")),)
    found = Comparator(info("shadow")).compare(case(), answer(errors("Invalid@a", "Invalid@b"), served=served))
    assert "composition" in {m.kind for m in found}
