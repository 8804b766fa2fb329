"""A kubeconfig is read as kubectl reads it; no program that it names runs unless somebody allows it."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.diagnostics import TargetError
from harness.targets.live.access import Access, read_kubeconfig

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"


def write(folder: Path, user: Any = None, cluster: Any = None, **more: Any) -> Path:
    """Write a kubeconfig with one context."""
    file = folder / "config"
    document = {
        "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": "https://a:6443/", **(cluster or {})}}],
        "users": [{"name": "u", "user": user or {}}], **more,
    }  # fmt: skip
    file.write_text(yaml.safe_dump(document))
    return file


def encoded(text: str) -> str:
    """A certificate as it is in the file."""
    return base64.b64encode(text.encode()).decode()


def test_tokens_and_certificates_are_read(tmp_path: Path) -> None:
    """In the file, or in files that it names beside itself."""
    (tmp_path / "token").write_text("secret\n")
    (tmp_path / "ca").write_text(CERTIFICATE)
    assert Access("https://a:6443", token="t") == read_kubeconfig(write(tmp_path, {"token": "t"}))
    found = read_kubeconfig(write(tmp_path, {"tokenFile": "token"}, {"certificate-authority": "ca"}), "here")
    assert Access("https://a:6443", CERTIFICATE, "secret") == found
    user = {"client-certificate-data": encoded(CERTIFICATE), "client-key-data": encoded("key")}
    found = read_kubeconfig(write(tmp_path, user, {"insecure-skip-tls-verify": True}))
    assert Access("https://a:6443", certificate=CERTIFICATE, key="key", insecure=True) == found


def test_a_program_runs_only_if_it_is_allowed(tmp_path: Path) -> None:
    """The error names it; allowed, it gives the token."""
    given = json.dumps({"status": {"token": "t"}})
    code = f"import pathlib; pathlib.Path({str(tmp_path / 'ran')!r}).touch(); print({given!r})"
    file = write(tmp_path, {"exec": {"command": sys.executable, "args": ["-c", code]}})
    with pytest.raises(TargetError, match="--allow-exec") as error:
        read_kubeconfig(file)
    assert sys.executable in str(error.value)
    assert not (tmp_path / "ran").exists()
    assert "t" == read_kubeconfig(file, allow_exec=True).token
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("text", ["", "print('no json')", "print('[]')", "raise SystemExit(3)"])
def test_a_program_without_credentials_is_an_error(text: str, tmp_path: Path) -> None:
    """Whatever it prints instead."""
    file = write(tmp_path, {"exec": {"command": sys.executable, "args": ["-c", text]}})
    with pytest.raises(TargetError, match="gave no credentials"):
        read_kubeconfig(file, allow_exec=True)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"current-context": "there"}, "has no context 'there'"),
        ({"clusters": []}, "has no cluster 'c'"),
        ({"users": None}, "has no user 'u'"),
        ({"clusters": 3}, "is no kubeconfig"),
        ({"user": {"username": "a", "password": "b"}}, "has username, password"),
        ({"user": {"tokenFile": "missing"}}, "tokenFile"),
        ({"user": {"client-certificate-data": "%%%"}}, "client-certificate of"),
        ({"cluster": {"server": "ftp://a"}}, "names no URL"),
        ({"cluster": {"proxy-url": "http://p"}}, "has proxy-url"),
    ],
)
def test_what_cannot_be_used_is_an_error(more: dict[str, Any], words: str, tmp_path: Path) -> None:
    """With what is wrong in which file."""
    with pytest.raises(TargetError) as error:
        read_kubeconfig(write(tmp_path, **more))
    assert words in str(error.value)
    assert "fix:" in str(error.value)


def test_a_file_that_is_none_is_an_error(tmp_path: Path) -> None:
    """Missing, or not YAML."""
    (tmp_path / "bad").write_text("a: [")
    for name in ("missing", "bad"):
        with pytest.raises(TargetError, match="cannot be read"):
            read_kubeconfig(tmp_path / name)


def test_a_certificate_that_is_none_is_an_error() -> None:
    """When the server is about to be asked."""
    for access in (Access("https://a", authority="no"), Access("https://a", certificate="no", key="no")):
        with pytest.raises(TargetError, match="a certificate for https://a cannot be used"):
            access.context()
