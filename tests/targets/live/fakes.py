"""A server over HTTP that records what arrives, and answers what it is told to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

VERBS = ["create", "list", "update"]
SCALES = {"group": "autoscaling", "version": "v1"}
DISCOVERY: dict[str, Any] = {
    "/version": {"gitVersion": "v1.37.1-eks-1"},
    "/apis": {"groups": [{"name": "apps", "versions": [{"version": "v1"}]}]},
    "/api/v1": {"resources": [{"name": "nodes", "kind": "Node", "namespaced": False, "verbs": VERBS}]},
    "/apis/apps/v1": {
        "resources": [
            {"name": "deployments", "kind": "Deployment", "namespaced": True, "verbs": VERBS},
            {"name": "deployments/status", "kind": "Deployment", "namespaced": True, "verbs": ["update"]},
            {"name": "deployments/scale", "kind": "Scale", "namespaced": True, "verbs": ["update"], **SCALES},
        ]
    },
}
INVALID = {
    "reason": "Invalid", "message": "no",
    "details": {"causes": [{"reason": "FieldValueInvalid", "field": "a.b", "message": "Invalid value: 3: be even"}]},
}  # fmt: skip
Reply = tuple[int, Any]


class Recording(ThreadingHTTPServer):
    """A server that records what arrives, and answers what it is told to; None closes the connection.

    With a `refusal`, every read is answered with it.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.seen: list[tuple[str, str, bytes, str]] = []
        self.pages: dict[str, Any] = dict(DISCOVERY)
        self.write: Callable[[], Reply | None] = lambda: (201, {})
        self.refusal: Reply | None = None

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients leave."""


class Handler(BaseHTTPRequestHandler):
    """Records, and answers as it is told."""

    protocol_version = "HTTP/1.1"
    server: Recording

    def do_GET(self) -> None:
        """Answer a page, with JSON or with text; all with a refusal, if there is one."""
        known = self.path in self.server.pages
        self._answer(
            self.server.refusal or ((200, self.server.pages[self.path]) if known else (404, {"message": "no"}))
        )

    def do_POST(self) -> None:
        """Answer a request that writes."""
        self._answer(self.server.write())

    def do_PUT(self) -> None:
        """Answer an update."""
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


@contextmanager
def running() -> Iterator[Recording]:
    """Run one on a port of its own."""
    with Recording() as opened:
        threading.Thread(target=opened.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield opened
        opened.shutdown()
