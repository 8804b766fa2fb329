"""Holds a ledger for one command at a time: two that compute the same units at once would do all work twice.

A claim is a file of the ledger that its holder renews. It has no owner any more when its process is gone, or, of a
process on another machine, when it was not renewed for some time by the clock of the store. What two commands that do
not see each other write is the same, so that a claim that is missed costs work, and no result.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import msgspec

from harness.campaign.ledger import CampaignLedger, missing_extra
from harness.diagnostics import HarnessError, TargetError

RENEWED = 30.0
"""How often a claim is renewed. Units: seconds."""
FORGOTTEN = timedelta(seconds=180)
"""After this time a claim that was not renewed has no owner any more."""


class LedgerClaim(msgspec.Struct, frozen=True):
    """A process that wants to compute units of a ledger, or does: its machine, number and start."""

    host: str
    pid: int
    started: float
    holds: bool = False


@contextmanager
def claimed(ledger: CampaignLedger) -> Iterator[None]:
    """Hold a ledger. Raises: HarnessError while another command that lives holds it."""
    name, own = uuid.uuid4().hex[:12], _own_claim()
    try:
        # Of two that come at once only the one with the smaller name may stay: both look again once they hold.
        for claim in (own, msgspec.structs.replace(own, holds=True)):
            ledger.keep_claim(name, msgspec.json.encode(claim))
            _refuse_second(ledger, name, claim)
        ended = threading.Event()
        renewing = threading.Thread(target=_renew, args=(ledger, name, claim, ended), daemon=True)
        renewing.start()
        try:
            yield
        finally:
            ended.set()
            renewing.join()
    finally:
        with contextlib.suppress(HarnessError):
            ledger.drop_claim(name)


def _refuse_second(ledger: CampaignLedger, name: str, own: LedgerClaim) -> None:
    claims = ledger.claims()
    now = max(when for _, when in claims.values())
    for other, (data, when) in claims.items():
        try:
            claim = msgspec.json.decode(data, type=LedgerClaim)
        except msgspec.DecodeError:
            continue
        if other == name or not (other < name or (claim.holds and not own.holds)):
            continue
        if now - when > FORGOTTEN or (claim.host == own.host and not _lives(claim)):
            ledger.drop_claim(other)
            continue
        ago = f"{(now - when).total_seconds():.0f} s ago"
        raise TargetError(
            f"{ledger.url} is being written by process {claim.pid} on {claim.host}, seen {ago}",
            "two commands would compute the same units at once",
            f"wait for it, or end it; a claim is void {FORGOTTEN.total_seconds():.0f} s after the machine is gone",
        )  # fmt: skip


def _own_claim() -> LedgerClaim:
    try:
        import psutil
    except ImportError:
        raise missing_extra("psutil") from None
    return LedgerClaim(socket.gethostname(), os.getpid(), psutil.Process().create_time())


def _lives(claim: LedgerClaim) -> bool:
    import psutil

    try:
        return bool(abs(psutil.Process(claim.pid).create_time() - claim.started) < 2.0)
    except psutil.NoSuchProcess:
        return False


def _renew(ledger: CampaignLedger, name: str, claim: LedgerClaim, ended: threading.Event) -> None:
    while not ended.wait(RENEWED):
        with contextlib.suppress(HarnessError):  # units tell of a ledger that cannot be written
            ledger.keep_claim(name, msgspec.json.encode(claim))
