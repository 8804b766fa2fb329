"""`harness corpus --from-tests`: what the tests of a release give to validators becomes a corpus for a run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from harness.case import Answer, Case, Json, KindInfo, TargetInfo
from harness.cli import corpus
from harness.diagnostics import TargetError
from harness.fuzzers.corpus import load
from harness.subject import Subject, SubjectSpec
from harness.targets.kubernetes.gotests.testrun import GoTestRecord, RecordedPackage
from tests.cli.fakes import FakeTarget, call

KIND = KindInfo("apps", "v1", "Widget", "widgets", "apps/v1")


def given(number: int, size: int, function: str = "ValidateWidget") -> GoTestRecord:
    """A record of a widget."""
    return GoTestRecord(f"x.{function}", "apps", "v1", "Widget", {"spec": {"size": size}}, given=number)


PACKAGE = RecordedPackage(
    "pkg/apis/apps/validation",
    ("ValidateWidget", "validateText", "ValidateNever"),
    (given(1, 1), given(2, 2), given(3, 3), GoTestRecord("x.validateText", left="no kind has it")),
)


class CountingTarget(FakeTarget):
    """Reaches one block for odd sizes, and tells it once."""

    def __init__(self) -> None:
        super().__init__(TargetInfo("kubernetes", kinds=(KIND,)))
        self.is_told = False

    def answer(self, case: Case) -> Answer:
        """Answer with the block."""
        is_new = bool(case.blocks) and case.object["spec"]["size"] % 2 == 1 and not self.is_told
        self.is_told |= is_new
        return Answer(case.id, blocks=(1,) if is_new else ())


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[SubjectSpec]:
    """Commands run in an empty folder; the subjects that they open."""
    monkeypatch.chdir(tmp_path)
    opened: list[SubjectSpec] = []

    def open_counting(spec: SubjectSpec, note: Any = None) -> Subject:
        opened.append(spec)
        return Subject(spec, "kubernetes", CountingTarget(), None, None)

    monkeypatch.setattr(corpus, "open_subject", open_counting)
    monkeypatch.setattr(corpus, "run_go_tests", lambda *_: [PACKAGE])
    return opened


def make(capfd: Any, *words: str) -> Any:
    """Make a corpus."""
    return call(capfd, "corpus", "--from-tests", "--kubernetes", "1.37.1", "--output", "seeds", *words)


def sizes() -> list[Json]:
    """The sizes of the objects that were kept."""
    return sorted(case.object["spec"]["size"] for case in load(Path("seeds"), print))


def test_cases_that_reach_code_alone_are_kept(capfd: Any, asked: list[SubjectSpec]) -> None:
    """Under each setting of the gates that a run has; the command tells what was left out and why."""
    told = make(capfd)
    assert (0, [1]) == (told.code, sizes())
    assert "seeds: 1 case of 3, of 3 objects that tests of 1 package give to 1 validator" in told.out
    assert "1 of 3 validators, 3 objects (left out: validateText: no kind has it)" in told.err
    assert [{}, {"AllAlpha": True, "AllBeta": True}] == [spec.gates for spec in asked if spec.counts_blocks]


def test_all_cases_are_kept_if_wanted(capfd: Any, asked: list[SubjectSpec]) -> None:
    """Then no worker with counters is built."""
    assert (0, [1, 2, 3]) == (make(capfd, "--whole").code, sizes())
    assert not any(spec.counts_blocks for spec in asked)


def test_all_cases_are_kept_if_code_cannot_be_counted(capfd: Any, monkeypatch: pytest.MonkeyPatch, asked: Any) -> None:
    """With the reason."""

    def refuse(spec: SubjectSpec, note: Any = None) -> Subject:
        if spec.counts_blocks:
            raise TargetError("no counters", why="an old Go")
        return Subject(spec, "kubernetes", CountingTarget(), None, None)

    monkeypatch.setattr(corpus, "open_subject", refuse)
    told = make(capfd)
    assert (0, [1, 2, 3]) == (told.code, sizes())
    assert "every case is kept, because code cannot be counted: no counters" in told.err


def test_without_objects_nothing_is_written(capfd: Any, monkeypatch: pytest.MonkeyPatch, asked: Any) -> None:
    """An empty corpus would look like one that helps."""
    empty = RecordedPackage(PACKAGE.folder, PACKAGE.validators, problem="stopped after 1 s")
    monkeypatch.setattr(corpus, "run_go_tests", lambda *_: [empty])
    told = make(capfd, "--max-time", "1")
    assert 2 == told.code
    assert "stopped after 1 s" in told.err
    assert "no test gave an object to a validator" in told.err
    assert not Path("seeds").exists()


def test_a_folder_that_cannot_be_written_is_told(capfd: Any, asked: Any) -> None:
    """With what to do."""
    Path("seeds").write_text("a file")
    told = make(capfd)
    assert 2 == told.code
    assert "seeds" in told.err
    assert "Traceback" not in told.err


def test_what_is_written_is_read_by_a_run(capfd: Any, asked: Any) -> None:
    """As a case of the kind, without what only thinning needs."""
    make(capfd)
    (case,) = load(Path("seeds"), print)
    assert (KIND.key, "") == ((case.group, case.version, case.resource, case.subresource), case.blocks)
    assert msgspec.json.encode(case)


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for go is a shell script")
def test_a_signal_stops_go_and_what_it_started(tmp_path: Path) -> None:
    """Tests of a release take minutes; a job that is cancelled leaves none behind."""
    go, top, started = tmp_path / "bin" / "go", tmp_path / "top", tmp_path / "started"
    for file, text in {
        go: f'#!/bin/sh\n[ "$1" = env ] && echo go1.99.0 && exit\nsleep 600 &\necho $! > {started}.new\n'
        f"mv {started}.new {started}\nwait\n",
        top / "go.mod": "module k8s.io/kubernetes\n\ngo 1.26.0\n",
        top / "pkg/controlplane/import_known_versions.go": 'import _ "k8s.io/kubernetes/pkg/apis/apps/install"\n',
        top / "pkg/apis/apps/install/install.go": "package install\n",
        top / "pkg/apis/apps/validation/validation_test.go": "package validation\n",
    }.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    go.chmod(0o755)
    command = [sys.executable, "-m", "harness", "corpus", "--from-tests", "--kubernetes", str(top), "--output", "seeds"]
    environment = os.environ | {"PATH": f"{go.parent}:{os.environ['PATH']}"}
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE)
    wait_until(started.is_file)
    process.terminate()
    _, err = process.communicate(timeout=30)
    assert 130 == process.returncode, err
    wait_until(lambda: not is_running(int(started.read_text())))


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait until something holds, half a minute at most."""
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    """Whether a process is there and did not end; one that ended may wait for somebody to ask how."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.is_file() or state.read_text().rpartition(")")[2].split()[0] != "Z"
