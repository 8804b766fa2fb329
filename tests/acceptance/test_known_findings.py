"""The committed exceptions of 1.37.1: green as they are, red on anything that they do not name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from harness.cli.main import run as harness
from harness.compare.finding import CAUSE_CODES
from harness.errormatch.exceptionentry import ExceptionSpec, GroupRule
from harness.errormatch.exceptionfile import ExceptionFile, load_exceptions
from harness.report.model.document import Report
from harness.report.model.reading import read_report
from harness.report.model.tolerance import tolerate

pytestmark = pytest.mark.kubernetes

ROOT = Path(__file__).parents[2]
KNOWN = load_exceptions(ROOT / "equivalence_exceptions.yaml", date.min, CAUSE_CODES)
PLACE = ("no-rule", "k8s.io/api/storage.VolumeAttributesClass")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """A search of one kind, before anything is tolerated."""
    folder = tmp_path_factory.mktemp("known")
    (folder / "none.yaml").write_text("[]\n")
    words = ("--kubernetes", "1.37.1", "--gates", "default", "--kind", "storage.k8s.io/v1 volumeattributesclasses")
    budget = ("--max-cases", "800", "--seed", "1", "--jobs", "1")
    files = ("--exceptions", str(folder / "none.yaml"), "--json", str(folder / "r.json"))
    assert 1 == harness(["run", *words, *budget, *files])
    return read_report(folder / "r.json")


def places(report: Report) -> set[tuple[str, str]]:
    """The cause and the type of every finding beyond the exceptions."""
    return {(finding.cause, finding.owner) for finding in report.open_findings}


def with_(change: Callable[[ExceptionSpec], ExceptionSpec | None]) -> ExceptionFile:
    """The committed exceptions, with the one of the place changed or taken out."""
    entries = (change(one) if (one.scope["cause"], one.scope.get("owner")) == PLACE else one for one in KNOWN.entries)
    return ExceptionFile(tuple(one for one in entries if one is not None), date.min)


def test_what_is_known_is_tolerated(report: Report) -> None:
    """All of it, and the run passes."""
    assert PLACE in places(report)
    judged = tolerate(report, KNOWN, "known")
    assert (set(), 0) == (places(judged), judged.exit_code)


def test_without_an_entry_exactly_its_findings_appear(report: Report) -> None:
    """And the run fails."""
    judged = tolerate(report, with_(lambda entry: None), "known")
    assert ({PLACE}, 1) == (places(judged), judged.exit_code)


CHANGES: dict[str, Callable[[GroupRule], GroupRule]] = {
    "another field": lambda rule: replace(rule, member="parameters"),
    "another error": lambda rule: replace(rule, type="FieldValueInvalid"),
    "another mismatch": lambda rule: replace(rule, mismatch="served"),
    "a milder severity": lambda rule: replace(rule, severity="visible"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_the_rules_do_not_name_breaks_through(report: Report, change: Callable[[GroupRule], GroupRule]) -> None:
    """The same place with a field, an error, a mismatch or a severity that was not named."""
    changed = with_(lambda entry: replace(entry, rules=tuple(map(change, entry.rules))))
    assert {PLACE} == places(tolerate(report, changed, "known"))
