"""Custom resources judged in Python and by the API server's own code: a few hundred objects of each definition."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from harness.targets.kubernetes.build import go_environment
from harness.targets.kubernetes.release import find_toolchain
from tests.pyschemas.crd_conformance import compare, explain

CRDS = Path(__file__).parents[1] / "crds"


@pytest.mark.kubernetes
def test_both_say_the_same(tmp_path: Path) -> None:
    """Verdict, and type and path of each error, on creates and updates of Gateway API and of every library function."""
    command = [str(find_toolchain().go), "mod", "download", "-json", "sigs.k8s.io/gateway-api@v1.1.0"]
    done = subprocess.run(command, cwd=tmp_path, env=go_environment(), capture_output=True, text=True, check=True)
    gateway = f"{json.loads(done.stdout)['Dir']}/config/crd/standard/gateway.networking.k8s.io_"
    files = [str(CRDS / "after/backups.yaml"), str(CRDS / "library/samples.yaml"), f"{gateway}gateways.yaml"]
    asked, differences, seen = compare(files, 600)
    assert asked >= 600
    assert [] == [one for one in differences if not explain(one)]
    assert min(seen["accepted"], seen["rejected"], seen["updates"], seen["Duplicate"]) > 20
