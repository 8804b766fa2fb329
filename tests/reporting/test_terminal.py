"""The report at a terminal: one screen, the important first, and nothing in it that acts."""

from __future__ import annotations

import io
from pathlib import Path

from harness.compare.finding import CAUSES, SEVERITIES
from harness.reporting.assembly import build_report
from harness.reporting.document import ExceptionEntry, Exceptions
from harness.reporting.grouping import group
from harness.reporting.terminal import AT_LENGTH, SCREEN, SHORT, at_length, full, render, show, summary
from tests.reporting import made

GOLDEN = Path(__file__).parent.parent / "golden"


def test_the_screen_after_a_run_with_findings() -> None:
    """Verdict, sums, causes, the worst example with its command, how hard was tried, the files."""
    report = build_report(made.result(made.finding()), replay=lambda f: f"harness replay r.json {f.fingerprint}")
    assert (GOLDEN / "summary.txt").read_text(encoding="utf-8") == render(summary(report, ["r.json"]))


def test_one_finding_at_length() -> None:
    """Both lists, and what is served under every setting."""
    report = build_report(made.result(made.finding()))
    assert (GOLDEN / "finding.txt").read_text(encoding="utf-8") == render(full(report.findings[0]))


def test_a_clean_run_says_how_hard_was_tried() -> None:
    """Agreement is never claimed without what it rests on."""
    text = render(summary(build_report(made.result())))
    assert text.startswith("Equivalent as far as we looked: widgets_v1, 0 findings\n")
    assert "100 cases in 2.0 s (50 a second), seed 1" in text
    assert "2 of 2 kinds and operations searched, 2 with an accepted object" in text


def test_many_findings_fit_on_one_screen() -> None:
    """Every cause is named with its worst places and its smallest object; what is left out is counted."""
    findings = [
        made.finding(
            f"{number:012}", path=f"spec.field{number}.x", cause=CAUSES[number % 12], severity=SEVERITIES[number % 4]
        )
        for number in range(300)
    ]
    report = build_report(made.result(*findings), replay=lambda finding: "harness replay r.json")
    rows = [row.plain for row in summary(report, ["r.json"])]
    assert SCREEN >= len(rows) > SCREEN - 3
    assert max(map(len, rows)) <= 160
    assert rows[0].endswith("300 findings, 12 causes in 300 groups")
    assert set(CAUSES[:12]) == {row.split()[0] for row in rows if " groups on 1 kind: " in row}
    assert any(row.endswith("24 groups not shown") for row in rows)
    assert any('update {"spec":{"size":3,"name":"a"}} of {"spec":{"size":2}}' in row for row in rows)


def test_causes_share_the_lines() -> None:
    """A cause that shows everywhere leaves room for one that shows once."""
    many = [made.finding(f"{number:012}", path=f"spec.f{number}.x", cause="ratcheting") for number in range(100)]
    rows = [row.plain for row in summary(build_report(made.result(*many, made.finding("f" * 12, severity="shadow"))))]
    assert any(row.startswith("no-rule ") for row in rows)
    assert any("spec.size" in row and "shadow" in row for row in rows)


def test_hostile_texts_cannot_act() -> None:
    """No control character of others reaches the terminal, coloured or not."""
    report = build_report(made.hostile())
    stream = io.StringIO()
    show([*summary(report), *(row for f in report.findings for row in full(f))], stream)
    assert not [char for char in stream.getvalue() if char != "\n" and (ord(char) < 32 or char == "\u202e")]
    assert "\\x1b[31mred" in stream.getvalue()


def test_output_to_a_pipe_is_plain_and_unbroken() -> None:
    """Without a terminal there are no colours, and no line is folded, so that grep finds it."""
    stream = io.StringIO()
    show(full(build_report(made.result(made.finding(detail="word " * 60))).findings[0]), stream)
    assert "\x1b" not in stream.getvalue()
    assert any(line.count("word") == 60 for line in stream.getvalue().splitlines())


def test_exceptions_that_must_go_are_named() -> None:
    """An unused exception stands on the screen with its owner."""
    entry = ExceptionEntry("1a2b", "widgets_v1", "known", "sig-example", "2027-01-31")
    text = render(summary(build_report(made.result(), exceptions=Exceptions("f.yaml", unused=(entry,)))))
    assert "unused exception 1a2b (sig-example, until 2027-01-31): known" in text


def test_a_message_of_several_lines_keeps_them() -> None:
    """A line break is shown as one and not as an escape; a pointer of a panic stands below what it points to."""
    finding = made.finding(detail="first\n  second \x1b[0m", fix="one\ntwo")
    rows = [row.plain for row in full(build_report(made.result(finding)).findings[0])]
    assert not [row for row in rows if "\\x0a" in row or "\n" in row]
    assert ["   what         first", "                  second \\x1b[0m"] == rows[1:3]
    assert "                two" in rows


def test_the_screen_tells_the_first_findings_as_a_failed_test_does() -> None:
    """Object, both sides, fix and command of the worst three mistakes; the others have a line and an id."""
    findings = [
        made.finding(f"{n:012}", path=f"spec.f{n}.x", severity=SEVERITIES[n // 2], cause=CAUSES[n]) for n in range(6)
    ]
    report = build_report(made.result(*findings), replay=lambda f: f"harness replay {f.fingerprint}")
    groups, text = group(report.findings), render(summary(report))
    assert render(at_length(groups[:AT_LENGTH], SHORT)) in text
    assert [3, 3, 3, 3] == [text.count(f"\n   {word:<13}") for word in ("object", "declarative", "fix", "replay")]
    assert all(f"[{one.id}]" in text for one in groups)


def test_what_was_not_compared_is_said_first() -> None:
    """A run in which nothing was compared does not look like a clean one."""
    assert render(summary(build_report(made.result(compared=0)))).startswith("Nothing was compared: ")
