"""The cover profile for Go's own tools."""

from __future__ import annotations

from harness.report.formats.coverprofile import render_coverprofile
from harness.report.model.assembly import build_report
from tests.report import made
from tests.report.covered import FIRST, PACKAGE, covered


def test_a_line_for_each_block() -> None:
    """As the format of profiles has it; a run that counted nothing has an empty one."""
    lines = render_coverprofile(covered(FIRST)).splitlines()
    assert ["mode: set", f"{PACKAGE}/validation.go:3.2,5.9 3 1", f"{PACKAGE}/validation.go:5.9,7.3 1 0"] == lines
    assert "mode: set\n" == render_coverprofile(build_report(made.result()))
