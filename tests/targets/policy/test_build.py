"""The program for policies is built from its own source and what it shares with the programs for CRDs and releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.diagnostics import TargetError
from harness.targets.crd.build import WORKER as CRD_WORKER
from harness.targets.kubernetes.build import source_hash, worker_for, write_sources
from harness.targets.kubernetes.release import KubernetesSource, Toolchain, find_release
from harness.targets.policy.build import POLICIES, WORKER
from tests.targets.kubernetes.places import LEVELS, checkout, fake_go

RELEASE = KubernetesSource("1.37.1")


def test_what_is_compiled(tmp_path: Path) -> None:
    """Its own files, the words of refusals, and the wire protocol; no validator of a release, and no CRD."""
    release, folder = find_release(checkout(tmp_path / "k", LEVELS)), tmp_path / "out"
    folder.mkdir()
    write_sources(folder, release, Toolchain(fake_go(tmp_path / "bin", rest=""), "go1.26.8"), POLICIES)
    names = {path.name for path in folder.iterdir()}
    assert {"main.go", "cluster.go", "policy.go", "answer.go", "reasons.go", "wire.go", "loop.go", "go.mod"} <= names
    assert set() == names & {"discovery.go", "generated.go", "definitions.go", "explicit_path.go"}


def test_no_file_hides_another() -> None:
    """None of its files has the name of a shared one."""
    parts = POLICIES.parts("levels")
    assert len(parts) == len({path.name for path in parts})
    assert set(WORKER.glob("*.go")) <= set(parts)
    assert CRD_WORKER / "reasons.go" in parts


@pytest.mark.parametrize("release", ["1.35.4", "1.33.13"])
def test_older_releases_are_refused(release: str) -> None:
    """Before 1.36 the evaluator of policies takes other arguments; whoever names such a release is told, without Go."""
    with pytest.raises(TargetError, match=rf"{release} is not supported here(.|\n)*name 1\.36 or a newer release"):
        worker_for(find_release(release), pytest.fail, POLICIES)


def test_a_worker_of_its_own() -> None:
    """It is cached apart from the other programs of a release, by the content of its files."""
    assert source_hash(RELEASE, POLICIES) != source_hash(RELEASE)
