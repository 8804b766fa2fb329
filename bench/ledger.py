"""How many units a second do ledger and scheduler of a campaign take? A stand-in answers a case in 10 µs, by sleeping.

The workers are threads of other processes, so that many of them fit on a small machine; client and scheduler are this
process. What a unit does otherwise is real: its task travels, and its report and corpus are written.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

import msgspec

from bench.memory import resident
from bench.page import made
from bench.record import Measured, Section
from harness.campaign.corpora import CampaignCorpus
from harness.campaign.execution import execute, quiet_cluster
from harness.campaign.ledger import CampaignLedger
from harness.campaign.plan import CampaignPlan
from harness.campaign.result import merge_settings
from harness.campaign.unitrun import RemoteResult, UnitTask
from harness.report.formats.json import encode

WORKERS = (1, 2, 4, 8, 16, 32, 64)
CASES = 1_000
"""The cases of a unit: so few that ledger and scheduler are asked for all they can."""
CASE_SECONDS = 10e-6
"""The time of a case of the stand-in. Units: seconds."""
FINDINGS = 20
_PROCESSES = 4
_REPORT = "report.json"


def measure(seconds: float) -> Section:
    """Compute units with more and more workers, then merge what one ledger has."""
    lines = []
    with tempfile.TemporaryDirectory() as temporary:
        report = Path(temporary, _REPORT)
        report.write_bytes(encode(made(FINDINGS)))
        for workers in WORKERS:
            ledger = _planned(Path(temporary, f"ledger-{workers}"), max(20, int(100 * seconds)))
            lines.append(_compute(ledger, workers, report.parent))
        lines += [_keep(Path(temporary), report.read_bytes()), _list(ledger), _merge(ledger)]
    return Section("How many units a second do ledger and scheduler take?", "units", tuple(lines))


def stand_in(task: bytes) -> bytes:
    """Compute a unit of cases that take 10 µs each, in a worker."""
    asked = msgspec.json.decode(task, type=UnitTask)
    time.sleep(asked.unit.cases * CASE_SECONDS)
    ledger = CampaignLedger(asked.url)
    ledger.keep_corpus(asked.unit.digest, CampaignCorpus())
    ledger.keep(asked.unit, Path(asked.folder, _REPORT).read_bytes())
    return msgspec.json.encode(RemoteResult(asked.unit.cases))


def _planned(folder: Path, units: int) -> CampaignLedger:
    ledger = CampaignLedger(str(folder))
    ledger.create()
    ledger.add_plan(CampaignPlan((("stand-in",),), seeds=tuple(range(1, units + 1)), cases=CASES))
    return ledger


def _compute(ledger: CampaignLedger, workers: int, folder: Path) -> Measured:
    processes = min(_PROCESSES, workers)
    with quiet_cluster(processes, workers // processes) as client:
        client.wait_for_workers(processes)
        started = time.perf_counter()
        tally = execute(ledger, client, folder, lambda tally: None, work=stand_in)
        taken = time.perf_counter() - started
        more: dict[str, int | str] = {
            "cases/s": round(tally.cases / taken),
            "workers busy": f"{100 * tally.cases * CASE_SECONDS / taken / workers:.0f} %",
            "MiB": resident(os.getpid()) >> 20,
        }
    return Measured(f"{workers} workers", tally.done, taken, more=more)


def _keep(folder: Path, document: bytes) -> Measured:
    """Write reports and corpora, and nothing else."""
    ledger = _planned(folder / "alone", 50)
    started, units = time.perf_counter(), list(ledger.units())
    for unit in units:
        ledger.keep_corpus(unit.digest, CampaignCorpus())
        ledger.keep(unit, document)
    return Measured("the ledger alone: kept", len(units), time.perf_counter() - started)


def _list(ledger: CampaignLedger) -> Measured:
    """Find what a ledger misses, as every start does."""
    started, done = time.perf_counter(), ledger.done()
    units = [unit for unit in ledger.units() if unit.digest in done]
    return Measured("the ledger alone: listed", len(units), time.perf_counter() - started)


def _merge(ledger: CampaignLedger) -> Measured:
    """Read the reports of a ledger, and merge them."""
    started = time.perf_counter()
    list(merge_settings(ledger))
    done = len(ledger.done())
    return Measured(
        "merged", done, time.perf_counter() - started, more={"MiB": resident(os.getpid()) >> 20}
    )  # fmt: skip
