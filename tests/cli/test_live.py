"""`harness live`: a server for people, which leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import ssl
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.targets.live.build import server_folder
from tests.cli.fakes import call


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "there.kubeconfig exists, and would be overwritten"),
        (["--write-kubeconfig", "no/folder/c"], "the folder of no/folder/c does not exist"),
        (["--write-kubeconfig", "c", "--kubernetes", "1.29.0"], "Kubernetes 1.29.0 is not supported"),
    ],
)
def test_what_cannot_be_started_is_an_error(
    words: list[str], message: str, capfd: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 2 with a fix, and a file of the user's is not touched."""
    monkeypatch.chdir(tmp_path)
    Path("there.kubeconfig").write_text("mine")
    told = call(capfd, "live", "--kubernetes", "1.37.1", "--write-kubeconfig", "there.kubeconfig", *words)
    assert 2 == told.code
    assert message in told.err
    assert "fix:" in told.err
    assert "mine" == Path("there.kubeconfig").read_text()


@pytest.mark.kubernetes
def test_it_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    """With the kubeconfig a client gets in, without its token nobody does; Ctrl-C is a success, and leaves nothing."""
    left = Path(tempfile.mkdtemp(dir="/tmp"))  # sockets have short paths, pytest's folders have long ones
    command = [
        sys.executable,
        "-m",
        "harness",
        "live",
        "--kubernetes",
        "1.37.1",
        "--gates",
        "AllAlpha=true,AllBeta=true",
    ]
    with subprocess.Popen(
        command, cwd=tmp_path, env={**os.environ, "TMPDIR": str(left)}, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().rpartition(" ")[2].strip()
        file = tmp_path / "live.kubeconfig"
        config = yaml.safe_load(file.read_text())
        assert (0o600, address) == (file.stat().st_mode & 0o777, config["clusters"][0]["cluster"]["server"])
        read = get(f"{address}/apis/resource.k8s.io/v1alpha3", config["users"][0]["user"]["token"])
        assert "APIResourceList" == read["kind"]
        with pytest.raises(urllib.error.HTTPError, match="401"):
            get(f"{address}/version", "another")
        process.send_signal(signal.SIGINT)
        assert 0 == process.wait(30)
    assert ([], []) == (list(tmp_path.rglob("*")), list(left.rglob("*")))
    left.rmdir()


def test_sockets_stand_in_a_folder_with_a_short_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long TMPDIR is no reason not to start."""
    long = tmp_path / ("a" * 60)
    long.mkdir()
    for place, parent in ((long, "/tmp"), (Path("/tmp"), "/tmp")):
        monkeypatch.setattr(tempfile, "tempdir", str(place))
        with server_folder() as folder:
            assert parent == str(Path(folder).parent)


def get(url: str, token: str) -> Any:
    """Get a document from a server."""
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request, context=ssl._create_unverified_context(), timeout=30) as response:
        return json.load(response)
