"""`harness upgrade`: a dump in, the objects that change their verdict out, and no secret anywhere."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from harness.upgrade.document import Upgrade
from tests.cli.fakes import call
from tests.upgrade.fakes import FakeReleases, widget

WORDS = ("hunter2", "correct-horse", "battery-staple", "swordfish", "open-sesame")


@pytest.fixture
def releases(monkeypatch: pytest.MonkeyPatch) -> FakeReleases:
    """Two releases without a process."""
    return FakeReleases().install(monkeypatch)


def upgrade(capfd: pytest.CaptureFixture[str], *words: str) -> Any:
    """Run the command."""
    return call(capfd, "upgrade", "--from", "1.0.0", "--to", "1.1.0", *words)


def dump(folder: Path, *objects: dict[str, Any]) -> str:
    """A dump as kubectl writes it."""
    file = folder / "dump.yaml"
    file.write_text(yaml.safe_dump(json.loads(json.dumps({"apiVersion": "v1", "items": objects, "kind": "List"}))))
    return str(file)


def test_a_dump_is_judged(releases: FakeReleases, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The object is named on the screen, on the page and in the document."""
    file = dump(tmp_path, widget("even"), widget("odd", size=3))
    page, result = tmp_path / "page.html", tmp_path / "result.json"
    told = upgrade(capfd, "--objects", file, "--html", str(page), "--json", str(result))
    assert 1 == told.code, told.err
    assert told.out.startswith("1 object can no longer be updated under 1.1.0: 2 objects of 1 kind, 6 requests")
    document = msgspec.json.decode(result.read_bytes(), type=Upgrade)
    for text in (told.out, page.read_text(), document.groups[0].objects[0].name):
        assert "shop/odd" in text


def test_other_errors_may_pass(releases: FakeReleases, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What both reject is visible, and no change of a verdict."""
    file = dump(tmp_path, widget("a", spec={"color": "", "size": 3}))
    told = upgrade(capfd, "--objects", file, "--fail-on", "verdict")
    assert 1 == told.code  # its update is a change
    assert "requests that are rejected as before, with other errors" in told.out


def test_no_value_of_a_secret_reaches_anything(
    releases: FakeReleases, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """No request, no screen, no page and no document: it is replaced when it is read."""
    encoded = {word: base64.b64encode(word.encode()).decode() for word in WORDS}
    applied = {"kubectl.kubernetes.io/last-applied-configuration": json.dumps({"data": {"a": encoded["open-sesame"]}})}
    secret = {
        "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a-secret-name", "annotations": applied},
        "data": {"password": encoded["hunter2"]}, "stringData": {"user": "correct-horse"},
    }  # fmt: skip
    config = {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a-map-name"},
        "data": {"a": "battery-staple"}, "binaryData": {"b": encoded["swordfish"]},
    }  # fmt: skip
    page, result = tmp_path / "page.html", tmp_path / "result.json"
    told = upgrade(capfd, "--objects", dump(tmp_path, secret, config), "--html", str(page), "--json", str(result), "-v")
    assert "a-secret-name" in result.read_text()
    everything = [told.out, told.err, page.read_text(), result.read_text(), str(releases.asked)]
    for word in (*WORDS, *encoded.values()):
        assert not [text for text in everything if word in text]


def test_a_document_on_standard_output_stands_alone(
    releases: FakeReleases, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The screen goes to standard error."""
    told = upgrade(capfd, "--objects", dump(tmp_path, widget("a")), "--json", "-")
    assert (0, 1) == (told.code, json.loads(told.out)["objects"])
    assert "No object changes its verdict" in told.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "no objects are named"),
        (["--objects", "dump.yaml", "--json", "-", "--html", "-"], "cannot share standard output"),
        (["--objects", "missing.yaml"], "manifest-unreadable"),
        (["--objects", "dump.yaml", "--gates", "A"], "gates-syntax"),
    ],
)
def test_a_mistake_is_exit_code_2(
    words: list[str], message: str, releases: FakeReleases, capfd: pytest.CaptureFixture[str]
) -> None:
    """With what to do about it."""
    told = upgrade(capfd, *words)
    assert 2 == told.code
    assert message in told.err
