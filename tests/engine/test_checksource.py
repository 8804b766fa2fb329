"""A finding names its handwritten check, and its fix what has to be changed there."""

from __future__ import annotations

from collections.abc import Callable, Collection

import msgspec
import pytest

from harness.case import NEUTRAL, Answer, Case, Failure, Json, Stage
from harness.compare.comparator import Comparator
from harness.engine.checkcallers import add_callers
from harness.engine.checksource import (
    TracedErrors,
    add_generation,
    add_handwritten_source,
    is_of_library,
)
from harness.engine.explain import Explainer
from harness.fuzzers.shape import Shape
from harness.jsonpath import canonical_path
from harness.subject.callsites import CodeLine
from harness.subject.deciding import UNREAD, HandwrittenCode
from harness.subject.errorstack import GivenName, Made
from harness.targets.target import drive
from tests.compare.builders import answer, case, errors, info
from tests.engine.toldcode import SILENT, ToldCode, traced_explanation


def test_a_finding_names_the_handwritten_check() -> None:
    """One of the answers that are asked for anyway is traced; the case and the answer of the finding are not."""
    found, asked = traced_explanation(True, "spec.a", "validation.go:7 in validateA")
    plain, others = traced_explanation(False, "spec.a")
    assert ("validation.go:7 in validateA", "") == (found.handwritten_source, plain.handwritten_source)
    assert (len(others), 1, 0) == (len(asked), sum(one.trace for one in asked), sum(one.trace for one in others))
    assert (found.cause, found.detail, found.answer) == (plain.cause, plain.detail, plain.answer)
    assert (found.case, False) == (plain.case, found.case.trace)


def test_a_check_that_is_silent_has_no_line() -> None:
    """The handwritten side reports nothing at the path of the declarative error, so no line of it is guessed."""
    found, _ = traced_explanation(True, "spec.b", "")
    traced = [msgspec.structs.replace(errors("TooMany@spec.a/maxItems")[0], source="validation.go:7 in validateA")]
    assert "" == add_handwritten_source(found, TracedErrors(traced)).handwritten_source


def test_an_error_on_another_path_has_the_line_of_the_check() -> None:
    """It is the same error in another form: that one is to be moved, and the fix names its field and its line."""
    found, _ = traced_explanation(True, "spec.b", "v.go:7 in validateA")
    assert ("path", "v.go:7 in validateA") == (found.cause, found.handwritten_source)
    assert found.fix.startswith("let the handwritten error for spec.a and the rule report one path")
    assert found.fix.endswith("; the handwritten check is v.go:7 in validateA")


@pytest.mark.parametrize(("cause", "expected"), [("ratcheting", ""), ("origin", "validation.go:7 in validateA")])
def test_another_error_at_the_path_is_the_check_only_of_two_forms(cause: str, expected: str) -> None:
    """A side that ratchets may report something else there; where both sides report, the other form is the check's."""
    found, _ = traced_explanation(True, "spec.b", "")
    error = msgspec.structs.replace(errors("Invalid@spec.b/other")[0], source="validation.go:7 in validateA")
    finding = msgspec.structs.replace(found, cause=cause)
    assert expected == add_handwritten_source(finding, TracedErrors([error])).handwritten_source


def test_a_target_that_knows_no_source_is_left_at_that() -> None:
    """An ability is a promise that a line may be known, not that each one is."""
    found, _ = traced_explanation(True, "spec.a", "")
    assert "" == found.handwritten_source


def test_a_crash_of_handwritten_code_is_its_source() -> None:
    """As the target told it; a crash elsewhere is not the handwritten side's."""
    comparator, explainer = Comparator(info()), Explainer(Shape("struct"), "s")
    stages: dict[Stage, str] = {"handwritten": "handwritten.py:2 in validate", "declarative": ""}
    for stage, expected in stages.items():
        crashed = Answer(1, failure=Failure(stage, "KeyError: 'spec'", True, "handwritten.py:2 in validate"))
        [mismatch] = comparator.compare(case(), crashed)
        found = explainer.leave_unexplained(case(), crashed, mismatch, comparator)
        assert expected == found.handwritten_source


def _behind_first(asked: Case) -> Answer:
    """The check of spec.a stands behind the one of spec.first; every error is made on a line of its own."""
    stop, check = errors("Invalid@spec.first", "Invalid@spec.a/minimum covered")
    spec = asked.object["spec"]
    one, source = (stop, "v.go:3 in validate") if "first" in spec else (check, "v.go:9 in validateA")
    given = msgspec.structs.replace(one, source=source if asked.trace else "")
    return answer((given,), errors("Invalid@spec.a/minimum beta"))


@pytest.mark.parametrize("traces", [True, False])
def test_a_masked_finding_names_where_it_stops_and_the_check_behind(traces: bool) -> None:
    """The check is silent on the case itself: its line is that of the experiment, that of the stop is the case's."""
    comparator, explainer = Comparator(info()), Explainer(Shape("struct"), "s", traces=traces)
    asked = case({"spec": {"first": 1, "a": 1}})
    said = _behind_first(asked)
    [mismatch] = [one for one in comparator.compare(asked, said) if one.side == "declarative"]
    steps = explainer.explain(asked, said, mismatch, comparator, False, 2)
    found = drive(steps, lambda cases: [_behind_first(one) for one in cases])
    assert ("masked", "v.go:9 in validateA" if traces else "") == (found.cause, found.handwritten_source)
    told = f"; that error is made at v.go:3 in validate{SILENT}".replace("in f", "in validateA")
    assert traces == found.fix.endswith(told)


def test_the_own_code_is_named_before_a_library() -> None:
    """An error that is made several times is the kind's own, where its validation makes it too."""
    found, _ = traced_explanation(True, "spec.a", "")
    [error] = errors("TooMany@spec.a/maxItems covered")
    lines = ("k8s.io/apimachinery/pkg/x.go:3 in f", "pkg/apis/apps/validation.go:7 in validateA")
    traced = [msgspec.structs.replace(error, source=source) for source in lines]
    assert lines[1] == add_handwritten_source(found, TracedErrors(traced)).handwritten_source
    assert lines[0] == add_handwritten_source(found, TracedErrors(traced[:1])).handwritten_source


@pytest.mark.parametrize(
    ("cause", "beside", "masked", "code", "told"),
    [
        ("conditional", "spec.x", False, ToldCode(under="if x"),
         f"; the branch that decides is `if x` at v.go:3 in validate{SILENT}"),
        ("conditional", "spec.x", False, ToldCode(), SILENT),
        ("masked", "", True, ToldCode(stop="it ends at v.go:4 in g"), f"; it ends at v.go:4 in g{SILENT}"),
        ("masked", "", True, ToldCode(), f"; that error is made at v.go:7 in first{SILENT}"),
        ("ratcheting", "", False, ToldCode(under="if old == nil"),
         f"{SILENT}, which depends on the old object under `if old == nil` at v.go:3 in validate"),
        ("ratcheting", "", False, ToldCode(unreached="ValidateAUpdate (v.go:5)"),
         f"{SILENT}, which ValidateAUpdate (v.go:5) does not call"),
        ("ratcheting", "", False, ToldCode(), SILENT),
    ],
)  # fmt: skip
def test_a_silent_check_comes_with_what_keeps_it_from_running(
    cause: str, beside: str, masked: bool, code: HandwrittenCode, told: str
) -> None:
    """The line that makes the error is often a helper, where nothing can be changed; without sources less is told."""
    found, _ = traced_explanation(True, "spec.b", "")
    first, error = errors("TooMany@spec.a/maxItems covered", "TooMany@spec.b/maxItems")
    own, elsewhere = (
        [msgspec.structs.replace(one, source=source)]
        for one, source in ((first, "v.go:7 in first"), (error, "v.go:9 in f"))
    )
    traced = TracedErrors(own, elsewhere, first if masked else None, beside=beside)
    finding = msgspec.structs.replace(found, cause=cause, fix="mend the check")
    assert f"mend the check{told}" == add_handwritten_source(finding, traced, code).fix


def test_code_that_all_kinds_share_is_not_to_be_changed() -> None:
    """An exception is the whole fix: it is said instead of what the cause would change."""
    found, _ = traced_explanation(True, "spec.b", "")
    first, error = errors("TooMany@spec.a/maxItems covered", "TooMany@spec.b/maxItems")
    own, elsewhere = ([msgspec.structs.replace(one, source="v.go:9 in f")] for one in (first, error))
    finding = msgspec.structs.replace(found, cause="masked", fix="let the handwritten validator go on")
    told = add_handwritten_source(finding, TracedErrors(own, elsewhere, first), ToldCode(stop="which all kinds share"))
    assert f"write an exception; which all kinds share{SILENT}" == told.fix


def test_a_check_that_ratchets_already_says_under_which_condition() -> None:
    """So nobody is told to let it ratchet as if it did not."""
    found, _ = traced_explanation(True, "spec.a", "v.go:7 in f")
    [error] = errors("TooMany@spec.a/maxItems covered")
    traced = TracedErrors([msgspec.structs.replace(error, source="v.go:7 in f")])
    finding = msgspec.structs.replace(found, cause="ratcheting", fix="mend the check", handwritten_source="")
    told = add_handwritten_source(finding, traced, ToldCode(under="if old == nil")).fix
    assert told.endswith("depends on the old object already, under `if old == nil` at v.go:3 in validate")
    assert "mend the check; the handwritten check is v.go:7 in f" == add_handwritten_source(finding, traced).fix


def test_an_error_that_shared_code_makes_too_names_all_places() -> None:
    """A change at one of them would leave the difference; a line that forwards names what it calls."""
    found, _ = traced_explanation(True, "spec.a", "")
    [error] = errors("TooMany@spec.a/maxItems covered")
    lines = ("k8s.io/apimachinery/pkg/x.go:3 in f", "pkg/v.go:7 in forwardA", "k8s.io/apimachinery/pkg/x.go:3 in f")
    traced = TracedErrors([msgspec.structs.replace(error, source=source) for source in lines])
    told = add_handwritten_source(msgspec.structs.replace(found, fix="mend the check"), traced, ToldCode()).fix
    assert "made 3 times: by code that kinds share at k8s.io/apimachinery/pkg/x.go:3 in f, and by" in told
    assert "the call of common.Check at pkg/v.go:7 in forwardA; a change of the latter" in told
    more = [*traced.own, msgspec.structs.replace(error, source="pkg/v.go:9 in forwardB")]
    told = add_handwritten_source(msgspec.structs.replace(found, fix="the check"), TracedErrors(more), ToldCode()).fix
    assert (
        "pkg/v.go:7 in forwardA and that of common.Check at pkg/v.go:9 in forwardB (in a function of 3 callers); a"
        in told
    )


@pytest.mark.parametrize("cause", ["duplicate", "wording", "boundary", "other-value"])
def test_a_fix_of_code_that_names_no_check_has_its_lines(cause: str) -> None:
    """Two calls that report one error are both named: to mend one of them is not enough."""
    found, _ = traced_explanation(True, "spec.a", "")
    [error] = errors("TooMany@spec.a/maxItems covered")
    traced = [msgspec.structs.replace(error, source=one) for one in ("v.go:7 in f", "v.go:9 in g")]
    same = [traced[0], msgspec.structs.replace(error, source="v.go:8 in f")]
    finding = msgspec.structs.replace(found, cause=cause, fix="delete it")
    assert add_handwritten_source(finding, TracedErrors(same), ToldCode()).fix.endswith("at v.go:8 and v.go:7 in f")
    told = "delete it; the handwritten check reports 2 errors here, made at v.go:7 in f and v.go:9 in g"
    assert told == add_handwritten_source(finding, TracedErrors(traced), UNREAD).fix
    assert "delete it; the handwritten check is v.go:7 in f" == (
        add_handwritten_source(finding, TracedErrors(traced[:1]), UNREAD).fix
    )


def test_all_words_of_a_helper_are_to_be_changed() -> None:
    """Of a wording alone: who changes the line of this object leaves the difference for another one."""
    found, _ = traced_explanation(True, "spec.a", "")
    [error] = errors("TooMany@spec.a/maxItems covered")
    traced = TracedErrors([msgspec.structs.replace(error, source="v.go:7 in validateID")])
    told = "; the handwritten check is v.go:7 in validateID"
    for cause, more in (("wording", ", whose function has words of its own at 11, 12 too"), ("boundary", "")):
        finding = msgspec.structs.replace(found, cause=cause, fix="mend it")
        assert f"mend it{told}{more}" == add_handwritten_source(finding, traced, ToldCode()).fix


def test_a_check_of_code_that_kinds_share_is_told_as_such() -> None:
    """A change is one for every kind only where the registry comes to it by itself, and no strategy in between."""
    found, _ = traced_explanation(True, "spec.a", "")
    [error] = errors("TooMany@spec.a/maxItems covered")
    finding = msgspec.structs.replace(found, cause="boundary", fix="mend the check")
    library, own = "k8s.io/apimachinery/v.go:7 in f", "pkg/v.go:7 in f"
    registry, strategy = (
        "k8s.io/apiserver/pkg/registry/rest/create.go:3 in BeforeCreate",
        "k8s.io/other/v.go:5 in Validate",
    )
    for places, told in (
        ([library, registry], ", in code that kinds share: a change of it is one for every kind"),
        ([library, strategy, registry], ", in code that kinds share: a change of it is one for all that call it"),
        ([library], ", in code that kinds share: a change of it is one for all that call it"),
        ([own, registry], ""),
    ):
        made = msgspec.structs.replace(error, source=places[0], stack=", called at ".join(places))
        fix = add_handwritten_source(finding, TracedErrors([made]), UNREAD).fix
        assert f"mend the check; the handwritten check is {places[0]}{told}" == fix
        both = TracedErrors([made, msgspec.structs.replace(error, source="pkg/v.go:9 in g")])
        fix = add_handwritten_source(finding, both, UNREAD).fix
        assert (" is one for " in told) == fix.endswith(f"a change of the former{told.partition('change of it')[2]}")


def test_a_helper_comes_with_the_call_for_the_path() -> None:
    """What is to be changed for one field is the call, and not the helper that makes the errors of many."""
    found, _ = traced_explanation(True, "spec.a", "")
    [error] = errors("TooMany@spec.a/maxItems covered")
    traced = TracedErrors([msgspec.structs.replace(error, source="v.go:7 in helper")])
    finding = msgspec.structs.replace(found, cause="boundary", fix="mend the check")
    told = "mend the check; the handwritten check is v.go:7 in helper, called for this path at v.go:2 in call"
    told += ", which is called at v.go:1 in top"
    assert told == add_handwritten_source(finding, traced, ToldCode()).fix


@pytest.mark.parametrize(
    ("cause", "path", "partner", "name"),
    [
        ("wrong-path", "spec.map.b", "", "b"),
        ("path", "spec.names[ab].x", "spec.names[abc].x", "names"),
        ("path", "spec.a", "spec.b.c", "a"),
        ("path", "spec.a", "spec.a.c", ""),
        ("wrong-path", "spec.a", "", "a"),
        ("boundary", "spec.a", "spec.b", ""),
    ],
)
def test_a_name_in_a_path_that_misleads_has_the_lines_that_give_it(
    cause: str, path: str, partner: str, name: str
) -> None:
    """The error is made further down, where the path is what it was given. Several calls may give one name."""
    found, _ = traced_explanation(True, "spec.a", "")
    [error] = errors("TooMany@spec.a/maxItems covered")
    traced = [msgspec.structs.replace(error, field=path, source="v.go:7 in f")]
    source = "types.go:3" if "map" in path else ""  # what a map has no line for stands below its field
    finding = msgspec.structs.replace(
        found, cause=cause, path=canonical_path(path), member="map.b" if source else "a", source=source, fix="mend"
    )
    other = msgspec.structs.replace(error, field=partner) if partner else None
    told = add_handwritten_source(finding, TracedErrors(traced, partner=other), ToldCode()).fix
    what = "key below" if "[" in path else "name"
    given = f"the {what} {name} is given at v.go:4 in {name} and at v.go:5 in {name}; " if name else ""
    assert f"mend; {given}the handwritten check is v.go:7 in f" == told
    finding = msgspec.structs.replace(finding, fix=told, handwritten_source="v.go:7 in f")
    is_warned = "called by A" in add_callers(finding, NEUTRAL, ToldCode(("f is called by A (v.go:3)",))).fix
    assert is_warned == (not name)


def test_a_check_that_is_silent_here_is_found_by_the_path_of_the_internal_type() -> None:
    """The rule reports the path of its version, the check that of the internal type."""
    found, _ = traced_explanation(True, "spec.b", "")
    [error] = errors("TooMany@spec.exactly.b/maxItems")
    elsewhere = [msgspec.structs.replace(error, source="v.go:7 in f")]
    traced = TracedErrors(elsewhere=elsewhere, path="spec.exactly.b")
    assert "v.go:7 in f" == add_handwritten_source(found, traced).handwritten_source
    assert "" == add_handwritten_source(found, traced._replace(path="")).handwritten_source


def test_the_code_behind_a_rule_that_repeats_an_error_is_named() -> None:
    """No tag changes it; a handwritten error that is repeated has its own lines."""
    found, _ = traced_explanation(True, "spec.a", "")
    [error] = errors("TooMany@spec.a/maxItems beta")
    made = msgspec.structs.replace(error, stack="k8s.io/v.go:9 in Check, called at k8s.io/zz.go:3 in Validate")
    twice = msgspec.structs.replace(found, cause="duplicate", side="declarative", fix="say it once")
    told = add_handwritten_source(twice, TracedErrors([made, made]), UNREAD).fix
    assert told.startswith(
        "say it once; the errors are made at k8s.io/v.go:9 in Check, for all fields whose rule calls"
    )
    assert is_of_library(twice, TracedErrors([made]))
    others = (msgspec.structs.replace(twice, side="handwritten"), msgspec.structs.replace(twice, cause="wording"))
    assert [False, False, False] == [
        *(is_of_library(one, TracedErrors([made])) for one in others), is_of_library(twice, TracedErrors([error])),
    ]  # fmt: skip


def test_the_library_of_a_format_comes_with_a_check_that_reads_a_value_otherwise() -> None:
    """No tag makes a rule read a value as the check does; what hands the rule to a list is no line of the rule's."""
    found, _ = traced_explanation(True, "spec.b", "")
    rule, check = errors("TooMany@spec.b/format=long beta", "TooMany@spec.b/format=long covered")
    lines = ["k8s.io/lib/strfmt.go:9 in Long", "k8s.io/lib/strfmt.go:5 in Qualified", "k8s.io/lib/each.go:3 in Each"]
    made = msgspec.structs.replace(rule, stack=", called at ".join([*lines, "pkg/zz.go:1 in Validate"]))
    elsewhere = [msgspec.structs.replace(check, source="v.go:9 in f")]
    finding = msgspec.structs.replace(found, cause="other-value", origin="format=long", fix="mend the check")
    told = f"; the rule's error is made at {lines[0]}, called at {lines[1]}, for all fields whose rule calls it, and no"
    fix = add_handwritten_source(finding, TracedErrors([made], elsewhere), UNREAD).fix
    assert f"mend the check{SILENT}{told} tag changes it" == fix
    own = msgspec.structs.replace(rule, stack="pkg/zz.go:1 in Validate")
    other = msgspec.structs.replace(made, field="spec.c")
    for one in (own, other):
        assert f"mend the check{SILENT}" == add_handwritten_source(finding, TracedErrors([one], elsewhere)).fix
    for changed in (
        msgspec.structs.replace(finding, cause="conditional"),
        msgspec.structs.replace(finding, side="handwritten"),
    ):
        assert "the rule's error" not in add_handwritten_source(changed, TracedErrors([made], elsewhere)).fix


def test_errors_that_a_fix_wants_to_be_marked_have_their_line() -> None:
    """They are of another case, and stand at the end of a fix that is to be made at a tag."""
    found, _ = traced_explanation(True, "spec.a", "")
    [own, twice] = errors("TooMany@spec.a/maxItems covered", "Duplicate@spec.l[1]")
    traced = TracedErrors(
        [msgspec.structs.replace(own, source="v.go:7 in f")],
        marked=[msgspec.structs.replace(twice, source="v.go:9 in validateSet")] * 2,
    )
    finding = msgspec.structs.replace(found, cause="ratcheting", fix="declare a key")
    assert "declare a key; they are made at v.go:9 in validateSet" == add_handwritten_source(finding, traced).fix


def test_a_version_without_rules_has_the_line_that_says_so() -> None:
    """Of several versions each; one whose package is not found has none."""
    found, _ = traced_explanation(True, "spec.a", "")
    finding = msgspec.structs.replace(found, fix="write an exception")

    class GeneratedCode(HandwrittenCode):
        def find_generation(self, group: str, version: str) -> str:
            return "" if version == "v1" else f"{version}/doc.go has none"

    told = [add_generation(finding, versions, GeneratedCode()).fix for versions in (("v2", "v1", "v3"), ("v1",), ())]
    assert ["write an exception; v2/doc.go has none and v3/doc.go has none", *["write an exception"] * 2] == told


@pytest.mark.parametrize(("fix", "is_told"), [("mend; did you mean b?", False), ("mend", True)])
def test_a_misspelt_name_is_wrong_for_all_that_a_line_serves(fix: str, is_told: bool) -> None:
    """Of a name that is right for others the call for this field is told too."""
    found, _ = traced_explanation(True, "spec.a", "")
    [error] = errors("TooMany@spec.a/maxItems covered")
    finding = msgspec.structs.replace(found, cause="wrong-path", member="a", source="", fix=fix)

    class ServingCode(ToldCode):
        def find_name(self, check: Made, name: str, is_key: bool = False) -> GivenName | None:
            return GivenName((CodeLine("v.go", 4, "f"),), CodeLine("v.go", 6, "g"))

    traced = TracedErrors([msgspec.structs.replace(error, source="v.go:7 in f")])
    told = add_handwritten_source(finding, traced, ServingCode()).fix
    assert is_told == ("which serves other fields too, for this one at v.go:6 in g" in told)


def test_every_name_that_is_wrong_has_the_lines_that_give_it() -> None:
    """Of several in a row each is to be mended; what has no items is given before them."""
    found, _ = traced_explanation(True, "spec.a", "")
    [error] = errors("TooMany@spec.a/maxItems covered")
    traced = TracedErrors([msgspec.structs.replace(error, field="spec.a.b", source="v.go:7 in f")], wrong=("a", "b"))
    finding = msgspec.structs.replace(found, cause="wrong-path", path="spec.a.b", member="a.b", source="", fix="mend")
    told = add_handwritten_source(finding, traced, ToldCode()).fix
    assert all(f"the name {name} is given at v.go:4 in {name} and at v.go:5 in {name}; " in told for name in "ab")

    class OneLine(ToldCode):
        def find_name(self, check: Made, name: str, is_key: bool = False) -> GivenName | None:
            return GivenName((CodeLine("v.go", 4, "f"),))

    told = add_handwritten_source(finding, traced, OneLine()).fix
    assert "; the names a and b are given at v.go:4 in f; the" in told
    items = msgspec.structs.replace(error, field="spec.a[0].b", source="v.go:7 in f")
    finding = msgspec.structs.replace(finding, path="spec.a[*].b", member="[*].b")
    told = add_handwritten_source(finding, TracedErrors([items]), ToldCode()).fix
    assert told.startswith("mend; the path before the index or key is given at v.go:6 in b; the")


def test_a_crash_names_the_member_that_is_nil_or_too_short() -> None:
    """The line reads it, and the object does not have it; of another crash nothing is told."""
    explainer, comparator = Explainer(Shape("struct"), "s"), Comparator(info())

    class Reading(HandwrittenCode):
        def find_nil(self, source: str, is_set: Callable[[str], bool]) -> str:
            return " ".join(name for name in ("Count", "Limit") if not is_set(name))

        def find_missing_item(self, source: str, index: int, has_item: Callable[[str], bool]) -> str:
            return " ".join(f"{name}[{index}]" for name in ("IPs", "Families") if not has_item(name))

    asked = case({"spec": {"count": 1, "ips": ["a"], "families": ["a", "b"]}})
    for message, told in (
        ("nil pointer dereference", "take this object, where Limit"),
        ("index out of range [1] with length 1", "take this object, where IPs[1]"),
        ("overflow", "take this object"),
    ):
        crashed = Answer(1, failure=Failure("handwritten", message, True, "v.go:2 in validate"))
        [mismatch] = comparator.compare(asked, crashed)
        found = explainer.leave_unexplained(asked, crashed, mismatch, comparator)
        assert add_handwritten_source(found, TracedErrors(), Reading()).fix.endswith(told)


@pytest.mark.parametrize(
    ("value", "letter"), [("\u017f", "s"), ("a\u212a", "k"), ("s", ""), ("\u00e9", ""), (["\u017f"], "")]
)  # fmt: skip
def test_a_pattern_that_ignores_case_is_mended_in_its_library(value: Json, letter: str) -> None:
    """The rule accepts a letter that is another one by case: the check is right, and no line of it is to be changed."""
    found, _ = traced_explanation(True, "spec.a", "")
    [error] = errors("TooMany@spec.a/maxItems covered")
    own, rule = (msgspec.structs.replace(error, source=f"{name}.go:7 in f") for name in ("v", "library"))
    asked = msgspec.structs.replace(found.case, object={"spec": {"a": value}})
    finding = msgspec.structs.replace(found, cause="other-value", fix="call the same check", case=asked)

    class Caseless(HandwrittenCode):
        def find_caseless(self, stack: str) -> str:
            return "`(?i)` at dns.go:1" if stack == rule.source else ""

    told = add_handwritten_source(finding, TracedErrors([own], rule=[rule]), Caseless())
    assert bool(letter) == told.fix.endswith("in a library, for all fields with that rule)")
    assert (f'takes it for "{letter}"' in told.fix, "v.go:7" in told.fix) == (bool(letter), not letter)
    assert own.source == told.handwritten_source
    assert "(?i)" not in add_handwritten_source(finding, TracedErrors([own]), Caseless()).fix


@pytest.mark.parametrize(("value", "guard", "letter"), [
    ("a\u0130", "strings.ToLower(a)", "i"), ("\u0130", "a", ""), ("\u017f", "strings.ToLower(a)", ""),
])  # fmt: skip
def test_a_check_that_lowers_letters_is_told_which_it_takes_for_ascii(value: str, guard: str, letter: str) -> None:
    """Calling one check of the format on both sides would take the letter from neither."""
    found, _ = traced_explanation(True, "spec.b", "")
    [error] = errors("TooMany@spec.b/maxItems covered")
    check = msgspec.structs.replace(error, source="v.go:7 in f")
    asked = msgspec.structs.replace(found.case, object={"spec": {"b": value}})
    finding = msgspec.structs.replace(found, cause="other-value", fix="call the same check", case=asked)

    class Lowering(HandwrittenCode):
        def find_guard(self, check: Made, empty: Collection[str] = ()) -> str:
            return f"under `{guard}` at v.go:6"

    told = add_handwritten_source(finding, TracedErrors(elsewhere=[check]), Lowering()).fix
    assert "v.go:6" in told
    assert told.startswith(f'let the check reject "{value[-1]}"' if letter else "call the same check")
    assert (f'takes it for "{letter}"' in told) == bool(letter)
