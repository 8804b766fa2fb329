"""What is shown while a run goes on, where there is no terminal: a line now and then, and nothing twice."""

from __future__ import annotations

from typing import Any

import click
import pytest

from harness import events
from harness.cli.progress import Live, render_bar
from harness.report.formats.terminal.screen import Verbosity
from tests.report import made


def test_a_line_every_ten_seconds(capfd: Any) -> None:
    """However often the engine speaks, with the share that is done and the time that is left."""
    now = [0.0]
    live = Live("widgets", clock=lambda: now[0])
    live(events.Started(made.result().target, 7, events.Budget(60), 4))
    for tick in range(96):
        now[0] = tick / 4
        live(events.Progress(tick * 1000, now[0], 3, now[0] / 60, "v1 \x1bwidgets"))
    said = capfd.readouterr().err.splitlines()
    assert [
        "widgets: 4 kinds and operations, seed 7",
        "widgets: 17%, 0:50 left, 40,000 cases, 3 findings, v1 \\x1bwidgets, 10 s",
        "widgets: 33%, 0:40 left, 80,000 cases, 3 findings, v1 \\x1bwidgets, 20 s",
    ] == said


def test_what_is_opened_is_told_within_ten_seconds(capfd: Any) -> None:
    """Nobody has to wait for the engine to know that something goes on."""
    now = [0.0]
    live = Live("widgets", clock=lambda: now[0])
    for second in range(25):
        now[0] = float(second)
        live.tick()
    assert ["widgets: opening, 10 s", "widgets: opening, 20 s"] == capfd.readouterr().err.splitlines()


def test_what_a_build_repeats_waits_for_its_turn(capfd: Any) -> None:
    """A note that differs from the one before in its numbers alone is told every ten seconds, the last one always."""
    now = [0.0]
    with Live("k", clock=lambda: now[0]) as live:
        for second in range(24):
            now[0] = float(second)
            live(events.Noted(f"compiled {second * 10:,} packages"))
            live.tick()
        live(events.Noted("built the worker"))
    told = [f"k: compiled {number} packages" for number in (0, 100, 200, 230)]
    assert [*told, "k: built the worker"] == capfd.readouterr().err.splitlines()


def test_a_note_of_several_lines_keeps_them(capfd: Any) -> None:
    """A line break is one; other control characters are shown as escapes."""
    Live("widgets")(events.Noted("first\nsecond \x1b[31m"))
    assert "widgets: first\nsecond \\x1b[31m\n" == capfd.readouterr().err


@pytest.mark.parametrize("width", [20, 40, 80, 100, 160])
def test_the_bar_fits_into_the_terminal(width: int) -> None:
    """It never shrinks and never wraps: what does not fit is left out, the least important first."""
    parts = ["45%", "1:02 left", "12,345 cases", "3 findings", "kubernetes 1.37.1", "admissionregistration.k8s.io/v1 x"]
    text = render_bar(0.45, parts, width).plain
    assert len(text) < width
    assert text.startswith("━━━━━━━─────────")
    assert ("1:02 left" in text) == (width >= 40)
    assert (parts[-1] in text) == (width >= 160)


def test_a_quiet_command_shows_nothing_of_its_way(capfd: Any) -> None:
    """Neither notes nor progress; findings are remembered all the same."""
    with click.Context(click.Command("run")) as context:
        context.meta["harness.verbosity"] = Verbosity.QUIET
        with Live("widgets", clock=lambda: 100.0) as live:
            live(events.Noted("the worker was restarted"))
            live(events.Found(made.finding()))
    assert "" == capfd.readouterr().err
    assert 1 == len(live.findings)


def test_notes_are_shown_and_findings_remembered(capfd: Any) -> None:
    """A worker that was restarted is told at once; findings are kept for a run that breaks off."""
    live = Live("widgets")
    live(events.Noted("the worker was restarted"))
    live(events.Found(made.finding()))
    assert capfd.readouterr().err == "widgets: the worker was restarted\n"
    assert [made.finding()] == [one.unpack() for one in live.findings]


def test_on_a_terminal_there_is_a_bar(monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    """And it takes the same events."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with Live("widgets [red]") as live:
        live(events.Started(made.result().target, 7, events.Budget(60), 4))
        live(events.Progress(10, 1.0, 0, 0.5, "v1 widgets"))
        live(events.Noted("[bold]a note"))
    assert "[bold]a note" in capfd.readouterr().err
