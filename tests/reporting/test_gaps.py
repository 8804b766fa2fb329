"""What was not reached: told by kind, side and error in every form of a report, and accepted by name."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.reporting import REPORTS
from harness.reporting.assembly import build_report
from harness.reporting.document import Policy, Report, decode, encode
from harness.reporting.gaps import FEWEST_CASES, LARGE_SHARE, gaps, idle_allowances, open_gaps
from harness.reporting.merging import merge
from harness.reporting.terminal import render, summary
from tests.reporting import made

BLOCKED: dict[str, Any] = {
    "has_seed": False, "accepted": 0, "seed_search_complete": True,
    "remaining": ('spec.ref: Invalid value: "a": is not a reference number', "spec.size: Required value"),
    "sides": ("handwritten", "declarative"),
}  # fmt: skip


def blocked(policy: Policy | None = None, **more: Any) -> Report:
    """A report of a run that accepted objects of an update, and none of a create."""
    values = {"kinds": (made.kind_report(operation="create", **BLOCKED), made.kind_report()), **more}
    return build_report(made.result(**values), policy=policy or Policy())


def test_a_kind_without_an_accepted_object_makes_the_run_incomplete() -> None:
    """Whatever blocks it hides everything behind it, so silence is no agreement."""
    report = blocked()
    assert ("incomplete", 2) == (report.verdict, report.exit_code)
    (gap,) = gaps(report)
    assert "example.io/v1 widgets create" == gap.title
    assert [
        'handwritten: spec.ref: Invalid value: "a": is not a reference number',
        "declarative: spec.size: Required value",
    ] == gap.blocking()  # fmt: skip


@pytest.mark.parametrize(
    "form", [form for form in REPORTS if form.name not in ("json", "metrics")], ids=lambda f: f.name
)
def test_every_form_says_what_blocks_and_what_to_do(form: Any) -> None:
    """The kind, the side, the error, and the option that accepts it."""
    text = form.render(blocked()).decode()
    for part in ("widgets", "handwritten", "is not a reference number", "--allow-incomplete"):
        assert part in text


def test_metrics_name_the_kind() -> None:
    """As upstream's counters would."""
    text = next(form for form in REPORTS if form.name == "metrics").render(blocked()).decode()
    assert 'harness_incomplete{validation_identifier="widget_create",why="unaccepted"} 1.0' in text
    assert 'harness_kinds{state="incomplete"} 1.0' in text


def test_the_screen_says_it_first() -> None:
    """Before how hard was tried, with the fix."""
    rows = render(summary(blocked())).splitlines()
    assert rows[0].startswith("Incomplete: no difference found, but no object of 1 kind and operation was accepted")
    assert "example.io/v1 widgets create: no object that both sides accept was found in 50 cases" in rows[1]
    assert any(row.strip().startswith("fix: ") for row in rows[2:5])


def test_findings_win_and_the_screen_says_that_it_is_incomplete_as_well() -> None:
    """The exit code is that of findings."""
    values = {"kinds": (made.kind_report(**BLOCKED),)}
    report = build_report(made.result(made.finding(), **values))
    assert ("different", 1) == (report.verdict, report.exit_code)
    assert "also incomplete: no object of 1 kind and operation was accepted" in render(summary(report))


@pytest.mark.parametrize("pattern", ["widgets", "Widget", "example.io/*", "example.io/v1 widgets"])
def test_a_kind_is_accepted_by_name(pattern: str) -> None:
    """By the patterns that --kind takes, on the command line or in the suite, and every report says so."""
    for report in (blocked(Policy(allow_incomplete=(pattern,))), blocked(allow_incomplete=(pattern,))):
        assert ("equivalent", 0) == (report.verdict, report.exit_code)
        assert ((), pattern) == (open_gaps(report), report.kinds[0].allowed)
        assert f"--allow-incomplete {pattern!r} accepts that" in render(summary(report))
        assert "" == report.kinds[1].allowed


def test_what_is_allowed_for_nothing_is_told() -> None:
    """A pattern of kinds that were all reached can go; a run of a part of the kinds cannot say."""
    idle = blocked(Policy(allow_incomplete=("widgets", "gadgets")))
    assert ["gadgets"] == idle_allowances(idle)
    assert "nothing that --allow-incomplete 'gadgets' names is incomplete" in render(summary(idle))
    assert 0 == idle.exit_code
    assert [] == idle_allowances(msgspec.structs.replace(idle, narrowed=("--kind widgets",)))
    assert [] == idle_allowances(blocked(Policy(allow_incomplete=("gadgets",)), shard="1/2"))


def test_what_the_clock_cut_short_is_no_gap() -> None:
    """Another machine would have come to it; it is told as not looked at."""
    late = {**BLOCKED, "seed_search_complete": False}
    report = build_report(made.result(kinds=(made.kind_report(operation="create", **late), made.kind_report())))
    assert ("equivalent", ()) == (report.verdict, gaps(report))
    rows = render(summary(report))
    assert "time ran out before an object was accepted: example.io/v1 widgets create" in rows
    assert rows.startswith(
        "Equivalent as far as we looked; no object of 1 of 2 kinds and operations was accepted in time: "
    )


def test_a_run_that_accepted_nothing_at_all_has_no_excuse() -> None:
    """However little time it had: it proves nothing."""
    report = build_report(made.result(kinds=(made.kind_report(**{**BLOCKED, "seed_search_complete": False}),)))
    assert ("incomplete", 2) == (report.verdict, report.exit_code)
    assert "--max-time" in gaps(report)[0].advice


def test_a_kind_without_rules_is_no_gap_but_between_two_targets() -> None:
    """There is nothing to compare; what users of two targets read is compared with and without rules."""
    bare = msgspec.structs.replace(made.WIDGET, rules=False)
    kinds = (made.kind_report(bare, "create", **BLOCKED), made.kind_report())
    assert () == gaps(build_report(made.result(kinds=kinds)))
    (gap,) = gaps(build_report(made.result(kinds=kinds, between=("1.36.3", "1.37.1"))))
    assert gap.blocking()[0].startswith("1.37.1: spec.ref")
    assert gap.blocking()[1].startswith("1.36.3: spec.size")


@pytest.mark.parametrize(("failures", "verdict"), [(200, "equivalent"), (201, "incomplete")])
def test_a_large_share_of_failed_answers_is_a_gap(failures: int, verdict: str) -> None:
    """Nothing was compared there: the limit is a half."""
    report = build_report(made.result(kinds=(made.kind_report(cases=400, failures=failures),)))
    assert 0.5 == LARGE_SHARE
    assert verdict == report.verdict
    assert (verdict == "incomplete") == ("201 of 400 answers failed (50 %)" in render(summary(report)))


def test_a_share_of_few_answers_says_nothing() -> None:
    """The first objects are guesses."""
    few = made.kind_report(cases=FEWEST_CASES - 1, failures=FEWEST_CASES - 1, accepted=1)
    assert () == gaps(build_report(made.result(kinds=(few,))))


def test_operations_that_share_what_blocks_them_are_told_together() -> None:
    """Values aside, which differ from one object to the next."""
    other = {**BLOCKED, "remaining": (BLOCKED["remaining"][0].replace('"a"', '"b"'), BLOCKED["remaining"][1])}
    kinds = (made.kind_report(operation="create", **BLOCKED), made.kind_report(**other))
    (gap,) = gaps(build_report(made.result(kinds=kinds)))
    assert ("example.io/v1 widgets create, update", 2) == (gap.title, len(gap.kinds))


def test_shards_add_up_to_the_same_verdict() -> None:
    """What is allowed is kept, and what one shard reached is reached."""
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
    """It does not say who reports the errors that remained, nor whether the search for an object came to its end."""
    data = msgspec.json.decode(
        encode(build_report(made.result(kinds=(made.kind_report(**BLOCKED), made.kind_report()))))
    )
    data["verdict"] = "equivalent"
    for kind in data["kinds"]:
        for key in ("sides", "seed_search_complete", "allowed"):
            kind.pop(key, None)
    del data["policy"]
    report = decode(msgspec.json.encode(data), "r.json")
    assert ("equivalent", 0, ()) == (report.verdict, report.exit_code, gaps(report))
    assert all(form.render(report) for form in REPORTS if form.name != "annotations")
