"""What a target's files contain is part of what its units are."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.campaign.contents import content_digest


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a suite and a worker."""
    for name, text in {
        "suite/handwritten.py": "LIMIT = 5\n", "suite/types/types.go": "package v1\n", "worker.py": "pass\n",
    }.items():  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("suite", "--kind", "pods"), "suite/handwritten.py"),
        (("suite",), "suite/types/types.go"),
        (("suite",), "suite/more.py"),
        (("--command", "python3 worker.py --fast"), "worker.py"),
        (("--crd", "worker.py"), "worker.py"),
        (("--validator", "worker.py:validate"), "worker.py"),
    ],
)
def test_a_change_of_a_file_that_a_target_names_changes_the_digest(
    folder: Path, words: tuple[str, ...], name: str
) -> None:
    """In a folder at any depth, in a command, before the name of a function."""
    before = content_digest(words, folder)
    assert before == content_digest(words, folder)
    (folder / name).write_text("changed\n")
    assert before != content_digest(words, folder)


@pytest.mark.parametrize(
    "name",
    [
        "equivalence_exceptions.yaml", "README.md", "coverage.ratchet", ".git/HEAD", "__pycache__/a.pyc",
        "reports/report.html", "nightly/campaign-ledger.json", "nightly/units/1.json.gz", "out/report.json",
    ],
)  # fmt: skip
def test_what_no_unit_reads_changes_nothing(folder: Path, name: str) -> None:
    """What judges findings, and what commands write: ledgers and reports may stand beside the suite."""
    for marker in ("nightly/campaign-ledger.json", "out/report.json"):
        (folder / "suite" / marker).parent.mkdir()
        (folder / "suite" / marker).write_text("{}")
    before = content_digest(("suite",), folder)
    (folder / "suite" / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / "suite" / name).write_text("changed")
    assert before == content_digest(("suite",), folder)


def test_a_release_names_no_files(folder: Path) -> None:
    """Its number says what it contains, and a folder called like a kind is none of its files."""
    (folder / "pods").mkdir()
    (folder / "pods" / "notes.txt").write_text("changed")
    assert "" == content_digest(("--kubernetes", "1.37.1", "--kind", "pods"), folder)
    assert "" == content_digest(("--command", "echo 'not closed"), folder)
