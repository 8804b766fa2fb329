"""`harness campaign`: plan, run, status, resume and report, with the exit codes of a run."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.campaign.claim import claimed
from harness.campaign.corpora import read_corpus
from harness.campaign.ledger import CampaignLedger
from harness.report.model.reading import read_report
from tests.cli.fakes import call

ROOT = Path(__file__).parent.parent.parent
PLAN = "targets: [{suite: migration}]\nseeds: 2\ncases: 200\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the example migration and a plan for it."""
    shutil.copytree(ROOT / "examples" / "migration", tmp_path / "migration")
    (tmp_path / "plan.yaml").write_text(PLAN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def computed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ledger of the plan once it is computed; it is copied, since each run starts half a dozen processes."""
    folder = tmp_path_factory.mktemp("computed")
    shutil.copytree(ROOT / "examples" / "migration", folder / "migration")
    (folder / "plan.yaml").write_text(PLAN)
    words = ("campaign", "run", "plan.yaml", "--ledger", "ledger", "--workers", "1", "-q")
    done = subprocess.run([sys.executable, "-m", "harness", *words], cwd=folder, capture_output=True, check=False)
    assert 1 == done.returncode, done.stderr.decode()
    return folder / "ledger"


def test_a_campaign_from_the_plan_to_its_report(place: Path, capfd: Any) -> None:
    """A unit that is lost is told by every command, and computed by `resume` alone."""
    told = call(capfd, "campaign", "run", "plan.yaml", "--ledger", "ledger", "--workers", "1", "--report", "out", "-q")
    assert 1 == told.code
    assert "migration --gates default" in told.out
    assert "2 of 2 units" in told.err
    (folder,) = (place / "out").iterdir()
    report = read_report(folder / "report.json")
    assert report.findings
    assert f"out/{folder.name}/report.json" in report.findings[0].replay
    assert 0 == call(capfd, "campaign", "status", "ledger").code
    lost = min((place / "ledger" / "units").iterdir())
    lost.unlink()
    told = call(capfd, "campaign", "status", "ledger")
    assert 2 == told.code
    assert "2 units, 1 missing" in told.out
    told = call(capfd, "campaign", "report", "ledger", "-q")
    assert 2 == told.code
    assert "harness campaign resume" in told.err
    assert not lost.exists()
    assert 1 == call(capfd, "campaign", "resume", "ledger", "--workers", "1", "-q").code
    assert lost.exists()
    with claimed(CampaignLedger("ledger")):
        told = call(capfd, "campaign", "resume", "ledger", "--workers", "1", "-q")
    assert 2 == told.code
    assert "is being written by process" in told.err


def test_a_suite_that_changed_is_no_part_of_a_ledger(place: Path, computed: Path, capfd: Any) -> None:
    """Neither by its plan again nor by `resume`; a folder that is not the plan's is told with how to name it."""
    words = ("--ledger", "ledger", "--workers", "1", "-q")
    shutil.copytree(computed, place / "ledger")
    (place / "elsewhere").mkdir()
    told = call(capfd, "campaign", "resume", "ledger", "--workers", "1", "--folder", "elsewhere")
    assert 2 == told.code
    assert "migration" in told.err
    assert re.search(r"fix: .*add --folder DIR if paths of the plan are relative to another folder than", told.err)
    with (place / "migration" / "handwritten.py").open("a") as stream:
        stream.write("MORE = 1\n")
    for command in (("run", "plan.yaml", *words), ("resume", "ledger", "--workers", "1", "-q")):
        told = call(capfd, "campaign", *command)
        assert 2 == told.code
        assert "the files of migration are not those that" in told.err
        assert "begin another ledger" in told.err
    (place / "ledger" / "units").rename(place / "kept")
    for file in (place / "ledger" / "plans").iterdir():
        file.unlink()
    for verb in ("report", "status"):
        told = call(capfd, "campaign", verb, "ledger")
        assert 2 == told.code
        assert "has no plan" in told.err


def test_results_are_read_whatever_build_they_are_of(place: Path, computed: Path, capfd: Any) -> None:
    """After an upgrade of the harness no unit is added to a ledger, and it can be shown."""
    shutil.copytree(computed, place / "ledger")
    marker = place / "ledger" / "campaign-ledger.json"
    marker.write_text(marker.read_text().replace('"code":"', '"code":"0'))
    assert 0 == call(capfd, "campaign", "status", "ledger").code
    assert 1 == call(capfd, "campaign", "report", "ledger", "-q").code
    told = call(capfd, "campaign", "resume", "ledger", "--workers", "1", "-q")
    assert 2 == told.code
    assert "another build of the harness" in told.err


def test_what_is_wrong_is_told_before_anything_is_written(place: Path, capfd: Any) -> None:
    """The plan, the ledger, and a call that names nothing or two things."""
    (place / "wrong.yaml").write_text("targets: [{suites: x}]\ncases: none\n")
    told = call(capfd, "campaign", "run", "wrong.yaml", "--ledger", "ledger")
    assert 2 == told.code
    assert "did you mean suite?" in told.err
    assert "cases is 'none'" in told.err
    for words in (("run",), ("run", "plan.yaml", "--kubernetes", "1.37.1")):
        told = call(capfd, "campaign", *words, "--ledger", "ledger")
        assert 2 == told.code
        assert "by a plan or by --kubernetes" in told.err
    for name in ("status", "resume", "report"):
        told = call(capfd, "campaign", name, "ledger")
        assert 2 == told.code
        assert "is no ledger of campaigns" in told.err
    told = call(capfd, "campaign", "run", "--kubernetes", "1.37.1", "--gates", "A=maybe", "--ledger", "ledger")
    assert (2, True) == (told.code, "'A=maybe' is no setting of gates" in told.err)
    (place / "near.yaml").write_text("targets: [{suite: migration, kind: backupz}, {suite: migratoin}]\n")
    told = call(capfd, "campaign", "run", "near.yaml", "--ledger", "ledger", "--workers", "1")
    assert 2 == told.code
    assert "near.yaml: campaign-plan: migration --kind backupz: it serves nothing that matches backupz" in told.err
    assert "did you mean backups?" in told.err
    assert "near.yaml: campaign-plan: migratoin: " in told.err
    assert not (place / "ledger").exists()
    assert 2 == call(capfd, "campaign", "run", "nosuch.yaml", "--ledger", "ledger").code


def test_a_campaign_starts_from_the_corpus_of_another(place: Path, computed: Path, capfd: Any) -> None:
    """Its findings are those of the first, which `changes` says; the folder is not changed."""
    shutil.copytree(computed, place / "one")
    assert 2 == call(capfd, "campaign", "corpus", "one").code
    told = call(capfd, "campaign", "corpus", "one", "--output", "corpus", "--go", "go")
    assert 0 == told.code
    assert "3 cases of findings, " in told.out
    problems: list[str] = []
    reaching = read_corpus(place / "corpus", problems.append).reaching
    assert any(name.startswith("rule ") for kept in reaching.values() for one in kept.cases for name in one.reaches)
    assert not problems
    assert list((place / "go" / "testdata" / "fuzz").iterdir())
    before = sorted(place.glob("corpus/**/*"))
    shutil.copytree(place / "corpus", place / "own")
    told = call(
        capfd,
        "run",
        "migration",
        "--max-cases",
        "8",
        "--seed",
        "9",
        "--jobs",
        "1",
        "--corpus",
        "own",
        "--json",
        "own.json",
        "-q",
    )
    assert 1 == told.code
    merged = call(capfd, "campaign", "report", "one", "--report", "merged", "-q")
    assert 1 == merged.code
    (folder,) = (place / "merged").iterdir()
    known = {one.fingerprint for one in read_report(folder / "report.json").findings}
    assert known <= {one.fingerprint for one in read_report(place / "own.json").findings}, "each case is replayed first"
    told = call(
        capfd, "run", "migration", "--max-cases", "8", "--seed", "9", "--jobs", "1", "--json", "bare.json", "-q"
    )
    assert not known <= {one.fingerprint for one in read_report(place / "bare.json").findings}, (
        "without it they are not met"
    )
    words = ("campaign", "run", "plan.yaml", "--ledger", "two", "--workers", "1", "-q", "--corpus")
    assert "has no corpus" in call(capfd, *words, "go").err
    assert 1 == call(capfd, *words, "corpus").code
    assert before == sorted(place.glob("corpus/**/*"))
    told = call(capfd, "campaign", "changes", "one", "two")
    assert 0 == told.code
    assert "0 came, 0 went, 0 changed" in told.out


def test_what_is_new_since_another_campaign(place: Path, computed: Path, capfd: Any) -> None:
    """Also of another build; findings that came are 1, and what went is not told as gone while units are missing."""
    (place / "small.yaml").write_text("targets: [{suite: migration}]\nseeds: 1\ncases: 1\n")
    call(capfd, "campaign", "run", "small.yaml", "--ledger", "small", "--workers", "1", "-q")
    shutil.copytree(computed, place / "large")
    marker = place / "small" / "campaign-ledger.json"
    marker.write_text(marker.read_text().replace('"code":"', '"code":"0'))
    told = call(capfd, "campaign", "changes", "small", "large")
    assert 1 == told.code
    assert "\nmigration --gates default  " in told.out
    assert "  + " in told.out
    assert "0 came" not in told.out
    told = call(capfd, "campaign", "changes", "large", "small")
    assert 0 == told.code
    assert "  - " in told.out
    assert "0 came" in told.out
    told = call(capfd, "campaign", "site", "small", "large", "--output", "site")
    assert (0, "") == (told.code, told.err)
    assert "site/index.html" in told.out
    assert "2 campaigns" in told.out
    index = (place / "site" / "index.html").read_text()
    assert all(name in index for name in ("small", "large", " came", "migration"))
    next((place / "large" / "units").iterdir()).unlink()
    told = call(capfd, "campaign", "site", "large", "--output", "site")
    assert 2 == told.code
    assert "1 unit missing\n  fix: harness campaign resume large" in told.err
    (place / "file").write_text("")
    told = call(capfd, "campaign", "site", "large", "--output", "file/site")
    assert 2 == told.code
    assert "file/site cannot be written" in told.err
    told = call(capfd, "campaign", "changes", "large", "small")
    assert 2 == told.code
    assert "large misses units" in told.err
    assert "nosuch is no ledger" in call(capfd, "campaign", "changes", "small", "nosuch").err


def test_a_damaged_corpus_is_told_with_its_file(place: Path, computed: Path, capfd: Any) -> None:
    """What is computed again is named, and `resume` does it."""
    shutil.copytree(computed, place / "ledger")
    kept = min((place / "ledger" / "corpora").iterdir())
    for wrong in (b"", kept.read_bytes()[:-7], b"no gzip"):
        kept.write_bytes(wrong)
        told = call(capfd, "campaign", "corpus", "ledger", "--output", "corpus")
        assert 2 == told.code
        assert f"corpora/{kept.name} is damaged" in told.err
        assert f"remove it and units/{kept.name}" in told.err
    kept.unlink()
    told = call(capfd, "campaign", "corpus", "ledger", "--output", "corpus")
    assert 2 == told.code
    assert f"units/{kept.name}" in told.err
    (place / "ledger" / "units" / kept.name).unlink()
    assert 1 == call(capfd, "campaign", "resume", "ledger", "--workers", "1", "-q").code
    assert 0 == call(capfd, "campaign", "corpus", "ledger", "--output", "corpus").code
