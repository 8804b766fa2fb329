"""The target of a report is opened if this user wrote the report, trusts it, or names a target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.cli.trust import is_own, remember
from harness.report.formats.json import encode
from harness.report.model.assembly import build_report
from harness.report.model.document import Reach
from tests.cli.fakes import FakeEngine, Opened, call
from tests.report import made

FINDING = made.finding()


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder and a cache for each test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """A target without a process."""
    return Opened().install(monkeypatch)


def write(reach: Reach, name: str = "r.json") -> bytes:
    """Write a report of another user."""
    data = encode(build_report(made.result(FINDING), reaches={"widgets_v1": reach}))
    Path(name).write_bytes(data)
    return data


@pytest.mark.parametrize(
    "reach",
    [
        Reach("command", "touch pwned", {}),
        Reach("suite", "evil", {}),
        Reach("kubernetes", "/tmp/checkout", {}),
        Reach("kubernetes", "1.37.1", {}, against="/tmp/checkout"),
        Reach("suite", "evil", {}, against="good"),
        Reach("crd", "config/crd", {}, against="old", validator="http://169.254.169.254/"),
        Reach("crd", "config/crd", {}, against="old", release="/tmp/checkout"),
    ],
    ids=str,
)
@pytest.mark.parametrize("words", [["replay", "r.json"], ["export", "r.json", FINDING.fingerprint]], ids=" ".join)
def test_a_report_of_another_user_opens_no_target(words: list[str], reach: Reach, capfd: Any, opened: Opened) -> None:
    """The error names what would run, and --trust as a fix."""
    write(reach)
    told = call(capfd, *words)
    assert (2, []) == (told.code, opened.specs)
    assert f"was not written by you on this machine, and would run the {reach.kind} that it names" in told.err
    assert "--trust" in told.err


def test_trust_opens_the_target(capfd: Any, opened: Opened) -> None:
    """The target is the one that the report names."""
    write(Reach("command", "worker", {}))
    assert 1 == call(capfd, "replay", "r.json", "--trust").code
    assert ["worker"] == [spec.location for spec in opened.specs]


def test_a_named_target_replaces_that_of_the_report(capfd: Any, opened: Opened) -> None:
    """A program, a release, or the folder of a suite; the target of the report is not opened."""
    write(Reach("command", "touch pwned", {}))
    Path("mine").mkdir()
    Path("mine/suite.py").write_text("SUITE = None")
    for named in (["--command", "x"], ["--kubernetes", "1.37.1"], ["mine"]):
        call(capfd, "replay", "r.json", *named)
    assert ["x", "1.37.1", "mine"] == [spec.location for spec in opened.specs]


def test_a_release_number_needs_no_trust(capfd: Any, opened: Opened) -> None:
    """It names upstream's code, and not code of the author of the report."""
    write(Reach("kubernetes", "1.37.1", {}))
    assert 1 == call(capfd, "replay", "r.json").code


def test_a_copy_of_an_own_report_is_trusted(capfd: Any, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy with another name and a merged report are trusted; a report with a changed byte is not."""
    FakeEngine([FINDING]).install(monkeypatch)
    call(capfd, "run", "--command", "x", "--json", "out/r.json")
    data = Path("out/r.json").read_bytes()
    Path("copy.json").write_bytes(data)
    assert 1 == call(capfd, "replay", "copy.json").code
    Path("other.json").write_bytes(data.replace(b'"location": "x"', b'"location": "y"'))
    assert data != Path("other.json").read_bytes()
    assert 2 == call(capfd, "replay", "other.json").code


def test_the_cached_report_of_a_run_is_replayed(capfd: Any, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that the run prints works unchanged."""
    FakeEngine([FINDING]).install(monkeypatch)
    call(capfd, "run", "--command", "x")
    (kept,) = Path("cache/equivalence-harness/reports").iterdir()
    assert 1 == call(capfd, "replay", str(kept)).code


def test_a_rendered_report_of_another_user_is_not_trusted(capfd: Any, opened: Opened) -> None:
    """Writing it again as another file does not make it a report of this user."""
    write(Reach("command", "x", {}))
    call(capfd, "render", "r.json", "--json", "again.json")
    assert 2 == call(capfd, "replay", "again.json").code


def test_a_cache_that_others_can_write_is_not_trusted(tmp_path: Path) -> None:
    """Another user could have stored the hash of a report in it."""
    remember(b"a")
    assert is_own(b"a")
    folder = tmp_path / "cache" / "equivalence-harness" / "written"
    folder.chmod(0o777)
    assert not is_own(b"a")
    remember(b"b")
    folder.chmod(0o700)
    assert (True, False) == (is_own(b"a"), is_own(b"b"))
