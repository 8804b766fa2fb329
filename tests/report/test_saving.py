"""Saving a report: completely, in the temporary folder, or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from harness.files import write_atomically
from harness.report.saving import save


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    """The file has the new content, missing folders are created, and no other file is left."""
    path = tmp_path / "deep" / "report.json"
    write_atomically(path, b"old")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert [path] == list(path.parent.iterdir())


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """The target of the link is replaced, not the link."""
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    link.symlink_to(real)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which only Linux has")
def test_a_full_disk_moves_the_report_elsewhere() -> None:
    """A file that cannot be written is in the temporary folder, and the error is returned."""
    saved = save(Path("/dev/full"), b"found")
    assert "No space left on device" in saved.error
    assert saved.path is not None
    assert saved.path.read_bytes() == b"found"
    assert Path("/dev/full").is_char_device()


def test_an_old_file_survives_a_failed_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that becomes full during the write does not damage the old file."""
    path = tmp_path / "report.json"
    path.write_bytes(b"old")

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert [path] == list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_anywhere_has_no_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the temporary folder fails too, there is no path, and both errors are returned."""

    def full(prefix: str = "") -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "mkdtemp", full)
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    saved = save(blocked / "report.json", b"found")
    assert saved.path is None
    assert "nor could the temporary folder" in saved.error


def test_a_file_with_a_long_name_is_saved_under_a_short_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is in the temporary folder, with the same suffix."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    saved = save(tmp_path / f"{'x' * 5000}.json", b"found")
    assert saved.path is not None
    assert ("report.json", b"found") == (saved.path.name, saved.path.read_bytes())
    assert "too long" in saved.error


def test_a_failed_write_leaves_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The temporary folder can be created on the full disk, but not the file."""

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(os, "fsync", full)
    saved = save(tmp_path / "report.json", b"found")
    assert saved.path is None
    assert [] == list(tmp_path.iterdir())
    assert "nor could a file in the temporary folder" in saved.error
