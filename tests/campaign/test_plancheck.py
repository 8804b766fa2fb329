"""A plan is checked against its targets before a unit is computed, and what is wrong is told all at once."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.campaign import plancheck
from harness.campaign.plan import CampaignPlan
from harness.campaign.plancheck import CheckedPlan, check_plan
from harness.diagnostics import InputError
from harness.files import code_digest

ROOT = Path(__file__).parent.parent.parent


class LocalClient:
    """Computes in this process what a scheduler would hand out, and lets nothing but bytes pass."""

    def submit(self, function: Callable[[bytes], bytes], data: bytes, pure: bool) -> bytes:
        """Compute at once."""
        assert isinstance(data, bytes)
        return function(data)

    def gather(self, futures: Sequence[bytes]) -> Sequence[bytes]:
        """Return what was computed."""
        assert all(isinstance(one, bytes) for one in futures)
        return futures


def check(plan: CampaignPlan, folder: Path, code: str = "") -> CheckedPlan:
    """Check a plan of a file."""
    return check_plan(LocalClient(), plan, str(folder), code or code_digest(), "plan.yaml")


def test_everything_that_targets_do_not_have_is_told_at_once(tmp_path: Path) -> None:
    """Suites, kinds and gates, with near names; a plan without mistakes needs no Go for a suite."""
    shutil.copytree(ROOT / "examples" / "migration", tmp_path / "migration")
    assert "" == check(CampaignPlan((("migration", "--kind", "backups", "--operation", "create"),)), tmp_path).go
    targets = (("migratoin",), ("migration", "--kind", "backupz", "--kind", "backups"))
    with pytest.raises(InputError) as caught:
        check(CampaignPlan(targets, ("default", "Wide=true")), tmp_path)
    suite, kind, gate = caught.value.diagnostics
    assert "migratoin: " in suite.message
    assert "serves nothing that matches backupz" in kind.message
    assert "did you mean backups?" == kind.fix
    assert "no gate 'Wide'" in gate.message
    assert {"plan.yaml"} == {one.position.file for one in caught.value.diagnostics}


def test_a_release_that_is_unknown_is_told_as_its_command_tells_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where, what, why and how to fix it; what it told before is left out."""
    said = "building\nharness: there is no k8s.io/api@v0.37.9\n  why: no such version\n  fix: check the number"
    asked: list[Any] = []

    def fail(words: Sequence[str], folder: str) -> tuple[int | None, bytes, str]:
        asked.append(words)
        return 2, b"", said

    monkeypatch.setattr(plancheck, "run_harness", fail)
    with pytest.raises(InputError) as caught:
        check(CampaignPlan((("--kubernetes", "1.37.9", "--branches", "--kind", "pods"),)), tmp_path)
    (one,) = caught.value.diagnostics
    assert ("no such version", "check the number") == (one.why, one.fix)
    assert "there is no k8s.io/api@v0.37.9" in one.message
    assert [("kinds", "--kubernetes", "1.37.9", "--json")] == asked


def test_a_worker_with_another_harness_is_told(tmp_path: Path) -> None:
    """It may know other kinds."""
    with pytest.raises(InputError, match=r"another build of the harness(.|\n)*fix: install the build"):
        check(CampaignPlan((("migration",),)), tmp_path, code="0")
