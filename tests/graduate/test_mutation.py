"""What mutants make of a certificate, and which of them are asked."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from harness.case import KindInfo
from harness.diagnostics import TargetError
from harness.graduate import mutation
from harness.graduate.document import Certificate, ChangeShown, CheckSource, make_document
from harness.graduate.mutation import (
    Judged,
    ReleaseMutants,
    SuiteMutants,
    WantedRule,
    lines_to_check,
    wants_mutants,
    with_mutants,
)
from harness.graduate.observer import Asked
from harness.graduate.view import lines_of, mutants_of
from harness.power.handwritten import CodeTrial
from harness.power.known import Known
from harness.power.mutant import Record
from harness.power.observer import NO_UPDATE
from harness.power.releases import CodeOutcome, CodePlan
from harness.rulecov.declared import DeclaredRule
from harness.rulecov.inventory import KnownRule
from harness.subject import SubjectSpec
from harness.targets.kubernetes.gomodule import TOP
from harness.targets.kubernetes.mutants.gomutant import GoMutant, find_mutants
from tests.cli.fakes import call
from tests.power.test_judge import HANDWRITTEN

FIRED = Asked("v1 things create", "v1", "", "create", cases=3, both=1)
SAFE = Certificate(
    "g", "v1", "Thing", "spec.size", "FieldValueInvalid", "minimum", "beta", "k8s:minimum", 1, "safe", (), None,
    (FIRED,), check=CheckSource("check.py:9 in validate"),
)  # fmt: skip
RULE = Record("declarative v1.Thing.size: minimum: drop", "declarative", "drop", "v1.Thing.size", "minimum", "killed")
CHECK = Record("handwritten check.validate: 1: +1", "handwritten", "+1", "check.validate", "1", "killed")


def survived(record: Record, **fields: Any) -> Record:
    """The record of a mutant that nothing killed."""
    return msgspec.structs.replace(record, **{"state": "survived", "shown_by": "a value at the limit", **fields})


def test_a_rule_whose_mutants_are_all_noticed_stays_safe() -> None:
    """With the number of them."""
    one = with_mutants(SAFE, (RULE, CHECK), ())
    assert one.mutants is not None
    assert ("safe", (), 2, "2 of 2 of the rule and its check noticed") == (
        one.verdict, one.missing, one.mutants.noticed, mutants_of(one.mutants),
    )  # fmt: skip


@pytest.mark.parametrize("state", ["survived", "tolerated", "unreached", "unjudged"])
def test_a_mutant_that_is_not_noticed_makes_a_rule_unknown(state: str) -> None:
    """The certificate names it, and what would show it; so does one that a list tolerates."""
    left = survived(CHECK, state=state)
    one = with_mutants(SAFE, (RULE, left), ())
    assert ("unknown", (f"mutants: the search does not notice 1 of 2: {CHECK.name}",)) == (one.verdict, one.missing)
    assert one.mutants is not None
    assert (left,) == one.mutants.left


def test_a_listed_mutant_is_equivalent_or_not_noticed() -> None:
    """As the list of the suite says."""
    equivalent, tolerated = (Known(CHECK.name, state, "toy") for state in ("equivalent", "tolerated"))
    first, second = (with_mutants(SAFE, (RULE, survived(CHECK)), (entry,)) for entry in (equivalent, tolerated))
    assert first.mutants is not None
    assert ("safe", 1, "unknown") == (first.verdict, first.mutants.equivalent, second.verdict)


def test_a_mutant_without_an_effect_on_what_is_compared_is_counted_apart() -> None:
    """One of errors that no rule reports, and one of updates of a rule that no update violates."""
    idle = survived(CHECK, uncompared=True), survived(RULE, reason=NO_UPDATE)
    one = with_mutants(SAFE, (RULE, CHECK, *idle), ())
    assert one.mutants is not None
    assert ("safe", 2, 2) == (one.verdict, one.mutants.idle, one.mutants.made)


@pytest.mark.parametrize(
    ("records", "check", "expected"),
    [
        ((CHECK,), SAFE.check, ("mutants: no mutant of the rule was made",)),
        ((RULE,), SAFE.check, ("mutants: no mutant of the handwritten check was made",)),
        ((RULE,), None, ("mutants: no mutant of the handwritten check was made, because its line is not known",)),
    ],
)
def test_silence_about_one_side_certifies_nothing(
    records: tuple[Record, ...], check: CheckSource | None, expected: tuple[str, ...]
) -> None:
    """A rule is not safe because nothing was asked."""
    one = with_mutants(msgspec.structs.replace(SAFE, check=check), records, ())
    assert ("unknown", expected) == (one.verdict, one.missing)


def test_mutants_are_asked_where_nothing_changes_and_the_rule_fired() -> None:
    """Another verdict does not wait for them."""
    change = ChangeShown("accepted", "", ("an error",), (), "v1 things", "create", {})
    silent = msgspec.structs.replace(SAFE, asked=())
    changed = msgspec.structs.replace(SAFE, verdict="changes", change=change)
    assert [True, False, False] == [wants_mutants(one) for one in (SAFE, silent, changed)]


def test_the_lines_to_a_check_end_with_the_call_of_its_function() -> None:
    """Its own line alone, where a target tells no calls; none where it tells nothing."""
    calls = ("lib.go:3", "a.go:1", "a.go:7", "b.go:5", "c.go:9")
    forwarded = CheckSource("a.go:1 in f, called at a.go:7 in g", calls=calls)
    direct = CheckSource("a.go:1 in f", calls=calls)
    certificates = [msgspec.structs.replace(SAFE, check=check) for check in (forwarded, direct, SAFE.check, None)]
    assert [calls[:4], calls[:3], ("check.py:9 in validate",), ()] == [lines_to_check(one) for one in certificates]


GO = b"""package validation

func ValidateThing(thing *Thing) (errs List) {
	if thing.Size > 9 {
		errs = append(errs, field.Invalid(path, 9, "no").MarkCoveredByDeclarative())
	}
	if thing.Other {
		errs = append(errs, field.Required(path, "").MarkCoveredByDeclarative())
	}
	return errs
}
"""


def test_the_mutants_of_a_release_are_those_of_the_search_and_of_the_lines_of_its_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Edits elsewhere are not built; a mutant of another rule is not counted for this one."""
    file = "pkg/apis/toys/validation/validation.go"
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_bytes(GO)
    mutants = [one for own in find_mutants(TOP, file, GO).values() for one in own]
    built: list[GoMutant] = []

    def build(trial: Any, wanted: list[GoMutant], every: int, note: object) -> Any:
        built.extend(wanted)
        numbers = tuple(range(1, len(wanted) + 1))
        program: Any = SimpleNamespace(mutants=dict(zip(numbers, wanted, strict=True)))
        return CodePlan(trial, program, numbers)

    def examine(plan: CodePlan, **options: object) -> CodeOutcome:
        records = (msgspec.structs.replace(CHECK, name=plan.build.mutants[number].name) for number in plan.chosen)
        return CodeOutcome(tuple(records), interrupted=True)

    for name, fake in {
        "find_release": lambda location: None, "mutated_folders": lambda release: {TOP: tmp_path},
        "all_mutants": lambda folders: mutants, "build_trial": build, "search_untouched": lambda trial, cases: trial,
        "examine_code": examine,
    }.items():  # fmt: skip
        monkeypatch.setattr(mutation, name, fake)
    place, words = "g/v1 Thing spec.size", "FieldValueInvalid minimum (beta)"
    own = msgspec.structs.replace(RULE, location=place, rule=words)
    other = msgspec.structs.replace(own, rule="FieldValueInvalid maximum (beta)")
    search = ReleaseMutants(CodeTrial((SubjectSpec("kubernetes", "1.37.1"),), 1, 100), (), 1)
    rule = DeclaredRule("g", "v1", "Thing", "spec.size", "FieldValueInvalid", "minimum", "beta", "k8s:minimum")
    known = KnownRule(rule, "k8s.io/api/g/v1.Thing", ("spec.size",), (), "limit")
    info = KindInfo("g", "v1", "Thing", "things", "g/v1", type=known.type)
    result: Any = SimpleNamespace(observed={"power": [(own, other)]})
    judged = search.judge([WantedRule(known, frozenset(), (f"{file}:5",))], [info], ["g/v1/things"], [result], print)
    assert {4, 5} == {one.line for one in built}
    assert 8 in {one.line for one in mutants}
    [records] = judged.records
    assert (own, [one.name for one in built], True) == (
        records[0], [one.name for one in records[1:]], judged.interrupted,
    )  # fmt: skip


def graduate(capfd: Any, suite: Path, *more: object) -> Any:
    """Certify the live rule with its mutants, in one process."""
    budget = ("--max-cases", "1500", "--jobs", "1", "--mutants")
    return call(capfd, "graduate", suite, "Widget.size", *budget, *more)


def certificate(file: Path) -> Certificate:
    """The only rule of a document."""
    document = msgspec.json.decode(file.read_bytes())
    return msgspec.convert(document["rules"][0], Certificate)


def test_the_mutants_of_a_suite_are_searched(capfd: Any, suite: Path, tmp_path: Path) -> None:
    """Those of the rule's tag and of the condition and statement of its check, and no others."""
    (suite / "handwritten.py").write_text(HANDWRITTEN.replace('old.get("size", 0)', 'old["size"]'), encoding="utf-8")
    file = tmp_path / "graduate.json"
    told = graduate(capfd, suite, "--mutant-cases", "400", "--json", file)
    judged = certificate(file).mutants
    assert judged is not None
    assert (0, True) == (told.code, f"mutants: {mutants_of(judged)}" in told.out), told.out
    assert judged.noticed > 15
    assert "--mutants --mutant-cases=400" in file.read_text(encoding="utf-8")


def test_a_mutant_that_no_case_shows_makes_a_rule_of_a_suite_unknown(capfd: Any, suite: Path, tmp_path: Path) -> None:
    """The default of a required field: exit code 2 with its name, until a person lists it as equivalent."""
    file = tmp_path / "graduate.json"
    told = graduate(capfd, suite, "--mutant-cases", "400", "--json", file)
    one = certificate(file)
    assert one.mutants is not None
    names = [f"handwritten handwritten.validate: 0: {step} #2" for step in ("+1", "-1")]
    assert (2, "unknown", names) == (told.code, one.verdict, [record.name for record in one.mutants.left])
    assert f"missing: mutants: the search does not notice 2 of 27: {'; '.join(names)}" in told.out
    assert f"  not noticed: {names[0]}" in told.out
    listed = suite / "listed.yaml"
    listed.write_text(
        "".join(f"- {{mutant: {msgspec.json.encode(name).decode()}, equivalent: toy}}\n" for name in names),
        encoding="utf-8",
    )
    told = graduate(capfd, suite, "--mutant-cases", "400", "--known", listed)
    assert (0, True) == (told.code, "25 of 25 of the rule and its check noticed; besides, 2 listed" in told.out)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--mutant-cases", "5"), "add --mutants"),
        (("--known", "x.yaml"), "add --mutants"),
        (("--mutants", "--known", "nowhere.yaml"), "there is no nowhere.yaml"),
        (("--mutants", "--known", "types.go"), "power-known"),
    ],
)
def test_options_of_mutants_that_make_no_sense_are_refused(
    capfd: Any, monkeypatch: pytest.MonkeyPatch, suite: Path, words: tuple[str, ...], message: str
) -> None:
    """Exit code 2 before anything is searched, with what to do."""
    monkeypatch.chdir(suite)
    told = call(capfd, "graduate", suite, "Widget.size", *words)
    assert (2, True, "") == (told.code, message in told.err, told.out)


def test_a_mutant_that_is_not_noticed_is_listed_with_what_would_show_it() -> None:
    """Below its rule."""
    one = with_mutants(SAFE, (RULE, survived(CHECK)), ())
    document = make_document(
        subject="toy", release="1.37", seed=1, max_cases=9, max_time=None, jobs=1, cases=9, seconds=1.0,
        stopped="budget", command="harness graduate", rules=(one,),
    )  # fmt: skip
    assert any(
        line.startswith(f"  not noticed: {CHECK.name}") and line.endswith("would be shown by a value at the limit")
        for line in lines_of(document)
    )


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (KeyboardInterrupt(), 130, ""),
        (TargetError("the worker could not be built"), 2, "mutants were not judged: the worker"),
    ],
)
def test_what_the_search_found_is_kept_if_mutants_cannot_be_judged(
    capfd: Any,
    monkeypatch: pytest.MonkeyPatch,
    suite: Path,
    tmp_path: Path,
    error: BaseException,
    code: int,
    words: str,
) -> None:
    """The document is written; the rule is unknown, since no mutant of it was made."""

    def refuse(*given: object) -> Judged:
        raise error

    monkeypatch.setattr(SuiteMutants, "judge", refuse)
    file = tmp_path / "graduate.json"
    told = graduate(capfd, suite, "--json", file)
    one = certificate(file)
    assert (code, "unknown", True) == (told.code, one.verdict, words in told.err)
    assert "mutants: no mutant of the rule was made" in one.missing
