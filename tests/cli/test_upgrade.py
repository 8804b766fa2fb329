"""`harness upgrade`: a dump in, the objects that change their verdict out, and no secret anywhere."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from harness.targets.live.requests import ServerClient
from harness.upgrade.document import Upgrade
from tests.cli.fakes import call
from tests.targets.live.fakes import Recording, running
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


WIDGETS = {"name": "widgets", "kind": "Widget", "namespaced": True, "verbs": ["create", "list", "update"]}
PAGES: dict[str, Any] = {
    "/version": {"gitVersion": "v1.0.0"},
    "/apis": {"groups": [{"name": group, "versions": [{"version": "v1"}]} for group in ("example.io", "crd.io")]},
    "/api/v1": {"resources": []},
    "/apis/example.io/v1": {"resources": [WIDGETS, {**WIDGETS, "name": "widgets/status", "verbs": ["update"]}]},
    "/apis/crd.io/v1": {"resources": [WIDGETS]},
    "/apis/crd.io/v1/widgets?limit=50": {"items": []},
}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Recording]:
    """A server that stores two widgets, and is asked as fast as it answers."""
    monkeypatch.setattr(ServerClient, "_wait", lambda *_: None)
    stored = [
        {k: v for k, v in widget(*one).items() if k not in ("apiVersion", "kind")} for one in (("even",), ("odd",))
    ]
    stored[1]["spec"] = {"size": 3}
    with running() as opened:
        opened.pages = {**PAGES, "/apis/example.io/v1/widgets?limit=50": {"items": stored}}
        opened.write = lambda: (200, {})
        yield opened


def upgrade_server(capfd: pytest.CaptureFixture[str], server: Recording, *words: str) -> Any:
    """Check the objects of the server."""
    return call(capfd, "upgrade", "--server", f"http://127.0.0.1:{server.server_port}", "--to", "1.1.0", *words)


def test_the_objects_of_a_server_are_judged(
    releases: FakeReleases, server: Recording, capfd: pytest.CaptureFixture[str]
) -> None:
    """They are listed, and updated and created by dry run; nothing else is sent."""
    told = upgrade_server(capfd, server)
    assert 1 == told.code, told.err
    assert told.out.startswith("1 object can no longer be updated under 1.1.0: 2 objects of 1 kind, 6 requests")
    assert "shop/odd" in told.out
    assert "the server at 127.0.0.1 (1.0.0)" in told.out
    sent = {(method, path.partition("?")[2].partition("&")[0]) for method, path, _, _ in server.seen if method != "GET"}
    assert {("PUT", "dryRun=All"), ("POST", "dryRun=All")} == sent


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ((403, {"reason": "Forbidden", "message": 'User "u" cannot update resource'}), "cannot update resource"),
        ((404, {"reason": "NotFound", "message": "gone"}), "404 NotFound: gone"),
        ((429, {"reason": "TooManyRequests", "message": "later"}), "429 TooManyRequests: later"),
        ((200, "<html>"), "something else than JSON"),
    ],
)
def test_what_could_not_be_asked_makes_it_incomplete(
    releases: FakeReleases, server: Recording, capfd: pytest.CaptureFixture[str], reply: Any, words: str
) -> None:
    """It is left out with the reason, and no verdict."""
    server.write = lambda: reply
    told = upgrade_server(capfd, server)
    assert 2 == told.code
    assert words in " ".join(told.out.split())


def test_kinds_that_no_release_serves_are_left_out(
    releases: FakeReleases, server: Recording, capfd: pytest.CaptureFixture[str]
) -> None:
    """Objects of CRDs are not taken for removed ones; a kind that may not be listed is told."""
    item = {"metadata": {"name": "a", "namespace": "shop"}}
    server.pages["/apis/crd.io/v1/widgets?limit=50"] = {"items": [item]}
    del server.pages["/apis/example.io/v1/widgets?limit=50"]
    told = upgrade_server(capfd, server)
    assert 2 == told.code
    assert "example.io/v1 widgets cannot be listed" in told.err
    assert "serves it: of a CRD or an aggregated API" in " ".join(told.out.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--server", "https://a", "--from", "1.0.0"], "has its release and its objects"),
        (["--server", "https://a", "--objects", "x"], "has its release and its objects"),
        (["--objects", "x"], "--from RELEASE"),
        (["--from", "1.0.0"], "no objects are named"),
    ],
)
def test_the_release_before_is_named_once(words: list[str], said: str, capfd: pytest.CaptureFixture[str]) -> None:
    """By --from, or by a server."""
    told = call(capfd, "upgrade", "--to", "1.1.0", *words)
    assert 2 == told.code
    assert said in told.err
