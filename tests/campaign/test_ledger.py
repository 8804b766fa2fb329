"""A ledger keeps what is done, whole or not at all, and refuses what is not its own."""

from __future__ import annotations

import contextlib
import os
import random
import resource
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from harness.campaign.ledger import CampaignLedger, LedgerError
from harness.campaign.plan import CampaignPlan
from harness.diagnostics import HarnessError
from harness.report.formats.json import encode
from harness.report.model.assembly import build_report
from tests.report import made

PLAN = CampaignPlan((("suites/claim_v1",),), seeds=(1, 2))


@pytest.fixture
def ledger(tmp_path: Path) -> CampaignLedger:
    """A ledger with a plan."""
    made_now = CampaignLedger(str(tmp_path / "ledger"))
    made_now.create()
    made_now.add_plan(PLAN)
    return made_now


def test_what_is_kept_is_read_again(ledger: CampaignLedger) -> None:
    """The plans, the units of all of them, and the report of one."""
    first, second = ledger.units()
    report = build_report(made.result(made.finding()))
    ledger.keep(first, encode(report))
    again = CampaignLedger(ledger.url)
    again.create()
    assert (PLAN,) == again.plans()
    assert {first.digest} == again.done()
    assert report.findings == again.report(first).findings
    again.add_plan(msgspec.structs.replace(PLAN, seeds=(2, 3)))
    assert {1, 2, 3} == {unit.seed for unit in again.units()}
    assert 3 == len(list(again.units())), "a unit of two plans is one"
    assert second in again.units()


def test_a_file_that_is_being_written_is_not_there(ledger: CampaignLedger) -> None:
    """A process that is killed while it writes leaves nothing that is taken for a report."""
    first, _ = ledger.units()
    ledger.keep(first, b"{}")
    (kept,) = Path(ledger.url, "units").iterdir()
    kept.rename(f"{kept}.writing-0a0b0c0d")
    assert frozenset() == ledger.done()


def test_a_damaged_report_is_told_with_its_file(ledger: CampaignLedger) -> None:
    """And how to have it computed again."""
    first, _ = ledger.units()
    ledger.keep(first, encode(build_report(made.result())))
    (kept,) = Path(ledger.url, "units").iterdir()
    data = kept.read_bytes()
    for damaged in (data[:-9], data[:40] + bytes([data[40] ^ 255]) + data[41:], b"", b"{}"):
        kept.write_bytes(damaged)
        with pytest.raises(HarnessError, match=r"damaged(.|\n)*remove the file"):
            ledger.report(first)


def test_a_ledger_of_another_build_or_layout_is_refused(ledger: CampaignLedger) -> None:
    """So is a folder that is none; an empty one becomes one."""
    marker = Path(ledger.url, "campaign-ledger.json")
    good = marker.read_text()
    for text, words in (
        (good.replace('"ledger":3', '"ledger":2'), "layout 2"),
        (good.replace('"code":"', '"code":"0'), "another build"),
        (good[:-3], "damaged"),
    ):
        marker.write_text(text)
        with pytest.raises(HarnessError, match=words):
            ledger.create()
    marker.unlink()
    with pytest.raises(HarnessError, match="no ledger, and not empty"):
        ledger.create()
    with pytest.raises(HarnessError, match="no ledger of campaigns"):
        ledger.check()


def test_units_of_other_files_are_refused(ledger: CampaignLedger) -> None:
    """Of each target by itself; the same files again are none."""
    ledger.keep_content(("suites/claim_v1",), "one")
    ledger.keep_content(("suites/policy_v1",), "two")
    again = CampaignLedger(ledger.url)
    again.keep_content(("suites/claim_v1",), "one")
    with pytest.raises(HarnessError, match=r"files of suites/claim_v1 are not those(.|\n)*begin another ledger"):
        again.keep_content(("suites/claim_v1",), "two")


def test_a_ledger_without_a_plan_is_told(ledger: CampaignLedger) -> None:
    """No unit is missing there, which is no result."""
    (plan,) = Path(ledger.url, "plans").iterdir()
    plan.unlink()
    with pytest.raises(HarnessError, match=r"has no plan(.|\n)*harness campaign run PLAN --ledger"):
        list(ledger.units())


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    """As is a store that nobody knows."""
    (tmp_path / "file").write_text("")
    with pytest.raises(HarnessError, match="cannot be used"):
        CampaignLedger(str(tmp_path / "file" / "ledger")).create()
    with pytest.raises(HarnessError, match="cannot be opened"):
        CampaignLedger("nosuch://place")


def test_a_store_of_objects_is_a_ledger(tmp_path: Path) -> None:
    """Whatever fsspec knows: here its store in memory, which has no folders and no renames of the system."""
    ledger = CampaignLedger(f"memory://{os.getpid()}/ledger")
    ledger.create()
    ledger.add_plan(PLAN)
    first, second = ledger.units()
    ledger.keep(second, encode(build_report(made.result())))
    assert {second.digest} == CampaignLedger(ledger.url).done()
    assert first.digest not in ledger.done()


@contextlib.contextmanager
def largest_file(size: int) -> Iterator[None]:
    """Have the system refuse to write more than so many bytes of a file, as a full disk does."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_what_the_system_does_not_write_is_told_and_leaves_no_part(ledger: CampaignLedger) -> None:
    """What is done stays, and the unit is computed again once there is room."""
    first, second = ledger.units()
    report, noise = encode(build_report(made.result(made.finding()))), random.Random(1).randbytes(1 << 20)
    ledger.keep(first, report)
    before = sorted(Path(ledger.url).rglob("*"))
    with (
        largest_file(1 << 16),
        pytest.raises(LedgerError, match=r"File too large(.|\n)*`harness campaign resume` goes on"),
    ):
        ledger.keep(second, noise)
    assert before == sorted(Path(ledger.url).rglob("*"))
    assert {first.digest} == ledger.done()
    ledger.keep(second, report)
    assert {first.digest, second.digest} == ledger.done()


def test_a_ledger_that_is_no_folder_is_told() -> None:
    """As `/dev/full` is none, which takes no byte either."""
    with pytest.raises(HarnessError, match="fix: "):
        CampaignLedger("/dev/full").create()
