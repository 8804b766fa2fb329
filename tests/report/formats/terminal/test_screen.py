"""The report on a terminal: one screen, important facts first, and untrusted text escaped."""

from __future__ import annotations

import io
from pathlib import Path

from harness.compare.finding import CAUSE_CODES, SEVERITIES
from harness.report.formats.terminal.lines import show
from harness.report.formats.terminal.screen import MAX_LINES, summary
from harness.report.model.assembly import build_report
from harness.report.model.document import ExceptionEntry, Exceptions
from harness.report.model.grouping import group
from harness.report.text.finding import MAX_DETAIL, MAX_DETAILED_GROUPS, describe_fully, describe_groups, to_plain_text
from tests.report import made

GOLDEN = Path(__file__).parents[3] / "golden"


def test_the_screen_after_a_run_with_findings() -> None:
    """It has verdict, sums, causes, the worst findings with their commands, effort, and the written files."""
    report = build_report(made.result(made.finding()), replay=lambda f: f"harness replay r.json {f.fingerprint}")
    assert (GOLDEN / "summary.txt").read_text(encoding="utf-8") == to_plain_text(summary(report, ["r.json"]))


def test_one_finding_in_full() -> None:
    """It has both error lists, and the errors served under every setting."""
    report = build_report(made.result(made.finding()))
    assert (GOLDEN / "finding.txt").read_text(encoding="utf-8") == to_plain_text(describe_fully(report.findings[0]))


def test_a_clean_run_has_its_effort() -> None:
    """The verdict `equivalent` is never shown without the effort that it is based on."""
    text = to_plain_text(summary(build_report(made.result())))
    assert text.startswith("Equivalent as far as we looked: widgets_v1, 0 findings\n")
    assert "100 cases in 2.0 s (50 a second), seed 1" in text
    assert "2 of 2 kinds and operations searched, 2 with an accepted object" in text


def test_many_findings_fit_on_one_screen() -> None:
    """Every cause is listed with its worst groups and its smallest object; the groups left out are counted."""
    findings = [
        made.finding(
            f"{number:012}",
            path=f"spec.field{number}.x",
            cause=CAUSE_CODES[number % 12],
            severity=SEVERITIES[number % 4],
        )
        for number in range(300)
    ]
    report = build_report(made.result(*findings), replay=lambda finding: "harness replay r.json")
    rows = [row.plain for row in summary(report, ["r.json"])]
    assert MAX_LINES >= len(rows) > MAX_LINES - 3
    assert max(map(len, rows)) <= 160
    assert rows[0].endswith("300 findings, 12 causes in 300 groups")
    assert set(CAUSE_CODES[:12]) == {row.split()[0] for row in rows if " groups on 1 kind: " in row}
    assert any(row.endswith("24 groups not shown") for row in rows)
    assert any('update {"spec":{"size":3,"name":"a"}} of {"spec":{"size":2}}' in row for row in rows)


def test_causes_share_the_lines() -> None:
    """A cause with many groups leaves lines for a cause with one."""
    many = [made.finding(f"{number:012}", path=f"spec.f{number}.x", cause="ratcheting") for number in range(100)]
    rows = [row.plain for row in summary(build_report(made.result(*many, made.finding("f" * 12, severity="shadow"))))]
    assert any(row.startswith("no-rule ") for row in rows)
    assert any("spec.size" in row and "shadow" in row for row in rows)


def test_hostile_texts_are_escaped() -> None:
    """No control character of an untrusted text reaches the terminal, with or without colours."""
    report = build_report(made.hostile())
    stream = io.StringIO()
    show([*summary(report), *(row for f in report.findings for row in describe_fully(f))], stream)
    assert not [char for char in stream.getvalue() if char != "\n" and (ord(char) < 32 or char == "\u202e")]
    assert "\\x1b[31mred" in stream.getvalue()


def test_output_to_a_pipe_is_plain_and_unbroken() -> None:
    """Without a terminal there are no colours, and lines are not wrapped, so that grep finds them."""
    stream = io.StringIO()
    show(describe_fully(build_report(made.result(made.finding(detail="word " * 60))).findings[0]), stream)
    assert "\x1b" not in stream.getvalue()
    assert any(line.count("word") == 60 for line in stream.getvalue().splitlines())


def test_failing_exceptions_are_listed() -> None:
    """An unused exception is on the screen with its owner."""
    entry = ExceptionEntry("1a2b", "widgets_v1", "known", "sig-example", "2027-01-31")
    text = to_plain_text(summary(build_report(made.result(), exceptions=Exceptions("f.yaml", unused=(entry,)))))
    assert "unused exception 1a2b (sig-example, until 2027-01-31): known" in text


def test_a_message_of_several_lines_keeps_them() -> None:
    """A line break is not shown as an escape, and the marker of a panic is below the code that it points to."""
    finding = made.finding(detail="first\n  second \x1b[0m", fix="one\ntwo")
    rows = [row.plain for row in describe_fully(build_report(made.result(finding)).findings[0])]
    assert not [row for row in rows if "\\x0a" in row or "\n" in row]
    assert ["   what         first", "                  second \\x1b[0m"] == rows[1:3]
    assert "                two" in rows


def test_the_screen_describes_the_first_groups_as_a_failed_test_does() -> None:
    """The worst three groups have object, both lists, fix and command; the others a line with their ID."""
    findings = [
        made.finding(f"{n:012}", path=f"spec.f{n}.x", severity=SEVERITIES[n // 2], cause=CAUSE_CODES[n])
        for n in range(6)
    ]
    report = build_report(made.result(*findings), replay=lambda f: f"harness replay {f.fingerprint}")
    groups, text = group(report.findings), to_plain_text(summary(report))
    assert to_plain_text(describe_groups(groups[:MAX_DETAILED_GROUPS], MAX_DETAIL)) in text
    assert [3, 3, 3, 3] == [text.count(f"\n   {word:<13}") for word in ("object", "declarative", "fix", "replay")]
    assert all(f"[{one.id}]" in text for one in groups)


def test_the_screen_begins_with_nothing_compared() -> None:
    """A run without comparisons must not look like a run without differences."""
    assert to_plain_text(summary(build_report(made.result(compared=0)))).startswith("Nothing was compared: ")
