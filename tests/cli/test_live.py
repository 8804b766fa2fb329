"""What is shown while a run goes on, where there is no terminal: a line now and then, and nothing twice."""

from __future__ import annotations

from typing import Any

import pytest

from harness import events
from harness.cli.live import Live
from tests.reporting import made


def test_a_line_every_few_seconds(capfd: Any) -> None:
    """However often the engine speaks."""
    now = [0.0]
    live = Live("widgets", clock=lambda: now[0])
    with live:
        live(events.Started(made.result().target, 7, events.Budget(60), 4))
        for tick in range(48):
            now[0] = tick / 4
            live(events.Progress(tick * 1000, now[0], 3, now[0] / 60, "v1 \x1bwidgets"))
    said = capfd.readouterr().err.splitlines()
    assert said[0] == "widgets: 4 kinds and operations, seed 7"
    assert [line.split(",  ")[0][:21] for line in said[1:]] == ["widgets: 20,000 cases", "widgets: 40,000 cases"]
    assert "\\x1b" in said[1]


def test_notes_are_shown_and_findings_remembered(capfd: Any) -> None:
    """A worker that was restarted is told at once; findings are kept for a run that breaks off."""
    live = Live("widgets")
    live(events.Noted("the worker was restarted"))
    live(events.Found(made.finding()))
    assert capfd.readouterr().err == "widgets: the worker was restarted\n"
    assert [made.finding()] == [one.opened() for one in live.findings]


def test_on_a_terminal_there_is_a_bar(monkeypatch: pytest.MonkeyPatch, capfd: Any) -> None:
    """And it takes the same events."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with Live("widgets [red]") as live:
        live(events.Started(made.result().target, 7, events.Budget(60), 4))
        live(events.Progress(10, 1.0, 0, 0.5, "v1 widgets"))
        live(events.Noted("[bold]a note"))
    assert "[bold]a note" in capfd.readouterr().err
