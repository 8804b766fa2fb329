from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from bench.places import main
from harness.report.formats.json import encode
from harness.report.model.assembly import build_report
from tests.report.made import WIDGET, kind_report, result


def test_paths_and_what_rejected_them_are_counted(tmp_path: Path) -> None:
    """Types are listed with what they lack, errors are counted without their values."""
    unaccepted = (
        ("spec.a", 'spec.a: Invalid value: "x": no'),
        ("spec.b", 'spec.b: Invalid value: "y": no'),
        ("spec.c", ""),
    )
    made = result(kinds=(kind_report(WIDGET, "create", paths=1000, accepted_paths=997, unaccepted_paths=unaccepted),))
    file = tmp_path / "report.json"
    file.write_bytes(encode(build_report([made], [])))
    told = CliRunner().invoke(main, [str(file)])
    assert 0 == told.exit_code, told.output
    assert "997 of 1,000 paths" in told.output
    assert "2  Invalid value: …: no" in told.output
    assert "1  never tried" in told.output
