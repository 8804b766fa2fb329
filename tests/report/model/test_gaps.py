"""Gaps of a run: reported with kind, validator and error in every format, and allowed by name."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.report import FORMATS
from harness.report.formats.json import encode
from harness.report.formats.terminal.screen import summary
from harness.report.model.assembly import build_report
from harness.report.model.document import Policy, Report
from harness.report.model.gaps import MAX_FAILURE_SHARE, MIN_CASES, find_gaps, find_open_gaps, unused_allowances
from harness.report.model.merging import merge
from harness.report.model.reading import decode
from harness.report.text.finding import to_plain_text
from tests.report import made

BLOCKED: dict[str, Any] = {
    "has_seed": False, "accepted": 0, "seed_search_complete": True,
    "remaining": ('spec.ref: Invalid value: "a": is not a reference number', "spec.size: Required value"),
    "sides": ("handwritten", "declarative"),
}  # fmt: skip


def blocked(policy: Policy | None = None, **more: Any) -> Report:
    """Return the report of a run with accepted updates and no accepted create."""
    values = {"kinds": (made.kind_report(operation="create", **BLOCKED), made.kind_report()), **more}
    return build_report(made.result(**values), policy=policy or Policy())


def test_a_kind_without_an_accepted_object_makes_the_run_incomplete() -> None:
    """The errors that block it hide all differences, so no finding does not mean no difference."""
    report = blocked()
    assert ("incomplete", 2) == (report.verdict, report.exit_code)
    (gap,) = find_gaps(report)
    assert "example.io/v1 widgets create" == gap.title
    assert [
        'handwritten: spec.ref: Invalid value: "a": is not a reference number',
        "declarative: spec.size: Required value",
    ] == gap.blocking()  # fmt: skip


@pytest.mark.parametrize(
    "form", [form for form in FORMATS if form.name not in ("json", "coverprofile", "metrics")], ids=lambda f: f.name
)
def test_every_format_has_the_blocking_error_and_the_fix(form: Any) -> None:
    """It has the kind, the validator, the error, and the option that allows it."""
    text = form.render(blocked()).decode()
    for part in ("widgets", "handwritten", "is not a reference number", "--allow-incomplete"):
        assert part in text


def test_an_answer_that_is_too_large_makes_its_kind_incomplete() -> None:
    """One such answer is enough, because a difference can be in it. The kind can be allowed by name too."""
    kinds = (made.kind_report(operation="create", failures=3, too_large=2), made.kind_report())
    report = build_report(made.result(kinds=kinds), policy=Policy())
    assert ("incomplete", 2) == (report.verdict, report.exit_code)
    (gap,) = find_gaps(report)
    assert ("too-large", "example.io/v1 widgets create") == (gap.reason, gap.title)
    assert "2 of " in gap.sentence
    assert "had more errors than are kept" in to_plain_text(summary(report))
    allowed = build_report(made.result(kinds=kinds), policy=Policy(allow_incomplete=("widgets",)))
    assert ("equivalent", 0) == (allowed.verdict, allowed.exit_code)


def test_metrics_name_the_kind() -> None:
    """They use the identifier of upstream's counters."""
    text = next(form for form in FORMATS if form.name == "metrics").render(blocked()).decode()
    assert 'harness_incomplete{validation_identifier="widget_create",why="unaccepted"} 1.0' in text
    assert 'harness_kinds{state="incomplete"} 1.0' in text


def test_the_screen_has_gaps_first() -> None:
    """They are before the effort, with the fix."""
    rows = to_plain_text(summary(blocked())).splitlines()
    assert rows[0].startswith("Incomplete: no difference found, but no object of 1 kind and operation was accepted")
    assert "example.io/v1 widgets create: no object that both sides accept was found in 50 cases" in rows[1]
    assert any(row.strip().startswith("fix: ") for row in rows[2:5])


def test_a_run_with_findings_and_gaps_fails_because_of_findings() -> None:
    """The exit code is that of findings, and the screen has the gaps too."""
    values = {"kinds": (made.kind_report(**BLOCKED),)}
    report = build_report(made.result(made.finding(), **values))
    assert ("different", 1) == (report.verdict, report.exit_code)
    assert "also incomplete: no object of 1 kind and operation was accepted" in to_plain_text(summary(report))


@pytest.mark.parametrize("pattern", ["widgets", "Widget", "example.io/*", "example.io/v1 widgets"])
def test_a_kind_is_allowed_by_name(pattern: str) -> None:
    """Patterns are those of --kind, on the command line or in the suite, and every format shows that they apply."""
    for report in (blocked(Policy(allow_incomplete=(pattern,))), blocked(allow_incomplete=(pattern,))):
        assert ("equivalent", 0) == (report.verdict, report.exit_code)
        assert ((), pattern) == (find_open_gaps(report), report.kinds[0].allowed)
        assert f"--allow-incomplete {pattern!r} accepts that" in to_plain_text(summary(report))
        assert "" == report.kinds[1].allowed


def test_unused_patterns_are_reported() -> None:
    """A pattern can be removed if no kind of it is incomplete; a narrowed run does not report that."""
    idle = blocked(Policy(allow_incomplete=("widgets", "gadgets")))
    assert ["gadgets"] == unused_allowances(idle)
    assert "nothing that --allow-incomplete 'gadgets' names is incomplete" in to_plain_text(summary(idle))
    assert 0 == idle.exit_code
    assert [] == unused_allowances(msgspec.structs.replace(idle, narrowed=("--kind widgets",)))
    assert [] == unused_allowances(blocked(Policy(allow_incomplete=("gadgets",)), shard="1/2"))


def test_a_kind_without_time_is_not_a_gap() -> None:
    """A faster machine could have searched it, so it is listed as not searched."""
    late = {**BLOCKED, "seed_search_complete": False}
    report = build_report(made.result(kinds=(made.kind_report(operation="create", **late), made.kind_report())))
    assert ("equivalent", ()) == (report.verdict, find_gaps(report))
    rows = to_plain_text(summary(report))
    assert "time ran out before an object was accepted: example.io/v1 widgets create" in rows
    assert rows.startswith(
        "Equivalent as far as we looked; no object of 1 of 2 kinds and operations was accepted in time: "
    )


def test_a_run_without_any_accepted_object_is_incomplete() -> None:
    """It is incomplete even if time ran out."""
    report = build_report(made.result(kinds=(made.kind_report(**{**BLOCKED, "seed_search_complete": False}),)))
    assert ("incomplete", 2) == (report.verdict, report.exit_code)
    assert "--max-time" in find_gaps(report)[0].advice


def test_a_kind_without_rules_is_a_gap_between_two_targets_only() -> None:
    """Its validators cannot differ, but the errors of two targets can."""
    bare = msgspec.structs.replace(made.WIDGET, rules=False)
    kinds = (made.kind_report(bare, "create", **BLOCKED), made.kind_report())
    assert () == find_gaps(build_report(made.result(kinds=kinds)))
    (gap,) = find_gaps(build_report(made.result(kinds=kinds, between=("1.36.3", "1.37.1"))))
    assert gap.blocking()[0].startswith("1.37.1: spec.ref")
    assert gap.blocking()[1].startswith("1.36.3: spec.size")


@pytest.mark.parametrize(("failures", "verdict"), [(200, "equivalent"), (201, "incomplete")])
def test_a_large_share_of_failed_answers_is_a_gap(failures: int, verdict: str) -> None:
    """A kind is a gap if more than half of its answers failed."""
    report = build_report(made.result(kinds=(made.kind_report(cases=400, failures=failures),)))
    assert 0.5 == MAX_FAILURE_SHARE
    assert verdict == report.verdict
    assert (verdict == "incomplete") == ("201 of 400 answers failed (50 %)" in to_plain_text(summary(report)))


def test_a_share_of_few_answers_is_not_evaluated() -> None:
    """The first objects of a kind are guesses."""
    few = made.kind_report(cases=MIN_CASES - 1, failures=MIN_CASES - 1, accepted=1)
    assert () == find_gaps(build_report(made.result(kinds=(few,))))


def test_operations_with_the_same_errors_are_one_gap() -> None:
    """Values in the errors do not matter, because objects differ."""
    other = {**BLOCKED, "remaining": (BLOCKED["remaining"][0].replace('"a"', '"b"'), BLOCKED["remaining"][1])}
    kinds = (made.kind_report(operation="create", **BLOCKED), made.kind_report(**other))
    (gap,) = find_gaps(build_report(made.result(kinds=kinds)))
    assert ("example.io/v1 widgets create, update", 2) == (gap.title, len(gap.kinds))


def test_shards_add_up_to_the_same_verdict() -> None:
    """Allowed kinds stay allowed, and a kind that one shard accepted is accepted."""
    policy = Policy(allow_incomplete=("widgets",))
    one, other = (
        build_report(
            made.result(shard=f"{number}/2", kinds=(made.kind_report(operation=operation, **BLOCKED),)), policy=policy
        )
        for number, operation in ((1, "create"), (2, "update"))
    )
    assert (0, 2) == (merge([("1", one), ("2", other)]).exit_code, len(merge([("1", one), ("2", other)]).kinds))
    strict = [(name, msgspec.structs.replace(report, policy=Policy())) for name, report in (("1", one), ("2", other))]
    assert 2 == merge(strict).exit_code


def test_an_older_report_is_read_and_keeps_its_verdict() -> None:
    """It lacks the validators of the remaining errors, and whether the search for a seed object ended."""
    data = msgspec.json.decode(
        encode(build_report(made.result(kinds=(made.kind_report(**BLOCKED), made.kind_report()))))
    )
    data["verdict"] = "equivalent"
    for kind in data["kinds"]:
        for key in ("sides", "seed_search_complete", "allowed"):
            kind.pop(key, None)
    del data["policy"]
    report = decode(msgspec.json.encode(data), "r.json")
    assert ("equivalent", 0, ()) == (report.verdict, report.exit_code, find_gaps(report))
    assert all(form.render(report) for form in FORMATS if form.name != "annotations")
