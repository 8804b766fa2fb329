"""One command at a time computes the units of a ledger; who died holds nothing."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import msgspec
import psutil
import pytest

from harness.campaign import claim
from harness.campaign.claim import LedgerClaim, claimed
from harness.campaign.ledger import CampaignLedger
from harness.diagnostics import HarnessError


@pytest.fixture
def ledger(tmp_path: Path) -> CampaignLedger:
    """An empty ledger."""
    found = CampaignLedger(str(tmp_path / "ledger"))
    found.create()
    return found


def put(ledger: CampaignLedger, host: str, pid: int, started: float, holds: bool = True, name: str = "zz") -> None:
    """Put the claim of another process into a ledger."""
    ledger.keep_claim(name, msgspec.json.encode(LedgerClaim(host, pid, started, holds)))


def test_a_second_writer_is_refused_while_the_first_lives(ledger: CampaignLedger) -> None:
    """And told who that is; afterwards the ledger is free, and nothing of a claim is left."""
    with claimed(ledger):
        (first,) = ledger.claims()
        with pytest.raises(HarnessError, match=rf"process {os.getpid()} on (.|\n)*fix: wait"), claimed(ledger):
            pass
        assert [first] == list(ledger.claims())
    assert {} == ledger.claims()
    with claimed(ledger):
        pass


def test_a_process_that_was_killed_holds_nothing(ledger: CampaignLedger) -> None:
    """Nor does one whose number another process has now."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    started = psutil.Process(child.pid).create_time()
    put(ledger, socket.gethostname(), child.pid, started)
    with pytest.raises(HarnessError, match="is being written"), claimed(ledger):
        pass
    child.send_signal(signal.SIGKILL)
    child.wait()
    with claimed(ledger):
        assert "zz" not in ledger.claims()
    put(ledger, socket.gethostname(), os.getpid(), started - 1000.0)
    with claimed(ledger):
        pass


def test_a_machine_that_went_away_holds_nothing_after_a_while(
    ledger: CampaignLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the clock of the store; until then it may live."""
    put(ledger, "elsewhere", 1, 1.0)
    with pytest.raises(HarnessError, match="process 1 on elsewhere"), claimed(ledger):
        pass
    monkeypatch.setattr(claim, "FORGOTTEN", timedelta(seconds=-1))
    with claimed(ledger):
        assert "zz" not in ledger.claims()


def test_of_two_that_come_at_once_one_stays(ledger: CampaignLedger) -> None:
    """The one with the smaller name, as both know; what is no claim is nobody's."""
    put(ledger, "elsewhere", 1, 1.0, holds=False, name="zz")
    ledger.keep_claim("00", b"no claim")
    with claimed(ledger):
        pass
    put(ledger, "elsewhere", 1, 1.0, holds=False, name="00")
    with pytest.raises(HarnessError, match="is being written"), claimed(ledger):
        pass


def test_a_claim_is_renewed(ledger: CampaignLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where it was lost meanwhile."""
    monkeypatch.setattr(claim, "RENEWED", 0.01)
    with claimed(ledger):
        (name,) = ledger.claims()
        ledger.drop_claim(name)
        while name not in ledger.claims():
            pass
