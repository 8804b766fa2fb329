"""Writing what was found: in one step, or somewhere else, or not at all, but never half."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from harness.files import write_atomically
from harness.reporting.saving import save


def test_a_file_is_replaced_in_one_step(tmp_path: Path) -> None:
    """The new content stands there, folders are made, and nothing else is left behind."""
    path = tmp_path / "deep" / "report.json"
    write_atomically(path, b"old")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert [path] == list(path.parent.iterdir())


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """What a link points to is replaced, not the link."""
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_bytes(b"old")
    link.symlink_to(real)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which only Linux has")
def test_a_full_disk_moves_the_report_elsewhere() -> None:
    """What could not be written where it was wanted is in the temporary folder, and the trouble is named."""
    saved = save(Path("/dev/full"), b"found")
    assert "No space left on device" in saved.trouble
    assert saved.path is not None
    assert saved.path.read_bytes() == b"found"
    assert Path("/dev/full").is_char_device()


def test_an_old_file_survives_a_failed_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fills up in the middle damages nothing."""
    path = tmp_path / "report.json"
    path.write_bytes(b"old")

    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert [path] == list(tmp_path.iterdir())


def test_nowhere_to_write_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the temporary folder fails too, there is no path, and both troubles are named."""

    def full(prefix: str = "") -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "mkdtemp", full)
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    saved = save(blocked / "report.json", b"found")
    assert saved.path is None
    assert "nor could the temporary folder" in saved.trouble
