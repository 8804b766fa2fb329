"""Computes one unit: `harness run` in a process of its own, whose report and corpus go to the ledger."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from harness.campaign.corpora import CampaignCorpus, read_corpus, write_corpus
from harness.campaign.ledger import CampaignLedger
from harness.campaign.plan import CampaignUnit
from harness.diagnostics import HarnessError, TargetError
from harness.report.formats.json import encode
from harness.report.model.reading import read_report

MAX_UNIT_SECONDS = 4 * 3600.0
"""How long one unit may take. Units: seconds."""
_MOST_SHOWN = 600
_COMPLETE = "budget"
"""How a part of a run ends that asked all of its cases."""


def compute(unit: CampaignUnit, ledger: CampaignLedger, folder: str) -> int:
    """Compute a unit in a folder, to which its paths are relative, and keep its report and corpus. Returns the cases.

    A run that ended before all cases is not kept. Raises: HarnessError with what the run said.
    """
    with tempfile.TemporaryDirectory(prefix="harness-unit-") as temporary:
        file, errors = Path(temporary, "report.json"), Path(temporary, "errors")
        corpus, problems = Path(temporary, "corpus"), list[str]()
        if unit.corpus:
            write_corpus(ledger.corpus(unit.corpus), corpus, problems.append)
        command = [sys.executable, "-m", "harness.campaign.unitprocess", "run", *unit.arguments]
        command += ["--jobs", "1", "--quiet", "--exceptions", os.devnull, "--json", str(file), "--corpus", str(corpus)]
        with open(errors, "wb") as stream:
            process = subprocess.Popen(
                command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stream,
                start_new_session=True,
            )  # fmt: skip
        try:
            process.wait(MAX_UNIT_SECONDS)
        except subprocess.TimeoutExpired:
            raise _failed(unit, f"it took more than {MAX_UNIT_SECONDS:.0f} s") from None
        finally:
            _end(process)
        said = errors.read_bytes()[-_MOST_SHOWN:].decode("utf-8", "replace").strip()
        if not file.is_file():
            raise _failed(unit, said or f"exit code {process.returncode}")
        report = read_report(file)
        for part in report.parts:
            if part.stopped != _COMPLETE:
                raise _failed(unit, f"{part.subject} ended by {part.stopped}: {part.stopped_detail or said}")
        # The cases of a corpus are those of findings, and the report has them.
        kept = CampaignCorpus(seeds=read_corpus(corpus, problems.append).seeds)
        if problems:
            raise _failed(unit, "; ".join(problems)[:_MOST_SHOWN])
        ledger.keep_corpus(unit.digest, kept)  # before the report, which says that the unit is done
        # A file of this machine is not part of the result.
        findings = tuple(
            msgspec.structs.replace(one, replay=one.replay and f"harness replay {one.fingerprint}")
            for one in report.findings
        )
        ledger.keep(unit, encode(msgspec.structs.replace(report, findings=findings)))
        return report.cases


def compute_remotely(encoded: str, url: str, folder: str, code: str) -> tuple[int, str]:
    """Compute a unit in a worker of a scheduler. Only texts and numbers travel. Returns the cases, and an error."""
    from harness.campaign.ledger import code_digest

    if code != code_digest():
        return 0, f"this worker has another build of the harness ({code_digest()}, not {code})"
    try:
        return compute(msgspec.json.decode(encoded, type=CampaignUnit), CampaignLedger(url), folder), ""
    except (HarnessError, OSError) as error:
        return 0, str(error)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the run and what it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _failed(unit: CampaignUnit, why: str) -> TargetError:
    return TargetError(f"{unit} could not be computed", why, f"harness run {' '.join(unit.arguments)} shows it")
