"""Somebody's own server is asked by dry run and by nothing else, and whatever it does ends in a word about it."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from harness.case import Answer, Case, Operation
from harness.diagnostics import TargetError
from harness.targets.live.access import Access
from harness.targets.live.client import ServerTarget

DISCOVERY: dict[str, Any] = {
    "/version": {"gitVersion": "v1.37.1-eks-1"},
    "/apis": {"groups": [{"name": "apps", "versions": [{"version": "v1"}]}]},
    "/api/v1": {"resources": [{"name": "nodes", "kind": "Node", "namespaced": False}]},
    "/apis/apps/v1": {
        "resources": [
            {"name": "deployments", "kind": "Deployment", "namespaced": True},
            {"name": "deployments/scale", "kind": "Scale", "namespaced": True},
        ]
    },
}
INVALID = {
    "reason": "Invalid", "message": "no",
    "details": {"causes": [{"reason": "FieldValueInvalid", "field": "a.b", "message": "Invalid value: 3: be even"}]},
}  # fmt: skip
Reply = tuple[int, Any]


class Recording(ThreadingHTTPServer):
    """A server that records what arrives, and answers what it is told to; None closes the connection."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[tuple[str, str, bytes, str]] = []
        self.pages: dict[str, Any] = dict(DISCOVERY)
        self.write: Callable[[], Reply | None] = lambda: (201, {})

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients leave."""


class Handler(BaseHTTPRequestHandler):
    """Records, and answers as it is told."""

    protocol_version = "HTTP/1.1"
    server: Recording

    def do_GET(self) -> None:
        """Answer a page, with JSON or with text."""
        self._answer(
            (200, self.server.pages[self.path]) if self.path in self.server.pages else (404, {"message": "no"})
        )

    def do_POST(self) -> None:
        """Answer a request that writes."""
        self._answer(self.server.write())

    def _answer(self, reply: Reply | None) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.seen.append((self.command, self.path, body, self.headers.get("Authorization", "")))
        if reply is None:
            self.close_connection = True
            return
        code, page = reply
        data = page.encode() if isinstance(page, str) else json.dumps(page).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Retry-After", "0")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *words: Any) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[Recording]:
    """A server on a port of its own."""
    with Recording() as opened:
        threading.Thread(target=opened.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield opened
        opened.shutdown()


def connect(server: Recording, **more: Any) -> ServerTarget:
    """Connect to it."""
    access = Access(f"http://127.0.0.1:{server.server_port}", token="t")
    return ServerTarget(access, "1.37.1", rate=1e6, **more)


def case(resource: str = "deployments", group: str = "apps", subresource: str = "", old: Any = None) -> Case:
    """A create, or an update."""
    operation = Operation.CREATE if old is None else Operation.UPDATE
    named = {"metadata": {"name": "a", "namespace": "x/../y"}}
    return Case(7, group, "v1", "Deployment", operation, named, old, resource, subresource)


def ask(server: Recording, *cases: Case, **more: Any) -> list[Answer]:
    """Ask it."""
    with connect(server, **more) as target:
        return target.ask(cases or [case()])


def test_nothing_but_dry_runs_arrive(server: Recording) -> None:
    """Of any case: what does not read is a create with dryRun=All, in the namespace of the object, with the token."""
    cases = [case(), case("nodes", ""), case(old={}), case(subresource="scale"), case("pods", "")]
    answers = ask(server, *cases)
    writes = [(path, body) for method, path, body, _ in server.seen if method != "GET"]
    paths = ["/apis/apps/v1/namespaces/x%2F..%2Fy/deployments", "/api/v1/nodes"]
    assert paths == [urlsplit(path).path for path, _ in writes]
    assert [["All"]] * 2 == [parse_qs(urlsplit(path).query)["dryRun"] for path, _ in writes]
    assert [case().object] * 2 == [json.loads(body) for _, body in writes]
    assert {"Bearer t"} == {token for _, _, _, token in server.seen}
    assert {"GET", "POST"} == {method for method, _, _, _ in server.seen}
    assert [True, True, False, False, False] == [answer.failure is None for answer in answers]


@pytest.mark.parametrize("query", ["", "?dryRun=", "?dryrun=All", "?dryRun=All&dryRun=None", "?dryRun=all"])
def test_a_write_that_is_no_dry_run_is_not_sent(server: Recording, query: str) -> None:
    """Whoever writes such a request, it ends where requests are sent."""
    with connect(server) as target, pytest.raises(AssertionError, match="is no dry run"):
        target._send("POST", f"/api/v1/nodes{query}", b"{}")
    assert {"GET"} == {method for method, _, _, _ in server.seen}


def test_errors_and_statuses_are_read(server: Recording) -> None:
    """A list, acceptance, a taken name, another refusal, and a crash; metrics tell the gate, if they may be read."""
    said = [
        (422, INVALID),
        (201, {}),
        (409, {"reason": "AlreadyExists"}),
        (400, {"reason": "BadRequest", "message": "m"}),
    ]
    replies: Iterator[Reply | None] = iter([*said, None, None])
    server.write = lambda: next(replies)
    lists = [answer.served[0] for answer in ask(server, *[case()] * 5)]
    errors = [[(error.type, error.field, error.detail) for error in one.errors] for one in lists]
    assert [[("FieldValueInvalid", "a.b", "3: be even")], [], [], [], []] == errors
    assert ["", "", "", "400 BadRequest: m", "the connection is closed"] == [one.status for one in lists]
    assert {"beta-on"} == {one.setting for one in lists}
    server.pages["/metrics"] = 'kubernetes_feature_enabled{name="DeclarativeValidationBeta",stage="BETA"} 0\n'
    server.write = lambda: (201, {})
    assert ["beta-off"] == [answer.served[0].setting for answer in ask(server)]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ((200, "<html>Sign in</html>"), "it answers 200 with something else than JSON"),
        ((403, {"reason": "Forbidden", "message": "may not create"}), "it answers 403 Forbidden: may not create"),
        ((429, {"reason": "TooManyRequests", "message": "later"}), "it answers 429 TooManyRequests: later"),
        ((503, {"message": "down"}), "it answers 503 : down"),
        ((422, ["no"]), "it answers 422 with something else than an object"),
    ],
)
def test_what_is_not_validation_is_told(server: Recording, reply: Reply, words: str) -> None:
    """It is no list of errors: the case was not asked; 429 is asked again, three times in all."""
    server.write = lambda: reply
    failure = ask(server)[0].failure
    assert failure is not None
    assert words in failure.message
    assert (3 if reply[0] == 429 else 1) == sum(method == "POST" for method, _, _, _ in server.seen)


def test_a_server_that_stops_answering_is_given_up(server: Recording) -> None:
    """After a few requests without an answer, with the reason."""
    server.write = lambda: None
    with pytest.raises(TargetError, match="does not answer"):
        ask(server, *[case()] * 20)


def test_requests_keep_their_distance(server: Recording, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a rate of two in a second, each waits for half a second after the last one."""
    slept: list[float] = []
    monkeypatch.setattr("harness.targets.live.client.time.sleep", slept.append)
    with ServerTarget(Access(f"http://127.0.0.1:{server.server_port}"), "1.37.1", rate=2) as target:
        target.ask([case()] * 3)
    assert 0.3 < min(slept[1:]) <= max(slept) <= 0.5


@pytest.mark.parametrize(
    ("pages", "words"),
    [
        ({"/version": {"gitVersion": "v1.36.3"}}, "is v1.36.3"),
        ({"/version": {"gitVersion": "v1.37.10"}}, "is v1.37.10"),
        ({"/version": "<html>"}, "something else than JSON"),
        ({"/apis": "[]"}, "/apis answers 200"),
    ],
)
def test_another_server_is_refused(server: Recording, pages: dict[str, Any], words: str) -> None:
    """Another release, or something that is no API server."""
    server.pages |= pages
    with pytest.raises(TargetError, match=words) as error:
        connect(server)
    assert "fix:" in str(error.value)


def test_a_server_that_is_down_or_slow_is_an_error() -> None:
    """At once, and after the time that an answer may take."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        access = Access(f"http://127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(TargetError, match="cannot be reached"):
            ServerTarget(access, "1.37.1")
        taken.listen()
        with pytest.raises(TargetError, match=r"no answer for 0\.05 seconds"):
            ServerTarget(access, "1.37.1", timeout=0.05)
