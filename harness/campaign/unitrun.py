"""Computes one unit: `harness run` or `harness power` in a process of its own, whose report goes to the ledger."""

from __future__ import annotations

import contextlib
import os
import platform
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from harness.campaign.corpora import read_corpus, write_corpus
from harness.campaign.ledger import CampaignLedger, LedgerError
from harness.campaign.mutants import PowerDocument, count_mutants
from harness.campaign.plan import CampaignUnit
from harness.diagnostics import HarnessError, TargetError
from harness.files import code_digest
from harness.report.formats.json import encode
from harness.report.model.reading import read_report
from harness.targets.kubernetes.release import find_toolchain

MAX_UNIT_SECONDS = 4 * 3600.0
"""How long one unit may take. Units: seconds."""
MOST_SHOWN = 600
"""At most this many bytes of what a run said are shown."""
_COMPLETE = "budget"
"""How a part of a run ends that asked all of its cases."""
_TESTED = (0, 1)
"""The exit codes of `harness power` when mutants were tested: all known, or some that survived are not."""
_OF_GO = frozenset({"--kubernetes", "--policy", "--validator"})
"""The options of targets that are built with Go."""


class UnitTask(msgspec.Struct, frozen=True):
    """A unit on its way to a worker: the ledger, the folder of the plan's paths, and the code that may compute it.

    `code` is the digest of the harness, `go` the version of Go that builds targets, empty for any.
    """

    unit: CampaignUnit
    url: str
    folder: str
    code: str
    go: str = ""


class RemoteResult(msgspec.Struct, frozen=True):
    """What comes back from a worker: the cases, or why there are none. `stops`: the ledger cannot be written."""

    cases: int = 0
    problem: str = ""
    stops: bool = False


def compute(unit: CampaignUnit, ledger: CampaignLedger, folder: str) -> int:
    """Compute a unit in a folder, to which its paths are relative, and keep its report and corpus. Returns the cases.

    A run that ended before all cases is not kept. Raises: HarnessError with what the run said.
    """
    if unit.power:
        return _test_mutants(unit, ledger, folder)
    with tempfile.TemporaryDirectory(prefix="harness-unit-") as temporary:
        file, corpus, problems = Path(temporary, "report.json"), Path(temporary, "corpus"), list[str]()
        if unit.corpus:
            write_corpus(ledger.corpus(unit.corpus), corpus, problems.append)
        options = ("--jobs", "1", "--quiet", "--exceptions", os.devnull, "--json", str(file), "--corpus", str(corpus))
        code, _, said = run_harness((*unit.arguments, *options), folder)
        if code is None:
            raise _failed(unit, f"it took more than {MAX_UNIT_SECONDS:.0f} s")
        if not file.is_file():
            raise _failed(unit, said or f"exit code {code}")
        report = read_report(file)
        for part in report.parts:
            if part.stopped != _COMPLETE:
                raise _failed(unit, f"{part.subject} ended by {part.stopped}: {part.stopped_detail or said}")
        # The cases of a corpus are those of findings, and the report has them.
        kept = msgspec.structs.replace(read_corpus(corpus, problems.append), cases=())
        if problems:
            raise _failed(unit, "; ".join(problems)[:MOST_SHOWN])
        ledger.keep_corpus(unit.digest, kept)  # before the report, which says that the unit is done
        # A file of this machine is not part of the result, nor how often something here killed a worker.
        findings = tuple(
            msgspec.structs.replace(one, replay=one.replay and f"harness replay {one.fingerprint}")
            for one in report.findings
        )
        parts = tuple(msgspec.structs.replace(part, restarts=0) for part in report.parts)
        ledger.keep(unit, encode(msgspec.structs.replace(report, findings=findings, parts=parts)))
        return report.cases


def _test_mutants(unit: CampaignUnit, ledger: CampaignLedger, folder: str) -> int:
    """Test the mutants of a unit, and keep how many were killed and which survived. Returns the cases."""
    started = datetime.now(UTC).isoformat(timespec="seconds")
    with tempfile.TemporaryDirectory(prefix="harness-unit-") as temporary:
        file = Path(temporary, "power.json")
        code, _, said = run_harness((*unit.arguments, "--jobs", "1", "--quiet", "--json", str(file)), folder)
        if code is None:
            raise _failed(unit, f"it took more than {MAX_UNIT_SECONDS:.0f} s")
        if code not in _TESTED or not file.is_file():
            raise _failed(unit, said or f"exit code {code}")
        found = msgspec.json.decode(file.read_bytes(), type=PowerDocument)
    ledger.keep_mutants(unit, count_mutants(found, started))
    return sum(part.cases for part in found.parts)


def compute_remotely(task: bytes) -> bytes:
    """Compute a unit in a worker of a scheduler: a `UnitTask` and a `RemoteResult` as JSON.

    Nothing but these bytes comes back, which Dask does not pickle: an outcome may have words of a target.
    """
    try:
        asked = msgspec.json.decode(task, type=UnitTask)
        check_code(asked.code, asked.go)
        ledger = CampaignLedger(asked.url)
        # A worker goes on with what a command that has died asked of it, and may be done since this one was asked.
        outcome = RemoteResult(0 if ledger.is_done(asked.unit) else compute(asked.unit, ledger, asked.folder))
    except LedgerError as error:
        outcome = RemoteResult(problem=str(error), stops=True)
    except (HarnessError, OSError) as error:
        outcome = RemoteResult(problem=str(error))
    except Exception as error:  # a bug: an exception would be pickled with what it holds
        outcome = RemoteResult(problem=f"{type(error).__name__}: {error}")
    return msgspec.json.encode(outcome)


def check_code(code: str, go: str) -> None:
    """Check that this worker may compute units of a ledger. Raises: TargetError."""
    if code != code_digest():
        raise TargetError(
            f"{_worker()} has another build of the harness ({code_digest()}, not {code})",
            "units that other code computed are no part of one result", "install the build that began the ledger",
        )  # fmt: skip
    if go and (own := find_toolchain().version) != go:
        raise TargetError(
            f"{_worker()} has another Go ({own}, not {go})",
            "validators that another Go built are no part of one result", f"install {go} on every worker",
        )  # fmt: skip


def _worker() -> str:
    return f"the worker of process {os.getpid()} on {platform.node()}"


def go_of(targets: Sequence[Sequence[str]]) -> str:
    """Return the version of Go that builds targets here; empty if none is built. Raises: TargetError without Go."""
    return find_toolchain().version if any(_OF_GO & set(words) for words in targets) else ""


def run_harness(words: Sequence[str], folder: str) -> tuple[int | None, bytes, str]:
    """Run the command line of the harness in a folder, and end all that it started.

    Returns: its exit code, None if it took too long; its output; and the last that it said on stderr.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "harness.campaign.unitprocess", *words], cwd=folder, stdin=subprocess.DEVNULL,
            stdout=output, stderr=errors, start_new_session=True,
        )  # fmt: skip
        try:
            code = process.wait(MAX_UNIT_SECONDS)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        errors.seek(0)
        return code, output.read(), errors.read()[-MOST_SHOWN:].decode("utf-8", "replace").strip()


def _failed(unit: CampaignUnit, why: str) -> TargetError:
    """Return the error with which a unit ended; whoever tells it names the unit."""
    return TargetError("it could not be computed", why, f"harness {' '.join(unit.arguments)} shows it")
