"""The program for CRDs is built as the worker of a release is, from its own source and what both share."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from harness.targets.crd.build import CRDS, WORKER
from harness.targets.kubernetes import build
from harness.targets.kubernetes.build import OVERLAY, VALIDATORS, go_environment, source_hash, write_sources
from harness.targets.kubernetes.release import KubernetesSource, Toolchain, find_release, find_toolchain
from tests.targets.kubernetes.places import LEVELS, checkout, fake_go

RELEASE = KubernetesSource("1.37.1")


def test_what_is_compiled(tmp_path: Path) -> None:
    """Its own files, the shared ones and the path of the generation; nothing that names a kind of the release."""
    release, folder = find_release(checkout(tmp_path / "k", LEVELS)), tmp_path / "out"
    folder.mkdir()
    write_sources(folder, release, Toolchain(fake_go(tmp_path / "bin", rest=""), "go1.26.8"), CRDS)
    names = {path.name for path in folder.iterdir()}
    assert {"main.go", "definitions.go", "wire.go", "loop.go", "levels_path.go", "go.mod"} <= names
    assert set() == names & {"discovery.go", "core.go", "generated.go", "levels.go", "explicit_path.go"}
    assert [] == [path for path in folder.glob("*.go") if "k8s.io/kubernetes/" in path.read_text()]


def test_no_file_of_one_hides_one_of_the_other() -> None:
    """The two programs share files, and none has a file of its own under the name of a shared one."""
    own = {path.name for path in WORKER.glob("*.go")}
    shared = {path.name for path in CRDS.parts("levels") if path.parent != WORKER}
    assert set() == own & shared
    assert shared <= {path.name for path in VALIDATORS.parts("levels")}


def test_the_two_are_different_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change of a shared file changes both, one of another file the other alone."""
    copied = tmp_path / "worker"
    shutil.copytree(build.WORKER, copied)
    monkeypatch.setattr(build, "WORKER", copied)
    before = source_hash(RELEASE), source_hash(RELEASE, CRDS)
    assert before[0] != before[1]
    (copied / "common" / "discovery.go").write_text("package main // changed\n")
    after = source_hash(RELEASE), source_hash(RELEASE, CRDS)
    assert (True, False) == (before[0] != after[0], before[1] != after[1])
    (copied / "common" / "wire.go").write_text("package main // changed\n")
    assert after[1] != source_hash(RELEASE, CRDS)


@pytest.mark.kubernetes
@pytest.mark.parametrize("release", ["1.37.1", pytest.param("1.36.3", marks=pytest.mark.older)])
def test_the_go_code_keeps_its_promises(release: str, tmp_path: Path) -> None:
    """Every Go test passes with the sources of each release, and the vetting that goes with it."""
    toolchain = write_sources(tmp_path, find_release(release), find_toolchain(), CRDS)
    [tests] = WORKER.glob("*_test.go")
    shutil.copy(tests, tmp_path)
    # As the worker is built: so what it is linked with is compiled once for both.
    command = [str(toolchain.go), "test", f"-overlay={OVERLAY}", "-ldflags=-s -w", "-count=1", "-v", "."]
    done = subprocess.run(command, cwd=tmp_path, env=go_environment(), capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stdout + done.stderr
    assert tests.read_text().count("\nfunc Test") == done.stdout.count("--- PASS: Test")
