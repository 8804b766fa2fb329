"""Each worker shows that it may compute units, before it gets one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.campaign.execution import connected
from harness.campaign.ledger import CampaignLedger
from harness.campaign.workercheck import WorkerCheck, WorkerProblem, check_remotely, check_workers
from harness.diagnostics import TargetError
from harness.files import code_digest


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """A client of an embedded scheduler with two workers."""
    with connected(None, 2) as found:
        yield found


def new_ledger(url: str) -> CampaignLedger:
    """Begin a ledger."""
    ledger = CampaignLedger(url)
    ledger.create()
    return ledger


def test_a_ledger_that_workers_do_not_see_is_told_with_each_of_them(client: Any, tmp_path: Path) -> None:
    """Each unit would be computed, counted and lost; a folder that they share is fine."""
    check_workers(client, new_ledger(str(tmp_path / "ledger")))
    with pytest.raises(TargetError, match="2 of 2 workers cannot compute units of memory://alone") as caught:
        check_workers(client, new_ledger("memory://alone"))
    assert 2 == caught.value.why.count("does not see the ledger memory://alone")
    assert all(address in caught.value.why for address in client.nthreads())


def answer(ledger: CampaignLedger, **changes: Any) -> str:
    """What a worker says when it is checked."""
    asked = WorkerCheck(code_digest(), "", ledger.url, ledger.check_layout().identity)
    data = check_remotely(msgspec.json.encode(msgspec.structs.replace(asked, **changes)))
    return msgspec.json.decode(data, type=WorkerProblem).message


def test_another_build_and_another_ledger_of_the_same_name_are_told(tmp_path: Path) -> None:
    """A folder of this name may be there on another machine too."""
    ledger = new_ledger(str(tmp_path / "ledger"))
    assert "" == answer(ledger)
    assert "another build of the harness" in answer(ledger, code="0")
    assert "does not see the ledger" in answer(ledger, identity="0")
    assert "does not see the ledger" in answer(ledger, url=str(tmp_path / "nowhere"))
