"""`harness record` and `harness run --handwritten`: the handwritten answers outlive the code."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from harness.report.model.document import Report
from harness.report.model.reading import read_report
from harness.targets.recorded import NOT_RECORDED
from harness.targets.recording import read_recording
from tests.cli.fakes import call

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands run beside a copy of the example."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples" / "migration", tmp_path / "migration")


def record(capfd: Any, *words: str) -> Any:
    return call(capfd, "record", "migration", "--output", "m.rec", "--max-cases", "3000", "--jobs", "1", *words)


def replayed(capfd: Any, *words: str) -> tuple[Any, Report]:
    told = call(capfd, "run", "migration", "--handwritten", "m.rec", "--jobs", "1", "--json", "r.json", *words)
    return told, read_report("r.json")


def delete_the_handwritten_side() -> None:
    Path("migration/handwritten.py").unlink()
    file = Path("migration/suite.py")
    text = (
        file.read_text()
        .replace(", handwritten=validate_backup", "")
        .replace("from .handwritten import validate_backup\n", "")
    )
    file.write_text(text)


def signatures(report: Report) -> set[tuple[str, ...]]:
    return {(f.mismatch, f.path, f.type, f.side, f.operation) for f in report.findings}


def test_differences_are_found_after_the_handwritten_code_was_deleted(capfd: Any) -> None:
    """Those of the recorded run, and those of a tag that is changed later."""
    assert 1 == call(capfd, "run", "migration", "--max-cases", "3000", "--jobs", "1", "--json", "with.json").code
    assert 0 == record(capfd).code
    delete_the_handwritten_side()
    told, report = replayed(capfd)
    assert 1 == told.code
    assert {one[:4] for one in signatures(read_report("with.json"))} == {one[:4] for one in signatures(report)}
    assert "the handwritten side is a recording" in told.out
    types = Path("migration/types.go")
    types.write_text(types.read_text().replace("+k8s:maxLength=32", "+k8s:maxLength=31"))
    _, changed = replayed(capfd)
    new = signatures(changed) - signatures(report)
    assert ("extra", "spec.destination", "FieldValueTooLong") in {one[:3] for one in new}
    assert {"spec.destination"} == {one[1] for one in new}
    finding = next(f for f in changed.findings if f.path == "spec.destination" and f.mismatch == "extra")
    assert 32 == len(finding.case.object["spec"]["destination"])
    assert 1 == call(capfd, "replay", "r.json", finding.fingerprint).code


def test_every_case_is_asked_once_whatever_the_jobs(capfd: Any) -> None:
    """A recording has a fixed set of cases, and two processes find what one finds."""
    assert 0 == record(capfd).code
    (_, one), (_, two) = replayed(capfd), replayed(capfd, "--jobs", "2")
    assert read_recording(Path("m.rec")).head.cases <= one.cases
    assert signatures(one) == signatures(two)


def test_examples_are_asked_of_a_recording_too(capfd: Any) -> None:
    """Examples that were recorded are answered; later ones are reported as unanswered."""
    assert 0 == record(capfd).code
    text = Path("migration/examples/valid-small.yaml").read_text(encoding="utf-8")
    Path("migration/examples/valid-later.yaml").write_text(text.replace("name: ", "name: later-"), encoding="utf-8")
    _, report = replayed(capfd)
    told = {
        (Path(one.source).name.partition(":")[0], one.operation): (one.is_accepted, one.failure)
        for one in report.examples
    }
    assert (True, "") == told["valid-small.yaml", "create"]
    later = told["valid-later.yaml", "create"]
    assert (False, True) == (later[0], NOT_RECORDED in later[1])


def test_a_narrow_recording_asks_only_recorded_requests(capfd: Any) -> None:
    """The other kinds and operations are not part of the run."""
    told = record(capfd, "--operation", "create")
    assert (0, True) == (told.code, "1 kind and operation" in told.out)
    _, report = replayed(capfd)
    assert ["create"] == [kind.operation for kind in report.kinds]


def test_a_suite_without_handwritten_validators_needs_a_recording(capfd: Any) -> None:
    """Commands that need the validators fail with a fix."""
    assert 0 == record(capfd).code
    delete_the_handwritten_side()
    told = call(capfd, "run", "migration")
    assert (2, True) == (told.code, "migration has no handwritten validator of Backup" in told.err)
    assert 2 == record(capfd).code


REFUSED = [
    (("run", "migration", "--handwritten", "none.rec"), "recording-unreadable"),
    (("run", "migration", "--handwritten", "m.rec", "--max-cases", "5"), "omit --max-cases"),
    (("run", "migration", "migration", "--handwritten", "m.rec"), "a recording has the answers of one subject"),
    (("run", "migration", "--handwritten", "m.rec", "--against", "migration"), "compared as they are"),
    (("record", "migration", "--output", "x", "--handwritten", "m.rec"), "No such option '--handwritten'"),
    (
        ("record", "migration", "--output", "x", "--declarative", "python"),
        "a recording cannot be made with --declarative",
    ),
    (("record", "migration"), "Missing option '--output'"),
    (("record", "migration", "--output", "migration/doc.go/x", "--max-cases", "50"), "cannot be written"),
    (("record", "migration", "--output", "x", "--kind", "nothing"), "serves nothing that matches"),
]


@pytest.mark.parametrize(("words", "expected"), REFUSED)
def test_options_that_cannot_be_used_are_errors(capfd: Any, words: tuple[str, ...], expected: str) -> None:
    """The error has the reason, and no file is written."""
    assert 0 == call(capfd, "record", "migration", "--output", "m.rec", "--max-cases", "50", "--jobs", "1").code
    told = call(capfd, *words)
    assert (2, True) == (told.code, expected in told.err), told.err
    assert not Path("x").exists()


def test_max_cases_of_the_settings_is_ignored_for_a_recording(capfd: Any) -> None:
    """All recorded cases are asked; only --max-cases on the command line is an error."""
    assert 0 == call(capfd, "record", "migration", "--output", "m.rec", "--max-cases", "50", "--jobs", "1").code
    Path("harness.toml").write_text("[run]\nmax-cases = 5\n")
    told = call(capfd, "run", "migration", "--handwritten", "m.rec", "--jobs", "1", "--json", "r.json")
    assert told.code in (0, 1), told.err
    assert read_report("r.json").cases >= 50
