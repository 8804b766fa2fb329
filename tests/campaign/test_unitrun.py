"""A worker computes what it may, and says why it does not; nothing that comes back is pickled."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from distributed.protocol.serialize import serialize

from harness.campaign import unitrun
from harness.campaign.ledger import CampaignLedger
from harness.campaign.plan import CampaignPlan, CampaignUnit
from harness.campaign.result import collect_corpus, merge_settings
from harness.campaign.unitrun import RemoteResult, UnitTask, compute, compute_remotely
from harness.diagnostics import HarnessError
from harness.files import code_digest
from harness.report.formats.json import encode
from harness.report.model.reading import read_report
from harness.targets.kubernetes.release import Toolchain
from tests.report.made import HOSTILE

ROOT = Path(__file__).parent.parent.parent
UNIT = CampaignUnit(("migration",), "default", 1, 50, "1/1")


@pytest.fixture
def ledger(tmp_path: Path) -> CampaignLedger:
    """A ledger with a plan of one unit."""
    found = CampaignLedger(str(tmp_path / "ledger"))
    found.create()
    found.add_plan(CampaignPlan((("migration",),), cases=50))
    return found


def outcome(ledger: CampaignLedger, code: str = "", go: str = "") -> RemoteResult:
    """What a worker answers, in a folder without any suite."""
    folder = str(Path(ledger.url).parent)
    task = UnitTask(UNIT, ledger.url, folder, code or code_digest(), go)
    return msgspec.json.decode(compute_remotely(msgspec.json.encode(task)), type=RemoteResult)


def test_a_worker_with_another_harness_or_go_is_refused(
    ledger: CampaignLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it asks anything, with what to install."""
    assert "another build of the harness" in outcome(ledger, code="0" * 20).problem
    monkeypatch.setattr(unitrun, "find_toolchain", lambda: Toolchain(Path("go"), "go1.27.0"))
    wrong = outcome(ledger, go="go1.26.4")
    assert "another Go (go1.27.0, not go1.26.4)" in wrong.problem
    assert "install go1.26.4 on every worker" in wrong.problem
    assert "another Go" not in outcome(ledger, go="go1.27.0").problem
    assert "another Go" not in outcome(ledger).problem, "a suite needs no Go"


def test_go_belongs_to_a_ledger_once_a_target_is_built(ledger: CampaignLedger) -> None:
    """Another one is refused then."""
    ledger.keep_go("")
    assert "" == ledger.go()
    ledger.keep_go("go1.26.4")
    ledger.keep_go("go1.26.4")
    ledger.keep_go("")
    assert "go1.26.4" == CampaignLedger(ledger.url).go()
    with pytest.raises(HarnessError, match=r"go1\.26\.4 built, and the workers have go1\.27\.0(.|\n)*fix: install"):
        ledger.keep_go("go1.27.0")


def test_a_unit_that_was_done_meanwhile_is_not_computed_again(ledger: CampaignLedger) -> None:
    """A command that died asked for it, and its worker went on."""
    assert "not a folder" in outcome(ledger).problem
    ledger.keep(UNIT, b"{}")
    assert RemoteResult(0) == outcome(ledger)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EDQUOT])
def test_a_ledger_that_cannot_be_written_ends_a_campaign(
    ledger: CampaignLedger, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the worker says stops all, because no other unit could be kept."""

    def full(unit: CampaignUnit, to: CampaignLedger, folder: str) -> int:
        monkeypatch.setattr(to._files, "pipe_file", fail)
        to.keep(unit, b"{}")
        return 1

    def fail(path: str, data: bytes) -> None:
        Path(path).write_bytes(data[:1])
        raise OSError(number, os.strerror(number), path)

    monkeypatch.setattr(unitrun, "compute", full)
    said = outcome(ledger)
    assert said.stops
    assert os.strerror(number) in said.problem
    assert "what is done stays, and `harness campaign resume` goes on" in said.problem
    assert [] == list(Path(ledger.url, "units").iterdir()), "no part of a file is left"


@pytest.mark.parametrize("error", [HarnessError(HOSTILE), OSError(HOSTILE), RuntimeError(HOSTILE)])
def test_nothing_of_a_target_is_pickled(
    ledger: CampaignLedger, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An outcome is bytes, which travel as they are; also what an unexpected exception says."""

    def fail(*arguments: object) -> int:
        raise error

    monkeypatch.setattr(unitrun, "compute", fail)
    task = msgspec.json.encode(UnitTask(UNIT, ledger.url, ".", code_digest()))
    data = compute_remotely(task)
    assert HOSTILE in msgspec.json.decode(data, type=RemoteResult).problem
    header, frames = serialize(data, serializers=("dask", "msgpack"))
    assert ("dask", [data]) == (header["serializer"], frames)


def test_how_often_a_worker_was_killed_is_no_part_of_a_result(
    ledger: CampaignLedger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report of a unit is the same with deaths and without."""
    shutil.copytree(ROOT / "examples" / "migration", tmp_path / "migration")
    really = unitrun.run_harness

    def disturbed(words: Sequence[str], folder: str) -> tuple[int | None, bytes, str]:
        outcome = really(words, folder)
        file = Path(words[words.index("--json") + 1])
        report = read_report(file)
        parts = tuple(msgspec.structs.replace(part, restarts=3) for part in report.parts)
        file.write_bytes(encode(msgspec.structs.replace(report, parts=parts)))
        return outcome

    monkeypatch.setattr(unitrun, "run_harness", disturbed)
    assert compute(UNIT, ledger, str(tmp_path)) >= UNIT.cases
    assert [0] == [part.restarts for part in ledger.report(UNIT).parts]


def test_mutants_are_a_unit_of_a_ledger(tmp_path: Path) -> None:
    """How many were killed, and which survived; the findings and the corpus of a setting are those of its runs."""
    shutil.copytree(ROOT / "examples" / "migration", tmp_path / "migration")
    ledger = CampaignLedger(str(tmp_path / "ledger"))
    ledger.create()
    ledger.add_plan(CampaignPlan((("migration",),), cases=50, power=5))
    units = list(ledger.units())
    assert [False, True] == [unit.power for unit in units]
    for unit in units:
        assert compute(unit, ledger, str(tmp_path)) > 0
    assert {unit.digest for unit in units} == ledger.done()
    (merged,) = merge_settings(ledger)
    assert 0 < merged.mutants.killed < merged.mutants.tested
    assert merged.mutants.tested - merged.mutants.killed == len(merged.mutants.surviving)
    assert 0 < merged.seconds == ledger.report(units[0]).seconds
    assert () == merged.missing
    assert collect_corpus(ledger).seeds
    assert ledger.day(units[1]).startswith("20")


def test_mutants_that_cannot_be_tested_are_told(ledger: CampaignLedger, tmp_path: Path) -> None:
    """With the command that shows it."""
    unit = msgspec.structs.replace(UNIT, power=True)
    with pytest.raises(HarnessError, match=r"not a folder(.|\n)*harness power migration --seed 1 --max-cases 50"):
        compute(unit, ledger, str(tmp_path))
    assert frozenset() == ledger.done()
