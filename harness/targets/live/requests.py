"""Sends requests to somebody's own server: reads, and dry runs of everything else. This is the one place that writes.

Requests are few each second, answers are bounded in time and size, and a server that stops answering is given up.
"""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from harness.diagnostics import TargetError
from harness.targets.live.access import Access

RATE: Final = 20.0
"""At most this many requests in a second."""
TIMEOUT: Final = 10.0
"""Units: seconds."""
MOST_BYTES: Final = 32 << 20
"""The longest answer that is read: fifty objects of the size that etcd stores would have up to 75 MB, and few have."""
_DRY_RUN: Final = "dryRun=All&fieldValidation=Ignore"
_TRIES, _LONGEST_PAUSE = 3, 30.0
"""A server that answers 429 is asked again so often, after at most so many seconds."""
_MOST_FAILED = 5
"""After so many requests in a row without an answer the server is given up."""
_CLOSED = (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError)


class NoAnswer(Exception):
    """A request got no answer: why. `closed`: the server closed the connection, as it does when a handler panics."""

    def __init__(self, why: str, closed: bool) -> None:
        super().__init__(why)
        self.why, self.closed = why, closed


class WrongDocument(TargetError):
    """The server answers with something else than the document that was asked for."""


class ServerClient:
    """The connection to a server, which several threads may use. `is_known`: the server has answered as one does.

    Until then, and after many failures in a row, a request without an answer is a TargetError.
    Raises: TargetError if the URL is none, or a certificate cannot be used.
    """

    def __init__(self, access: Access, rate: float = RATE, timeout: float = TIMEOUT) -> None:
        self._access, self._timeout, self._pause = access, timeout, 1 / rate
        parts = urlsplit(access.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise TargetError(f"{access.url!r} is no URL of a server", fix="--server https://HOST:PORT")
        self.host = parts.hostname
        self._parts, self._base = parts, parts.path.rstrip("/")
        self._context = access.context() if parts.scheme == "https" else None
        self._connection: http.client.HTTPConnection | None = None
        self._last, self._failed, self.is_known = 0.0, 0, False
        self._lock, self._ended = threading.Lock(), threading.Event()

    @property
    def url(self) -> str:
        """The URL of the server."""
        return self._access.url

    def close(self) -> None:
        """Send nothing more, and close the connection. May be called twice."""
        self._ended.set()
        with self._lock:
            self._disconnect()

    def dry_run(self, method: str, path: str, body: Any) -> tuple[int, bytes]:
        """Send the only request that may ask a server to store something, and asks it not to."""
        return self.send(method, f"{path}?{_DRY_RUN}", json.dumps(body).encode())

    def send(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """Send a request at its time. Returns: the status and the body. Raises: NoAnswer, TargetError."""
        if method != "GET" and parse_qs(urlsplit(path).query).get("dryRun") != ["All"]:
            raise AssertionError(f"{method} {path} is no dry run")
        with self._lock:
            for number in range(1, _TRIES + 1):
                self._wait(self._last + self._pause - time.monotonic())
                self._last = time.monotonic()
                code, after, data = self._exchange(method, path, body)
                if code != http.client.TOO_MANY_REQUESTS or number == _TRIES:
                    break
                self._wait(min(_LONGEST_PAUSE, float(after) if after.isdecimal() else number))
            return code, data

    def get(self, path: str) -> dict[str, Any]:
        """Get a document of JSON. Raises: NoAnswer, WrongDocument, TargetError."""
        code, data = self.send("GET", path)
        try:
            document = json.loads(data)
        except (ValueError, RecursionError):
            document = None
        if code == http.client.OK and isinstance(document, dict):
            return document
        fix = {401: "name a kubeconfig with valid credentials", 403: "ask for permission to read it"}
        said = document.get("message") if isinstance(document, dict) else f"something else than JSON: {data[:80]!r}"
        raise WrongDocument(
            f"{self.url}{path} answers {code}", str(said), fix.get(code, "name the URL of an API server")
        )

    def _wait(self, seconds: float) -> None:
        if self._ended.wait(max(0.0, seconds)):
            raise TargetError(f"{self.url} is not asked any more")

    def _exchange(self, method: str, path: str, body: bytes | None) -> tuple[int, str, bytes]:
        """Exchange a request on the kept connection, and once more on a new one that was kept too long."""
        headers = {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": "harness"}
        if self._access.token:
            headers["Authorization"] = f"Bearer {self._access.token}"
        for fresh in (self._connection is None, True):
            if self._connection is None:
                self._connection = self._connect()
            try:
                self._connection.request(method, self._base + path, body, headers)
                response = self._connection.getresponse()
                data = response.read(MOST_BYTES + 1)
                if len(data) > MOST_BYTES:
                    raise http.client.HTTPException("the answer is too long")
                self._failed = 0
                return response.status, response.getheader("Retry-After", ""), data
            except (OSError, http.client.HTTPException) as error:
                self._disconnect()
                if fresh or isinstance(error, TimeoutError | ssl.SSLError):
                    raise self._give_up(error) from None
        raise AssertionError

    def _connect(self) -> http.client.HTTPConnection:
        if self._context is None:
            return http.client.HTTPConnection(self.host, self._parts.port, timeout=self._timeout)
        return http.client.HTTPSConnection(self.host, self._parts.port, timeout=self._timeout, context=self._context)

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _give_up(self, error: Exception) -> Exception:
        """Return what a request without an answer raises: the first, and the last of many, end it all."""
        self._failed += 1
        why, fix = _explain(error, self._timeout)
        if self._failed >= _MOST_FAILED or not self.is_known:
            return TargetError(f"{self.url} does not answer", why, fix)
        return NoAnswer(why, isinstance(error, _CLOSED))


def _explain(error: Exception, timeout: float) -> tuple[str, str]:
    """Return why a request got no answer, and what to do."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}", "see certificate-authority of the kubeconfig"
    if isinstance(error, ssl.SSLError):
        return f"no TLS connection: {error}", "see whether the certificate of the user has expired, and http or https"
    if isinstance(error, TimeoutError):
        return f"it gave no answer for {timeout:g} seconds", "see whether it is overloaded, and the network"
    if isinstance(error, _CLOSED):
        return "it closed the connection, as a server does that panics", "see its log"
    if isinstance(error, http.client.HTTPException):
        return f"it does not speak HTTP: {error}", "check the port"
    return f"it cannot be reached: {error}", "see whether it runs, and the host and the port"
