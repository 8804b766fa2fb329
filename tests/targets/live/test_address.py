"""A server is named by a URL or by a context of a kubeconfig, and its name has no secret."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from harness.diagnostics import TargetError
from harness.targets.live.access import Access
from harness.targets.live.address import TOKEN, ServerAddress


@pytest.mark.parametrize(
    ("address", "text", "arguments"),
    [
        (ServerAddress("https://a:6443/x#y"), "https://a:6443/x#y", ["--server", "https://a:6443/x#y"]),
        (ServerAddress("k"), "k", ["--kubeconfig", "k"]),
        (ServerAddress("k", "c#d"), "k#c#d", ["--kubeconfig", "k", "--context", "c#d"]),
    ],
)
def test_an_address_is_read_as_it_is_written(address: ServerAddress, text: str, arguments: list[str]) -> None:
    """In a report, and on a command line."""
    assert text == str(address)
    assert address == ServerAddress.of(text)
    assert arguments == address.arguments


def test_the_token_for_a_url_is_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command line can be read by others."""
    monkeypatch.setenv(TOKEN, "t")
    assert Access("https://a", token="t") == ServerAddress("https://a").access()


def test_a_program_of_a_kubeconfig_needs_a_word(tmp_path: Path) -> None:
    """It is not run unless that is allowed."""
    user = {"exec": {"command": "sh", "args": ["-c", f"touch {tmp_path}/ran; exit 1"]}}
    document = {
        "current-context": "c", "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": "https://a"}}], "users": [{"name": "u", "user": user}],
    }  # fmt: skip
    file = tmp_path / "k"
    file.write_text(yaml.safe_dump(document))
    with pytest.raises(TargetError, match="--allow-exec"):
        ServerAddress(str(file)).access()
    assert not (tmp_path / "ran").exists()
    with pytest.raises(TargetError, match="gave no credentials"):
        ServerAddress(str(file)).access(allow_exec=True)
    assert (tmp_path / "ran").exists()
