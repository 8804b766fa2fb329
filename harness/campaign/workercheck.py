"""Checks every worker of a scheduler before the first unit: its build of the harness, its Go, and its ledger."""

from __future__ import annotations

import contextlib
from typing import Any

import msgspec

from harness.campaign.ledger import CampaignLedger
from harness.campaign.unitrun import check_code
from harness.diagnostics import HarnessError, TargetError
from harness.files import code_digest

_WAIT = 60.0
"""How long the workers may take to answer: one that has gone away never does. Units: seconds."""


class WorkerCheck(msgspec.Struct, frozen=True):
    """What a worker has to have: a build of the harness, a version of Go (empty for any), and a ledger."""

    code: str
    go: str
    url: str
    identity: str


class WorkerProblem(msgspec.Struct, frozen=True):
    """What comes back: why a worker can compute no unit, empty if it can."""

    message: str = ""


def check_workers(client: Any, ledger: CampaignLedger) -> None:
    """Check all workers that a scheduler has now. Raises: TargetError with the address of each that may compute none.

    A worker that comes later is checked with each of its units.
    """
    from distributed import wait

    asked = msgspec.json.encode(WorkerCheck(code_digest(), ledger.go(), ledger.url, ledger.check_layout().identity))
    futures = {
        address: client.submit(check_remotely, asked, workers=[address], pure=False)
        for address in sorted(client.nthreads())
    }
    with contextlib.suppress(TimeoutError):  # one that does not answer has no unit yet
        wait(list(futures.values()), timeout=_WAIT)
    found = {
        address: msgspec.json.decode(future.result(), type=WorkerProblem).message
        for address, future in futures.items()
        if future.status == "finished"
    }
    if bad := {address: message for address, message in found.items() if message}:
        told = "; ".join(f"{address}: {' '.join(message.split())}" for address, message in bad.items())
        raise TargetError(
            f"{len(bad)} of {len(futures)} workers cannot compute units of {ledger.url}", told,
            "stop them, or start them with this build and a ledger that every worker reaches",
        )  # fmt: skip


def check_remotely(check: bytes) -> bytes:
    """Check the worker that this runs in: a `WorkerCheck` and a `WorkerProblem` as JSON."""
    asked = msgspec.json.decode(check, type=WorkerCheck)
    try:
        check_code(asked.code, asked.go)
        found = WorkerProblem("" if _sees(asked) else f"it does not see the ledger {asked.url} that the command writes")
    except (HarnessError, OSError) as error:
        found = WorkerProblem(str(error))
    return msgspec.json.encode(found)


def _sees(asked: WorkerCheck) -> bool:
    """Whether the ledger of this name is the one of the command, and no other one of the same name."""
    try:
        return CampaignLedger(asked.url).check_layout().identity == asked.identity
    except HarnessError:
        return False
