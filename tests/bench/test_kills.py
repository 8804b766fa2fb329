"""A campaign whose processes are killed is computed to its end, and compared with one that nothing disturbed."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from bench import kills
from bench.record import Measured

ROOT = Path(__file__).parent.parent.parent


def test_the_report_of_a_campaign_with_deaths_is_that_of_one_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever dies is begun again; who died is counted."""
    shutil.copytree(ROOT / "examples" / "migration", tmp_path / "migration")
    plan = tmp_path / "plan.yaml"
    plan.write_text("targets: [{suite: migration}]\nseeds: 3\ncases: 300\n")
    monkeypatch.setattr(kills, "EVERY", 1.0)
    monkeypatch.setattr(kills, "MOST_DEATHS", len(kills.TURNS))
    monkeypatch.setattr(kills, "_LOOK", 0.2)
    words = (str(plan), "--folder", str(tmp_path))
    undisturbed, disturbed = kills.compare(tmp_path, words, 900, 1)
    assert (900, 900) == (undisturbed.count, disturbed.count)
    assert not deaths(undisturbed)
    assert {name.split()[-1] for name in deaths(disturbed)} <= {*kills.TURNS, "1", "2"}
    assert 1 <= sum(deaths(disturbed).values()) <= 3
    assert 0 == undisturbed.more["units kept twice"]
    assert int(undisturbed.more["processor seconds"]) > 0
    assert 0 < int(undisturbed.more["scheduler, MiB"]) < 500
    (merged,) = kills.merged(tmp_path / "disturbed")
    assert 3 == len(merged["findings"])


def deaths(line: Measured) -> dict[str, int]:
    """How often what died."""
    return {name: int(times) for name, times in line.more.items() if name.startswith("deaths: ")}


def test_a_ledger_whose_command_died_before_it_kept_the_plan_has_no_units(tmp_path: Path) -> None:
    """So that the campaign is begun once more, with its plan."""
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "0a1b.json.writing-12345678").write_text("{")
    assert (0, 0) == kills.progress(tmp_path) == kills.progress(tmp_path / "nowhere")


def test_a_campaign_that_cannot_begin_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that says why, and not after trying for ever."""
    monkeypatch.setattr(kills, "_LOOK", 0.1)
    monkeypatch.setattr(kills, "_MOST_STARTS", 1)
    with pytest.raises(SystemExit, match=r"the campaign does not begin: harness campaign run nowhere\.yaml"):
        kills.compute(tmp_path / "ledger", ("nowhere.yaml",), 1, random.Random(1))
