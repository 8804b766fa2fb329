"""`harness merge`: shards in, one judged report out."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from harness.compare.finding import CAUSE_CODES
from harness.errormatch.exceptionfile import load_exceptions
from harness.errormatch.witness import Shown
from harness.events import Replayed
from harness.report.formats.json import encode
from harness.report.model.assembly import build_report
from harness.report.model.reading import read_report
from tests.cli.fakes import EXCEPTION, call
from tests.report import made


def written(tmp_path: Path, number: int, *findings: Any, **more: Any) -> Path:
    """Write the report of one of two shards."""
    path = tmp_path / f"{number}.json"
    path.write_bytes(encode(build_report(made.result(*findings, shard=f"{number}/2", **more))))
    return path


def test_shards_are_judged_together(tmp_path: Path, capfd: Any) -> None:
    """The merged report names itself in its replay commands and decides the exit code."""
    shards = [written(tmp_path, 1, made.finding()), written(tmp_path, 2)]
    told = call(capfd, "merge", *shards, "--json", tmp_path / "all.json")
    assert 1 == told.code
    (finding,) = read_report(tmp_path / "all.json").findings
    assert f"harness replay {tmp_path / 'all.json'} {finding.fingerprint}" == finding.replay or "" == finding.replay


def test_exceptions_count_for_all_shards(tmp_path: Path, capfd: Any) -> None:
    """An exception that one shard needs is not unused because another does not; alone it is."""
    exceptions = tmp_path / "exceptions.yaml"
    exceptions.write_text(EXCEPTION, encoding="utf-8")
    needed = [written(tmp_path, 1, made.finding()), written(tmp_path, 2)]
    told = call(capfd, "exceptions", "witness", "--report", needed[0], "--exceptions", exceptions)
    assert 0 == told.code, told.out
    assert 0 == call(capfd, "merge", *needed, "--exceptions", exceptions).code
    [name] = load_exceptions(exceptions, date.today(), CAUSE_CODES).witnesses
    shown = Shown("Widget", "spec.size", "unmatched", "FieldValueInvalid", "", "handwritten")
    for replayed, code in (((), 1), ((shown,), 0)):
        idle = [written(tmp_path, 1, replayed=(Replayed(name, 0, replayed),)), written(tmp_path, 2)]
        told = call(capfd, "merge", *idle, "--exceptions", exceptions)
        assert (code, bool(code)) == (told.code, "unused exception" in told.out)


def test_what_is_no_report_is_exit_code_2(tmp_path: Path, capfd: Any) -> None:
    """With the reason."""
    (tmp_path / "x.json").write_text("{}", encoding="utf-8")
    told = call(capfd, "merge", tmp_path / "x.json")
    assert (2, True) == (told.code, "not a report" in told.err)
