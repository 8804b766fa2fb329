"""Files that several processes share: one at a time, and only where nobody else can write."""

from __future__ import annotations

import multiprocessing
import os
from pathlib import Path

import pytest

from harness.files import is_private, locked, relative_to_cwd


def _hold(path: str, ready: str, go_on: str) -> None:
    with locked(Path(path)):
        Path(ready).touch()
        while not Path(go_on).exists():
            pass


def test_two_processes_do_not_do_the_same_at_once(tmp_path: Path) -> None:
    """The second waits, is told so, and goes on when the first is done."""
    lock, ready, go_on = (str(tmp_path / name) for name in ("lock", "ready", "go-on"))
    other = multiprocessing.get_context("spawn").Process(target=_hold, args=(lock, ready, go_on))
    other.start()
    while not Path(ready).exists():
        pass
    waited = []

    def wait() -> None:
        waited.append(True)
        Path(go_on).touch()

    with locked(Path(lock), wait):
        assert [True] == waited
    other.join(10)
    assert 0 == other.exitcode


@pytest.mark.parametrize(("mode", "expected"), [(0o700, True), (0o755, True), (0o775, False), (0o757, False)])
def test_what_others_can_write_is_not_private(mode: int, expected: bool, tmp_path: Path) -> None:
    """A group is others too."""
    tmp_path.chmod(mode)
    assert expected == is_private(tmp_path)
    assert not is_private(tmp_path / "none")
    assert not is_private(Path("a\0b"))


def test_what_others_own_is_not_private(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They could make it writable at any time. Root could do that with everything."""
    here = os.stat_result((0o40755, *tmp_path.stat()[1:4], 1234, *tmp_path.stat()[5:]))
    monkeypatch.setattr(Path, "stat", lambda path: here)
    assert not is_private(tmp_path)


def test_a_path_is_named_from_here_when_it_is_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A report names no folder of the machine that wrote it, unless the file lies elsewhere."""
    monkeypatch.chdir(tmp_path)
    assert "suites/a.yaml" == relative_to_cwd(tmp_path / "suites" / "a.yaml")
    assert "/elsewhere/a.yaml" == relative_to_cwd(Path("/elsewhere/a.yaml"))
