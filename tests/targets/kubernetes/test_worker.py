"""The unit tests of the worker's Go code, in the very module that the worker of a release is built from."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from harness.targets.kubernetes.build import OVERLAY, WORKER, go_environment, source_hash, write_sources
from harness.targets.kubernetes.release import KubernetesSource, find_release, find_toolchain

TESTS = sorted((WORKER / "common").glob("*_test.go"))


@pytest.mark.kubernetes
@pytest.mark.parametrize("release", ["1.37.1", pytest.param("1.36.3", marks=pytest.mark.older)])
def test_the_go_code_keeps_its_promises(release: str, tmp_path: Path) -> None:
    """Every Go test of the worker passes with the sources of the release, and the vetting that goes with it."""
    toolchain = write_sources(tmp_path, find_release(release), find_toolchain())
    for file in TESTS:
        shutil.copy(file, tmp_path)
    # As the worker is built: so what it is linked with is compiled once for both.
    command = [str(toolchain.go), "test", f"-overlay={OVERLAY}", "-ldflags=-s -w", "-count=1", "-v", "."]
    done = subprocess.run(command, cwd=tmp_path, env=go_environment(), capture_output=True, text=True, check=False)
    assert 0 == done.returncode, done.stdout + done.stderr
    declared = sum(file.read_text(encoding="utf-8").count("\nfunc Test") for file in TESTS)
    assert declared == done.stdout.count("\n--- PASS: Test") + done.stdout.startswith("--- PASS: Test")
    assert declared > 20


def test_tests_make_no_other_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither what the worker is known by nor what is compiled has anything of the tests in it; the rest counts."""
    copied = tmp_path / "worker"
    shutil.copytree(WORKER, copied)
    monkeypatch.setattr("harness.targets.kubernetes.build.WORKER", copied)
    before = source_hash(KubernetesSource("1.37.1"))
    (copied / "common" / "more_test.go").write_text("package main\n", encoding="utf-8")
    assert before == source_hash(KubernetesSource("1.37.1"))
    (copied / "common" / "more.go").write_text("package main\n", encoding="utf-8")
    assert before != source_hash(KubernetesSource("1.37.1"))
    assert TESTS
