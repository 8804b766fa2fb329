"""`harness render`: a saved report in any form, later and elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.reporting.document import build_report, encode
from harness.reporting.html import render_html
from harness.reporting.junit import render_junit
from tests.cli.fakes import call
from tests.reporting import made

REPORT = build_report(made.hostile())


def test_a_report_is_rendered_from_its_file(tmp_path: Path, capfd: Any) -> None:
    """The page and the XML are the same as right after the run."""
    path, page, junit = (tmp_path / name for name in ("r.json", "r.html", "r.xml"))
    path.write_bytes(encode(REPORT))
    assert call(capfd, "render", path, "--html", page, "--junit", junit).code == 0
    assert render_html(REPORT) == page.read_text(encoding="utf-8")
    assert render_junit(REPORT) == junit.read_text(encoding="utf-8")


def test_a_report_is_printed(tmp_path: Path, capfd: Any) -> None:
    """On one screen, or every finding at length."""
    path = tmp_path / "r.json"
    path.write_bytes(encode(REPORT))
    assert "Not equivalent" in call(capfd, "render", path).out
    assert call(capfd, "render", path, "--all").out.count("\n   object ") == 3


def test_a_damaged_report_is_exit_code_2(tmp_path: Path, capfd: Any) -> None:
    """And so is a page that cannot be written where it was wanted."""
    path = tmp_path / "r.json"
    path.write_bytes(encode(REPORT)[:100])
    assert call(capfd, "render", path).code == 2
    path.write_bytes(encode(REPORT))
    told = call(capfd, "render", path, "--html", path / "r.html")
    assert told.code == 2
    assert "it is in " in told.err
