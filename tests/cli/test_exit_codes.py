"""One table of endings: what a run returns, and that every file it wrote says the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from harness.diagnostics import TargetError
from harness.report import FORMATS
from harness.report.model.reading import read_report
from tests.cli.fakes import EXCEPTION, FakeEngine, call
from tests.report import made

FINDING = made.finding()
EXPIRED = EXCEPTION.replace("2999-01-31", "2020-01-31")
BLOCKED = made.kind_report(
    has_seed=False, accepted=0, seed_search_complete=True, remaining=("spec.ref: no",), sides=("handwritten",)
)
LOST: dict[str, Any] = {"stopped": "target-lost", "stopped_detail": "it is gone"}

ENDINGS: dict[str, tuple[int, FakeEngine, str]] = {
    "nothing found": (0, FakeEngine(), ""),
    "findings": (1, FakeEngine([FINDING]), ""),
    "only tolerated ones": (0, FakeEngine([FINDING]), EXCEPTION),
    "tolerated ones and others": (1, FakeEngine([FINDING, made.finding("b" * 12, path="spec.name")]), EXCEPTION),
    "an exception nobody needs": (1, FakeEngine(), EXCEPTION),
    "an exception that expired": (1, FakeEngine([FINDING]), EXPIRED),
    "the judge judged wrong": (1, FakeEngine((), {"composition_differences": 1}), ""),
    "nothing compared": (2, FakeEngine((), {"compared": 0}), ""),
    "the target was lost": (2, FakeEngine((), LOST), ""),
    "the target was lost after findings": (1, FakeEngine([FINDING], LOST), ""),
    "a search broke off": (2, FakeEngine((), {"kinds": (made.kind_report(error="broke"),)}), ""),
    "no object was accepted": (2, FakeEngine((), {"kinds": (BLOCKED,)}), ""),
    "no object was accepted, and findings": (1, FakeEngine([FINDING], {"kinds": (BLOCKED,)}), ""),
    "most answers failed": (2, FakeEngine((), {"kinds": (made.kind_report(cases=400, failures=240),)}), ""),
    "interrupted": (130, FakeEngine((), {"stopped": "interrupted"}), ""),
    "interrupted after findings": (130, FakeEngine([FINDING], {"stopped": "interrupted"}), ""),
    "torn out of its work": (130, FakeEngine([FINDING], error=KeyboardInterrupt()), ""),
    "failed in the middle": (2, FakeEngine((), error=TargetError("no more")), ""),
}
"""What is returned, how the run ends, and the exceptions."""


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has a folder and a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.parametrize("ending", ENDINGS)
def test_every_ending_has_its_code_and_every_file_says_so(
    ending: str, capfd: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All files are written whatever happened: 0 in none of them means anything else."""
    code, engine, exceptions = ENDINGS[ending]
    engine.install(monkeypatch)
    if exceptions:
        Path("equivalence_exceptions.yaml").write_text(exceptions)
        # What an entry tolerates has a witness, which is made of a report.
        call(capfd, "run", "--command", "x", "--json", "first.json")
        call(capfd, "exceptions", "witness", "--report", "first.json")
    told = call(capfd, "run", "--command", "x", "--report", "out", "--events", "e.ndjson")
    assert code == told.code, told.err
    assert {form.file for form in FORMATS} == {file.name for file in Path("out").iterdir()}
    assert code == read_report("out/report.json").exit_code
    assert f"harness_exit_code {code}.0" in Path("out/metrics.prom").read_text()
    (invocation,) = json.loads(Path("out/report.sarif").read_text())["runs"][0]["invocations"]
    assert (code, code < 2) == (invocation["exitCode"], invocation["executionSuccessful"])
    assert code == json.loads(Path("e.ndjson").read_text().splitlines()[-1])["exit_code"]
    bad = [*ElementTree.parse("out/junit.xml").iter("failure"), *ElementTree.parse("out/junit.xml").iter("error")]
    assert bool(code) == bool(bad)
    assert bool(code) == bool(Path("out/annotations.txt").read_text())


POLICIES: dict[str, tuple[int, list[str], FakeEngine]] = {
    "a finding that is mild enough": (0, ["--fail-on", "verdict"], FakeEngine([FINDING])),
    "one that is not": (1, ["--fail-on", "graduation"], FakeEngine([FINDING])),
    "no object, as allowed": (0, ["--allow-incomplete", "widgets"], FakeEngine((), {"kinds": (BLOCKED,)})),
    "no object, another allowed": (2, ["--allow-incomplete", "gadgets"], FakeEngine((), {"kinds": (BLOCKED,)})),
    "no object, allowed by the suite": (
        0, [], FakeEngine((), {"kinds": (BLOCKED,), "allow_incomplete": ("example.io/*",)}),
    ),
}  # fmt: skip
"""What is returned, what the command line says of what fails, and how the run ends."""


@pytest.mark.parametrize("policy", POLICIES)
def test_options_say_what_fails_and_every_file_agrees(policy: str, capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report keeps them, so that what is made of it later agrees as well."""
    code, options, engine = POLICIES[policy]
    engine.install(monkeypatch)
    assert code == call(capfd, "run", "--command", "x", "--report", "out", *options).code
    assert code == read_report("out/report.json").exit_code
    bad = [*ElementTree.parse("out/junit.xml").iter("failure"), *ElementTree.parse("out/junit.xml").iter("error")]
    assert bool(code) == bool(bad)
    assert bool(code) == ("::error" in Path("out/annotations.txt").read_text())
    assert code == call(capfd, "merge", "out/report.json", "--report", "merged").code
    assert f"harness_exit_code {code}.0" in Path("merged/metrics.prom").read_text()


def test_nothing_at_all_is_2_and_writes_nothing(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A target that cannot be opened leaves no report that somebody could take for a result."""

    def refuse(*arguments: Any, **more: Any) -> Any:
        raise TargetError("there is no such program")

    monkeypatch.setattr("harness.engine.run_parts", refuse)
    told = call(capfd, "run", "--command", "x", "--report", "out")
    assert (2, False) == (told.code, Path("out").exists())
    assert "there is no such program" in told.err


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_a_file_that_cannot_be_written_is_2(form: Any, capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever it is; it is written elsewhere, and the others are where they were wanted."""
    FakeEngine([FINDING]).install(monkeypatch)
    Path("taken").write_text("")
    told = call(capfd, "run", "--command", "x", "--report", "out", f"--{form.name}", f"taken/{form.file}")
    assert 2 == told.code
    place = told.err.partition("it is in ")[2].split()[0]
    assert Path(place).stat().st_size
    assert {one.file for one in FORMATS if one != form} == {file.name for file in Path("out").iterdir()}


def test_an_interrupt_weighs_more_than_a_file(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever stopped the run hears that it was stopped."""
    FakeEngine([FINDING], {"stopped": "interrupted"}).install(monkeypatch)
    Path("taken").write_text("")
    assert 130 == call(capfd, "run", "--command", "x", "--json", "taken/r.json").code


def test_a_form_that_cannot_be_made_costs_no_other(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is our bug, told with its traceback; what was found is in all other files."""
    FakeEngine([FINDING]).install(monkeypatch)

    def fail(report: Any) -> bytes:
        raise ZeroDivisionError("in the depths")

    monkeypatch.setattr("harness.report.formats.html.page.render_html", fail)
    told = call(capfd, "run", "--command", "x", "--report", "out")
    assert 2 == told.code
    assert "a bug in the harness: --html could not be rendered: ZeroDivisionError: in the depths" in told.err
    assert "Traceback" not in told.err
    Path(told.err.partition("saved in ")[2].split("\n")[0]).unlink()
    assert {form.file for form in FORMATS} - {"report.html"} == {file.name for file in Path("out").iterdir()}


def test_what_raises_before_the_report_leaves_the_findings(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are saved, a line each, and the place is said."""
    FakeEngine([FINDING]).install(monkeypatch)

    def fail(*arguments: Any, **more: Any) -> Any:
        raise ZeroDivisionError("in the depths")

    monkeypatch.setattr("harness.cli.run.build_report", fail)
    told = call(capfd, "run", "--command", "x", "--report", "out")
    assert 2 == told.code
    place = Path(told.err.partition("saved as JSON Lines in ")[2].split("\n")[0])
    assert FINDING.fingerprint == json.loads(place.read_text())["fingerprint"]
    place.unlink()
    Path(told.err.partition("traceback: it is saved in ")[2].split("\n")[0]).unlink()


def test_a_cache_that_cannot_be_pruned_costs_nothing(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Old reports that cannot be deleted stay; the new one is written all the same."""
    FakeEngine([FINDING]).install(monkeypatch)
    folder = Path("cache/equivalence-harness/reports")
    folder.mkdir(parents=True)
    for number in range(30):
        (folder / f"2020{number}.json").write_text("{}")

    def refuse(path: Path, missing_ok: bool = False) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    assert 1 == call(capfd, "run", "--command", "x").code
    assert 31 == len(list(folder.iterdir()))


@pytest.mark.parametrize("text", ["\udce9", "a\udcffb"])
def test_half_a_surrogate_pair_loses_no_finding(text: str, capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it stands: UTF-8 has no bytes for it, so every file says it as an escape."""
    finding = made.finding(detail=text, path=f"spec.{text}")
    FakeEngine([finding], {"subject": text, "stopped_detail": text}).install(monkeypatch)
    told = call(capfd, "run", "--command", "x", "--report", "out", "--events", "e.ndjson")
    assert 1 == told.code, told.err
    assert {form.file for form in FORMATS} == {file.name for file in Path("out").iterdir()}
    (found,) = read_report("out/report.json").findings
    assert text.encode("utf-8", "backslashreplace").decode() == found.detail


def test_a_name_that_is_no_utf_8_is_written_to(capfd: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name of a file is bytes."""
    FakeEngine([FINDING]).install(monkeypatch)
    assert 1 == call(capfd, "run", "--command", "x", "--json", "caf\udce9.json").code
    assert 1 == len(read_report("caf\udce9.json").findings)
