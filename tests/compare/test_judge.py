"""Every cause is found by its experiment on a target of a few lines, and not found where it is not the cause."""

from __future__ import annotations

from typing import Any

import pytest

from harness.case import Answer, Case, Failure, Operation, ServedList
from harness.compare.cause import no_repairs
from harness.compare.comparator import Comparator
from harness.compare.finding import Finding
from harness.compare.judge import find_cause, judge
from harness.compare.mismatch import Mismatch
from harness.field import FieldError
from tests.compare.builders import Ask, answer, case, drive, error, errors, info
from tests.compare.explaining import BAD, causes, causes_with, ratcheting_target, repair_mode, slugs


def always(hv: tuple[FieldError, ...], dv: tuple[FieldError, ...]) -> Ask:
    """A target that says the same of everything."""
    return lambda asked: answer(hv, dv)


STATIC = [
    # handwritten, declarative, expected causes
    (["Required@a covered"], [], {"a": "no-rule"}),
    ([], ["Required@a alpha"], {"+a": "no-counterpart"}),
    (["Required@a"], ["Required@a alpha"], {"+a": "unmarked"}),
    (["Required@a covered"], ["Required@a"], {"a": "duplicate"}),
    (["Required@a"], ["Required@a"], {"a": "duplicate"}),
    ([], ["Forbidden@a", "Forbidden@a"], {"a": "duplicate"}),
    (["Required@s.a covered"], ["Required@s.b alpha"], {"s.a": "path", "+s.b": "path"}),
    (["Required@s.a covered"], ["Required@s[0].a alpha"], {"s.a": "path", "+s[0].a": "path"}),
    (["Forbidden@a covered"], ["Required@a alpha"], {"a": "type", "+a": "type"}),
    (["Invalid@a/minimum covered"], ["Invalid@a/maximum alpha"], {"a": "origin", "+a": "origin"}),
    (["Invalid@a covered"], ["Invalid@a/maximum alpha"], {"a": "origin", "+a": "origin"}),
    (["Invalid@a covered"], ["Invalid@a alpha"], {"a": "origin", "+a": "origin"}),
    (["Required@s.a covered"], ["TooMany@s alpha sc"], {"s.a": "short-circuit", "+s": "no-counterpart"}),
    ([], ["Internal@<nil>"], {"+<nil>": "no-counterpart"}),
    # Unrelated errors of one type are not the same rule at two paths.
    (["Required@s.a covered", "TooMany@z"], ["Required@t.b alpha"], {"s.a": "no-rule", "+t.b": "no-counterpart"}),
    (["Required@s.a"], ["Required@s.b alpha"], {"+s.b": "no-counterpart"}),
]  # fmt: skip


@pytest.mark.parametrize(("hv", "dv", "expected"), STATIC)
def test_causes_that_the_lists_show(hv: list[str], dv: list[str], expected: dict[str, str]) -> None:
    """Two lists alone tell a wrong path, type, origin or mark, a stop, a repetition, or they tell nothing."""
    assert expected == slugs(case(), always(errors(*hv), errors(*dv)))


def test_words_and_levels() -> None:
    """Served mismatches have causes too: other words, other levels."""
    words = always((error("Required@a covered", detail="x"),), (error("Required@a beta", detail="y"),))
    levels = always(errors("Required@a covered beta"), errors("Required@a alpha"))
    assert slugs(case(), words) == {"a": "wording"}
    assert slugs(case(), levels, composition="explicit") == {"a": "gate"}


def test_duplicates_name_the_sides() -> None:
    """An error served twice comes from both sides, or from two calls on one."""
    once = causes(case(), always(errors("Required@a"), errors("Required@a")))["a"]
    twice = causes(case(), always(errors("Required@a", "Required@a"), ()), composition="shadow")["a"]
    assert (once.detail, twice.detail) == ("reported by both sides", "reported twice by one side")


def test_a_rule_that_repeats_itself_is_told_so() -> None:
    """Two items taken from a list, each reported at the list: there is no handwritten check to delete."""
    rules = causes(case(), always((), errors("Forbidden@a/update", "Forbidden@a/update")))["a"]
    check = causes(case(), always(errors("Required@a", "Required@a"), ()), composition="shadow")["a"]
    assert "reported twice by one side" == rules.detail
    assert ("handwritten" in check.fix, "handwritten" in rules.fix) == (True, False)


def test_two_errors_of_one_text_are_no_duplicate_where_both_sides_say_both() -> None:
    """Two bad keys of a map are reported at the map, both; said twice by rules alone, one of them is too much."""
    both = errors("TooLong@a/maxLength covered", "TooLong@a/maxLength covered")
    rules = errors("TooLong@a/maxLength beta", "TooLong@a/maxLength beta")
    assert causes(case(), always(both, rules)) == {}
    assert slugs(case(), always(both[:1], rules)) != {}


def test_short_circuit_by_experiment() -> None:
    """A declarative error elsewhere stops the rule: without it both sides agree."""

    def ask(asked: Case) -> Answer:
        spec = asked.object["spec"]
        stop = "stop" in spec
        hv = errors("TooMany@spec.stop covered") if stop else ()
        return answer(
            (*hv, *errors("Required@spec.a covered")),
            errors("TooMany@spec.stop beta") if stop else errors("Required@spec.a beta"),
        )

    assert slugs(case({"spec": {"stop": 1, "b": 1}}), ask) == {"spec.a": "short-circuit"}


def test_short_circuit_before_137() -> None:
    """Old releases do not say which errors stop others: one on the same field or above it is taken for it."""
    lists = always(errors("TooMany@s covered", "Required@s.a covered"), errors("TooMany@s alpha"))
    found = causes(case(), lists, composition="explicit")["s.a"]
    assert ("short-circuit", "remains") == (found.cause, found.certainty)
    assert "if it short-circuits" in found.detail
    assert slugs(case(), lists) == {"s.a": "no-rule"}


def test_version() -> None:
    """Another version of the same object has the rule."""

    def ask(asked: Case) -> Answer:
        versions = {"v2": errors("Required@a alpha")} if asked.versions else {}
        return answer(errors("Required@a covered"), versions=versions)

    found = causes(case(), ask, versions=("v2",))
    assert (found["a"].cause, found["a"].detail) == ("version", "the rules of v2 report it, those of v1 do not")
    assert slugs(case(), always(errors("Required@a covered"), ()), versions=("v2",)) == {"a": "no-rule"}
    listed = answer((), errors("Required@a"), versions={"v2": ()})
    assert slugs(case(versions=True), lambda asked: listed) == {"a": "version"}


def test_gate() -> None:
    """Both sides report it when an option is turned, or the silent one does in place of the other."""

    def ask(asked: Case) -> Answer:
        on = asked.options.get("Feature", False)
        return answer(errors("Required@a covered"), errors("Required@a alpha") if on else ())

    options = {"Feature": False, "Other": True}
    found = causes(case(), ask, options=options)
    assert (found["a"].cause, found["a"].detail) == ("gate", "both sides report it with the option Feature on")

    def turned(asked: Case) -> Answer:
        on = asked.options.get("Feature", False)
        return answer(() if on else errors("Required@a covered"), errors("Required@a alpha") if on else ())

    found = causes(case(), turned, options=options)
    assert (found["a"].cause, found["a"].detail) == ("gate", "it is the other way round with the option Feature on")


@pytest.mark.parametrize("instead", ["", "Forbidden@a covered"])
def test_an_option_that_silences_the_error_is_no_gate(instead: str) -> None:
    """A check that asks an option, or gives way to another error, has no rule in any setting."""

    def ask(asked: Case) -> Answer:
        on = asked.options.get("Feature", False)
        replaced = errors(instead) if instead else ()
        return answer(
            errors("Required@a covered") if on else replaced, () if on or not instead else errors("Forbidden@a")
        )

    assert {"a": "no-rule"} == slugs(case(options={"Feature": True}), ask, options={"Feature": True})


def test_unreachable() -> None:
    """Gone in mode served, so only a direct call of the validators meets it; other causes do not matter then."""

    def ask(asked: Case) -> Answer:
        return answer((), errors("Required@a beta") if asked.mode == "given" else ())

    one, asked = Comparator(info()), case(mode="given")
    (mismatch,) = one.compare(asked, ask(asked))
    finding = drive(judge(asked, ask(asked), mismatch, one, subject="s"), ask)
    assert (finding.cause, finding.severity) == ("unreachable", "unreachable")
    stays = always((), errors("Required@a beta"))
    assert slugs(case(mode="given"), stays) == {"+a": "no-counterpart"}
    assert slugs(case(mode="served"), stays) == {"+a": "no-counterpart"}


def test_refused_before_validation() -> None:
    """What a server answers without its validators is unreachable as it stands, and told with the server's reason."""
    refused, one = "409, because of its uid", Comparator(info())

    def ask(asked: Case) -> Answer:
        unreachable = "" if asked.mode == "given" else refused
        return answer((), errors("Required@a beta"), unreachable=unreachable)

    def find(asked: Case) -> Finding:
        (mismatch,) = one.compare(asked, ask(asked))
        return drive(judge(asked, ask(asked), mismatch, one, subject="s"), ask)

    given, served = find(case(mode="given")), find(case(mode="served"))
    assert ("unreachable", "unreachable") == (given.cause, given.severity)
    assert f"a server answers {refused}" in given.detail
    assert ("no-counterpart", "unreachable") == (served.cause, served.severity)
    assert f"no request shows it: a server answers {refused}" == served.severity_note


def test_failures_and_paths() -> None:
    """A panic, an unstable answer, a wrong path and a wrong composition name themselves."""
    panic = answer(failure=Failure("handwritten", "x", panic=True))
    unstable = answer(failure=Failure("self", "x"))
    assert slugs(case(), lambda asked: panic) == {"": "panic"}
    assert slugs(case(), lambda asked: unstable) == {"": "unstable"}
    assert slugs(case(), always(errors("Required@x"), ()), is_known_path=lambda _: False) == {"x": "wrong-path"}


@pytest.mark.parametrize(
    ("at", "fix"),
    [
        ("handwritten.py:41 in validate", "let the code at handwritten.py:41 in validate take this object"),
        ("", "guard the nil value"),
    ],
)
def test_a_crash_is_mended_where_it_happens(at: str, fix: str) -> None:
    """Where the target says which line raised, the fix names it; a panic of Go names what was nil."""
    panic = answer(failure=Failure("handwritten", "KeyError: 'a'", panic=True, at=at))
    [found] = causes(case(), lambda asked: panic).values()
    assert found.fix.startswith(fix)
    assert at in found.detail


@pytest.mark.parametrize(
    ("failure", "detail", "fix"),
    [
        (Failure("handwritten", "did not finish within 5 seconds", panic=True), "a validator did not end", "a loop"),
        (Failure("worker", "it ended (exit code 3)", panic=True), "the process of the validators ended", "an exit"),
    ],
)
def test_what_ends_a_process_or_does_not_end_is_no_nil_value(failure: Failure, detail: str, fix: str) -> None:
    """The fix names what does such things."""
    [found] = causes(case(), lambda asked: answer(failure=failure)).values()
    assert "panic" == found.cause
    assert detail in found.detail
    assert fix in found.fix
    assert "nil" not in found.fix


def test_an_experiment_that_fails_proves_nothing() -> None:
    """A question the target cannot answer is no evidence."""

    def ask(asked: Case) -> Answer:
        if asked.operation is Operation.CREATE or "a" not in asked.old["spec"]:
            return answer(failure=Failure("decode", "no"))
        return ratcheting_target(False, True)(asked)

    assert slugs(case(BAD, BAD), ask) == {"spec.a": "unknown"}


def test_experiments_travel_together() -> None:
    """There is one batch of experiments, none after it when nobody answers, and a cause the lists show asks nothing."""
    one, asked = Comparator(info(options={"F": True}, versions=("v2",))), case(BAD, BAD)
    said = answer(errors("Required@spec.a covered"))
    search = find_cause(asked, said, one.compare(asked, said)[0], one)
    batch = next(search)
    assert list(range(len(batch))) == [each.id for each in batch]
    with pytest.raises(StopIteration):
        search.send([answer(failure=Failure("worker", "the run has ended")) for _ in batch])
    shown = answer(errors("Required@a"), errors("Required@a alpha"))
    with pytest.raises(StopIteration):
        next(find_cause(case(), shown, one.compare(case(), shown)[0], one))


FIXES = [
    (
        ["Required@a covered"],
        [],
        "declare +k8s:required on a, or take the mark `covered` from the handwritten error for a",
    ),
    (["Invalid@l[0].n/format=k8s-uuid covered"], [], "declare +k8s:format=k8s-uuid on l[*].n"),
    (["NotSupported@a covered"], [], "declare +k8s:enum on its type"),
    (["Invalid@a/odd covered"], [], "declare the rule that reports FieldValueInvalid odd on a"),
    (
        [],
        ["TooMany@a/maxItems alpha"],
        "remove +k8s:maxItems from a, or write the handwritten error for a with the origin",
    ),
    (
        ["TooMany@a/maxItems"],
        ["TooMany@a/maxItems alpha"],
        "add the mark `covered` to the handwritten error for a",
    ),
    (["Invalid@a covered"], ["Invalid@a/minimum alpha"], 'give the origin "minimum" to the handwritten error for a'),
    (["Required@s.a covered"], ["Required@s.b alpha"], "report one path, s.b or s.a"),
    (["Required@s[abc] covered"], ["Required@s[ab] alpha"], "write the keys of s alike"),
]


@pytest.mark.parametrize(("hv", "dv", "expected"), FIXES)
def test_fixes_name_field_and_tag(hv: list[str], dv: list[str], expected: str) -> None:
    """The proposed fix says what to write, and where."""
    found = causes(case(), always(errors(*hv), errors(*dv)))
    assert expected in next(iter(found.values())).fix


def test_a_crash_of_the_preparation_is_told_as_one() -> None:
    """What defaults and prepares an object is no validator."""
    crash = answer(failure=Failure("prepare", "index out of range", panic=True, at="alloc.go:3"))
    [found] = causes(case(), lambda asked: crash).values()
    assert found.detail.endswith("what defaults and prepares the object crashed at alloc.go:3")


def test_the_judge_builds_the_finding() -> None:
    """A finding holds the mismatch, its cause and grade, the case and the answer, and what else differs there."""
    ask = always(errors("Required@l[3].a covered"), errors("TooMany@z/maxItems alpha"))
    one, asked = Comparator(info(), is_known_path=None), case({"l": []})
    said = ask(asked)
    first, second = one.compare(asked, said)
    finding = drive(judge(asked, said, first, one, subject="kubernetes"), ask)
    expected = ("no-rule", "no-rule", "shadow", "unmatched", "create", "l[*].a", "handwritten", 1, None, "")
    assert expected == (
        finding.code, finding.cause, finding.severity, finding.mismatch, finding.operation, finding.path, finding.side,
        finding.occurrences, finding.exception, finding.replay,
    )  # fmt: skip
    assert (asked, said, (second,)) == (finding.case, finding.answer, finding.others)
    assert "l[3].a: Required value; the declarative side does not report it; no other value was tried" in finding.detail


def test_an_option_that_does_not_matter() -> None:
    """Turning an option that changes nothing proves nothing."""
    assert slugs(case(), always(errors("Required@a covered"), ()), options={"A": True}) == {"a": "no-rule"}


def test_the_same_words_at_another_path() -> None:
    """Two errors with the same words are one rule, wherever they are reported."""
    hv = (error("Invalid@x.a/o covered", detail="must be odd"), *errors("TooMany@z"))
    dv = (error("Invalid@y.b/o alpha", detail="must be odd"),)
    assert slugs(case(), always(hv, dv)) == {"x.a": "path", "+y.b": "path"}


def test_a_wrong_composition_names_itself() -> None:
    """Where the target serves another list than its own two lists compose to, nobody else is to blame."""
    said = answer(errors("Required@a"), served=(ServedList("beta-on", {}, ()),))
    assert slugs(case(), lambda asked: said) == {"a": "composition"}


def test_generated_code_that_is_not_that_of_its_tags_names_itself() -> None:
    """Where the tags report something else, no experiment on the two sides tells more."""
    said = answer(declarative=errors("Required@a"), compiled=errors("Required@b"))
    assert slugs(case(), lambda asked: said) == {"a": "generated", "b": "generated"}


@pytest.mark.parametrize("kind", ["unmatched", "extra", "served"])
@pytest.mark.parametrize("side", ["handwritten", "declarative"])
def test_a_mismatch_that_is_not_in_the_answer(kind: Any, side: Any) -> None:
    """A mismatch from elsewhere is explained as far as it goes, and breaks nothing."""
    one = Comparator(info())
    strange = Mismatch(kind, "a", "FieldValueRequired", side=side)
    found = drive(find_cause(case(), answer(), strange, one), always((), ()))
    assert found.cause in ("no-rule", "no-counterpart", "unknown")


def test_a_path_that_only_looks_alike() -> None:
    """Two fields of one name are one rule only as long as repairing the one does not leave the other."""

    def ask(asked: Case) -> Answer:
        spec = asked.object["spec"]
        hv = () if spec.get("mode") else errors("Required@spec.mode covered")
        return answer(hv, errors("Required@spec.sub.mode beta"))

    asked = case({"spec": {"sub": {}}})
    assert causes_with(no_repairs, ask, asked)["spec.sub.mode"].cause == "path"
    assert causes_with(repair_mode, ask, asked)["spec.sub.mode"].cause == "no-counterpart"

    def moved(asked: Case) -> Answer:
        is_set = bool(asked.object["spec"].get("mode"))
        return answer(
            *((), ()) if is_set else (errors("Required@spec.mode covered"), errors("Required@spec.m.mode beta"))
        )

    assert causes_with(repair_mode, moved, asked)["spec.mode"].cause == "path"


def test_conditional() -> None:
    """A check that runs only without another field speaks when that field is left out; nothing was wrong with it."""

    def ask(asked: Case) -> Answer:
        item = asked.object["spec"]["l"][0]
        return answer(
            () if "match" in item else errors("Invalid@spec.l[0].a/o covered"), errors("Invalid@spec.l[0].a/o beta")
        )

    found = causes(case({"spec": {"l": [{"a": 1, "match": 2, "other": 3}], "m": 1}}), ask)["+spec.l[0].a"]
    assert (found.cause, "does not run beside spec.l[0].match" in found.detail) == ("conditional", True)
    assert "with or without spec.l[*].match" in found.fix


def test_experiments_have_a_budget_and_what_was_not_asked_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """However much there is to leave out; a cause is told nevertheless."""
    monkeypatch.setattr("harness.compare.judge.BUDGET", 10)
    asked = list[Case]()

    def ask(one: Case) -> Answer:
        asked.append(one)
        return answer(errors("Required@spec.a covered"))

    found = causes(case({"spec": {f"f{number}": 1 for number in range(30)}}), ask)["spec.a"]
    assert "no-rule" == found.cause
    assert "20 more cases of experiments were not asked, which have a budget of 10" in found.detail
    assert 1 + 10 == len(asked)


def test_a_target_that_dies_during_an_experiment_is_believed_in_the_others() -> None:
    """Cases that killed it prove nothing; the others do."""

    def ask(asked: Case) -> Answer:
        if "a" not in (asked.old or {}).get("spec", {"a": 1}):
            return answer(failure=Failure("worker", "died"))
        return ratcheting_target(False, True)(asked)

    found = causes(case(BAD, BAD), ask)["spec.a"]
    assert ("ratcheting", "experiment") == (found.cause, found.certainty)


@pytest.mark.parametrize(
    ("hv", "dv", "certainty"),
    [
        (["Required@a"], ["Required@a alpha"], "observed"),
        (["Required@a covered"], [], "remains"),
        (["Required@s.a covered"], ["Required@s.b alpha"], "experiment"),
        (["Invalid@s.a/x covered"], ["Invalid@s.a alpha"], "experiment"),
    ],
)
def test_a_finding_says_how_sure_its_cause_is(hv: list[str], dv: list[str], certainty: str) -> None:
    """Seen in the lists, proved by an experiment, or what remains; the experiment is named but for the first."""
    ask = always(errors(*hv), errors(*dv))
    one, asked = Comparator(info()), case({"s": {"c": 1}})
    said = ask(asked)
    finding = drive(judge(asked, said, one.compare(asked, said)[0], one, subject="s"), ask)
    assert certainty == finding.certainty
    assert (certainty == "observed") == (not finding.experiment)
    assert not finding.experiment.startswith("none:")


def test_a_guess_with_nothing_to_repair_is_observed() -> None:
    """No experiment stood behind it, so none is named."""
    ask = always(errors("Required@s.a covered"), errors("Required@s.b alpha"))
    asked = case()
    found = causes(asked, ask)["s.a"]
    assert ("path", "observed") == (found.cause, found.certainty)


@pytest.mark.parametrize(
    ("silent", "are_tied", "experiment"),
    [
        ("Required@x alpha", False, "other errors repaired: the two forms stay"),
        ("Required@x alpha", True, "other errors repaired: the two forms come and go together"),
        ("", False, "the fields beside it left out: the two forms stay"),
    ],
)
def test_a_confirmed_guess_says_what_was_changed(silent: str, are_tied: bool, experiment: str) -> None:
    """Only where another error was gone is it called repaired, and only where both forms went they go together."""

    def ask(asked: Case) -> Answer:
        has_x = "x" in asked.object
        forms = has_x or not are_tied
        more = errors(silent) if silent and has_x else ()
        return answer(errors("Required@s.a covered") * forms, errors("Required@t.a alpha") * forms + more)

    found = causes(case({"s": {"c": 1}, "x": 1}), ask)["s.a"]
    assert ("path", "experiment", experiment) == (found.cause, found.certainty, found.experiment)


@pytest.mark.parametrize(("level", "words"), [("", "with a level of the covered a: "), ("alpha", "of the covered a: ")])
def test_a_rule_that_is_standard_is_no_missing_counterpart(level: str, words: str) -> None:
    """The declarative list has the error, and replaces nothing by it: what lacks is a counterpart with a level."""
    one, asked = Comparator(info()), case({"a": 1})
    rules = errors(f"Required@a {level}") if not level else ()
    said = answer(errors("Required@a covered"), rules)
    mismatch = next(m for m in one.compare(asked, said) if m.kind == "unmatched")
    finding = drive(judge(asked, said, mismatch, one, subject="s"), lambda case: said)
    assert finding.detail.startswith(f"no declarative counterpart {words}")
