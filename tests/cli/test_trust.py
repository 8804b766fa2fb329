"""Nobody's report runs a program: what it names is opened when this user wrote it, trusts it, or names a target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.cli.trust import is_own, remember
from harness.reporting.assembly import build_report
from harness.reporting.document import Reach, encode
from tests.cli.fakes import FakeEngine, Opened, call
from tests.reporting import made

FINDING = made.finding()


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test has a folder and a cache of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Opened:
    """A target without a process."""
    return Opened().install(monkeypatch)


def write(reach: Reach, name: str = "r.json") -> bytes:
    """Write a report as somebody else sends one."""
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
    ],
    ids=str,
)
@pytest.mark.parametrize("words", [["replay", "r.json"], ["export", "r.json", FINDING.fingerprint]], ids=" ".join)
def test_a_report_of_somebody_else_opens_nothing(words: list[str], reach: Reach, capfd: Any, opened: Opened) -> None:
    """The message says what would have run, and both ways out."""
    write(reach)
    told = call(capfd, *words)
    assert (2, []) == (told.code, opened.specs)
    assert "was not written by you on this machine, and would run what it names" in told.err
    assert "--trust" in told.err


def test_whoever_trusts_it_says_so(capfd: Any, opened: Opened) -> None:
    """Then it is opened as the report says."""
    write(Reach("command", "worker", {}))
    assert 1 == call(capfd, "replay", "r.json", "--trust").code
    assert ["worker"] == [spec.location for spec in opened.specs]


def test_a_named_target_is_asked_in_its_place(capfd: Any, opened: Opened) -> None:
    """A program, a release, or the folder of a suite; what the report names is not looked at."""
    write(Reach("command", "touch pwned", {}))
    Path("mine").mkdir()
    Path("mine/suite.py").write_text("SUITE = None")
    for named in (["--command", "x"], ["--kubernetes", "1.37.1"], ["mine"]):
        call(capfd, "replay", "r.json", *named)
    assert ["x", "1.37.1", "mine"] == [spec.location for spec in opened.specs]


def test_a_release_by_its_number_runs_nothing_of_the_report(capfd: Any, opened: Opened) -> None:
    """It is upstream's code, and the number is all that the report chose."""
    write(Reach("kubernetes", "1.37.1", {}))
    assert 1 == call(capfd, "replay", "r.json").code


def test_what_a_run_wrote_is_replayed_wherever_it_lies(
    capfd: Any, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under another name too, and what merges it; not when a byte of it is another."""
    FakeEngine([FINDING]).install(monkeypatch)
    call(capfd, "run", "--command", "x", "--json", "out/r.json")
    data = Path("out/r.json").read_bytes()
    Path("copy.json").write_bytes(data)
    assert 1 == call(capfd, "replay", "copy.json").code
    Path("other.json").write_bytes(data.replace(b'"location": "x"', b'"location": "y"'))
    assert data != Path("other.json").read_bytes()
    assert 2 == call(capfd, "replay", "other.json").code


def test_a_report_kept_by_a_run_is_replayed(capfd: Any, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command that the screen prints works as it is."""
    FakeEngine([FINDING]).install(monkeypatch)
    call(capfd, "run", "--command", "x")
    (kept,) = Path("cache/equivalence-harness/reports").iterdir()
    assert 1 == call(capfd, "replay", str(kept)).code


def test_a_render_of_somebody_elses_report_is_theirs(capfd: Any, opened: Opened) -> None:
    """Writing it again does not make it ours."""
    write(Reach("command", "x", {}))
    call(capfd, "render", "r.json", "--json", "again.json")
    assert 2 == call(capfd, "replay", "again.json").code


def test_a_cache_that_others_can_write_vouches_for_nothing(tmp_path: Path) -> None:
    """Somebody else could have put a report there."""
    remember(b"a")
    assert is_own(b"a")
    folder = tmp_path / "cache" / "equivalence-harness" / "written"
    folder.chmod(0o777)
    assert not is_own(b"a")
    remember(b"b")
    folder.chmod(0o700)
    assert (True, False) == (is_own(b"a"), is_own(b"b"))
