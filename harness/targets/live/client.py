"""Somebody's own API server as a target, asked by dry run and by nothing else.

It is asked what a create is answered. An update is not asked, because its old object would have to be stored there.
Requests are few each second. What a cluster has besides validation may answer too: admission plugins, webhooks,
policies, and limits of what the user may do; that is told and never taken for a list of errors.
"""

from __future__ import annotations

import http.client
import json
import re
import ssl
import time
from collections.abc import Sequence
from typing import Any, Final
from urllib.parse import parse_qs, quote, urlsplit

from harness.case import Answer, Case, Failure, KindInfo, Operation, ServedList, TargetInfo
from harness.diagnostics import TargetError
from harness.field import FieldError
from harness.field.error import type_text
from harness.objectmodel import METADATA
from harness.targets.live.access import Access
from harness.targets.target import Closing

RATE: Final = 20.0
"""At most this many requests in a second."""
TIMEOUT: Final = 10.0
"""Units: seconds."""
_MOST_BYTES: Final = 8 << 20
_DRY_RUN: Final = "dryRun=All&fieldValidation=Ignore"
_TRIES, _LONGEST_PAUSE = 3, 30.0
"""A server that answers 429 is asked again so often, after at most so many seconds."""
_MOST_FAILED = 5
"""After so many requests in a row without an answer the server is given up."""
_GATE = re.compile(r'^kubernetes_feature_enabled\{name="DeclarativeValidationBeta"[^}]*\} ([01])', re.M)
_CLOSED = (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError)
_REFUSED = (401, 403, 429, 500, 502, 503, 504)
"""What is answered by something else than validation: users without permission, limits, admission, proxies."""


class _NoAnswer(Exception):
    """A request got no answer: why. `closed`: the server closed the connection, as it does when a handler panics."""

    def __init__(self, why: str, closed: bool) -> None:
        super().__init__(why)
        self.why, self.closed = why, closed


class ServerTarget(Closing):
    """A server that is there. `release` is the one that it has to be of, such as `1.37.1`.

    Raises: TargetError if it cannot be asked, is of another release, or does not let the user in.
    """

    def __init__(self, access: Access, release: str, *, rate: float = RATE, timeout: float = TIMEOUT) -> None:
        self._access, self._timeout, self._pause = access, timeout, 1 / rate
        parts = urlsplit(access.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise TargetError(f"{access.url!r} is no URL of a server", fix="--server https://HOST:PORT")
        self._parts, self._base = parts, parts.path.rstrip("/")
        self._context = access.context() if parts.scheme == "https" else None
        self._connection: http.client.HTTPConnection | None = None
        self._last, self._failed, self._is_known = 0.0, 0, False
        try:
            self._check_version(release)
            self.setting = self._read_setting()
            kinds = tuple(self._discover())
        except BaseException:
            self.close()
            raise
        self.info = TargetInfo(f"the server at {parts.hostname}", release=release, abilities=("served",), kinds=kinds)
        self._kinds = {kind.key: kind for kind in kinds}
        self._is_known = True

    def close(self) -> None:
        """Close the connection. May be called twice."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Ask each case. Raises: TargetError when the server does not answer any more."""
        return [self._answer(case) for case in cases]

    def _answer(self, case: Case) -> Answer:
        kind = self._kinds.get((case.group, case.version, case.resource, case.subresource))
        if kind is None:
            return _not_asked(case, "the server does not serve this version")
        if case.operation != Operation.CREATE or case.subresource:
            return _not_asked(case, "an update, or a part of another object, would need that object to be stored there")
        metadata = case.object.get(METADATA) if isinstance(case.object, dict) else None
        space = metadata.get("namespace") if isinstance(metadata, dict) else None
        inside = f"/namespaces/{quote(space if isinstance(space, str) and space else 'default', safe='')}"
        path = f"{_prefix(kind.group, kind.version)}{inside if kind.namespaced else ''}/{kind.resource}"
        try:
            code, body = self._dry_run(path, json.dumps(case.object).encode())
        except _NoAnswer as error:
            if not error.closed:
                return _not_asked(case, error.why)
            return Answer(case.id, served=(ServedList(self.setting, {}, (), "the connection is closed"),))
        return _read(case, self.setting, code, body)

    def _dry_run(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Send the only request that may ask a server to store something, and asks it not to."""
        return self._send("POST", f"{path}?{_DRY_RUN}", body)

    def _send(self, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """Send a request at its time. Raises: _NoAnswer; TargetError after too many of them."""
        if method != "GET" and parse_qs(urlsplit(path).query).get("dryRun") != ["All"]:
            raise AssertionError(f"{method} {path} is no dry run")
        for number in range(1, _TRIES + 1):
            time.sleep(max(0.0, self._last + self._pause - time.monotonic()))
            self._last = time.monotonic()
            code, after, data = self._exchange(method, path, body)
            if code != http.client.TOO_MANY_REQUESTS or number == _TRIES:
                break
            time.sleep(min(_LONGEST_PAUSE, float(after) if after.isdigit() else number))
        return code, data

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
                data = response.read(_MOST_BYTES + 1)
                if len(data) > _MOST_BYTES:
                    raise http.client.HTTPException("the answer is too long")
                self._failed = 0
                return response.status, response.getheader("Retry-After", ""), data
            except (OSError, http.client.HTTPException) as error:
                self.close()
                if fresh or isinstance(error, TimeoutError | ssl.SSLError):
                    raise self._give_up(error) from None
        raise AssertionError

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._context is None:
            return http.client.HTTPConnection(host, port, timeout=self._timeout)
        return http.client.HTTPSConnection(host, port, timeout=self._timeout, context=self._context)

    def _give_up(self, error: Exception) -> Exception:
        """Return what a request without an answer raises: the first, and the last of many, end it all."""
        self._failed += 1
        why, fix = _explain(error, self._timeout)
        if self._failed >= _MOST_FAILED or not self._is_known:
            return TargetError(f"{self._access.url} does not answer", why, fix)
        return _NoAnswer(why, isinstance(error, _CLOSED))

    def _get(self, path: str) -> Any:
        """Get a document of JSON. Raises: TargetError."""
        code, data = self._send("GET", path)
        try:
            document = json.loads(data)
        except ValueError:
            document = None
        if code == http.client.OK and isinstance(document, dict):
            return document
        fix = {401: "name a kubeconfig with valid credentials", 403: "ask for permission to read discovery"}
        said = document.get("message") if isinstance(document, dict) else f"something else than JSON: {data[:80]!r}"
        raise TargetError(
            f"{self._access.url}{path} answers {code}", str(said), fix.get(code, "name the URL of an API server")
        )

    def _check_version(self, release: str) -> None:
        said = str(self._get("/version").get("gitVersion", ""))
        if re.match(rf"v{re.escape(release)}(?![0-9])", said) is None:
            why = f"the report is about {release}, and another release answers otherwise"
            raise TargetError(f"{self._access.url} is {said or 'of no version'}", why, "run the report's release there")

    def _read_setting(self) -> str:
        """Return the setting of the migration's gate, of which metrics tell; where they do not, it has its default."""
        code, data = self._send("GET", "/metrics")
        found = _GATE.search(data.decode(errors="replace")) if code == http.client.OK else None
        return "beta-off" if found is not None and found[1] == "0" else "beta-on"

    def _discover(self) -> list[KindInfo]:
        groups = [("", "v1")]
        for group in self._get("/apis").get("groups", ()):
            groups += [(group["name"], version["version"]) for version in group["versions"]]
        kinds = []
        for name, version in groups:
            for one in self._get(_prefix(name, version)).get("resources", ()):
                resource, _, subresource = one["name"].partition("/")
                group_version = f"{name}/{version}" if name else version
                kinds.append(
                    KindInfo(
                        name, version, one["kind"], resource, group_version, subresource, namespaced=one["namespaced"]
                    )
                )
        return kinds


def _prefix(group: str, version: str) -> str:
    return f"/apis/{group}/{version}" if group else f"/api/{version}"


def _not_asked(case: Case, why: str) -> Answer:
    return Answer(case.id, failure=Failure("prepare", why))


def _read(case: Case, setting: str, code: int, body: bytes) -> Answer:
    """Read a response: a list of errors, a status, or what has nothing to do with validation."""
    try:
        said = json.loads(body)
    except ValueError:
        return _not_asked(case, f"it answers {code} with something else than JSON: {body[:80]!r}")
    if not isinstance(said, dict):
        return _not_asked(case, f"it answers {code} with something else than an object")
    status = ""
    errors: tuple[FieldError, ...] = ()
    if code in _REFUSED:
        return _not_asked(case, f"it answers {code} {said.get('reason', '')}: {said.get('message', '')}")
    if code >= 300 and said.get("reason") == "Invalid":
        causes = (said.get("details") or {}).get("causes") or ()
        errors = tuple(_error(one) for one in causes if isinstance(one, dict))
    elif code >= 300 and said.get("reason") != "AlreadyExists":  # a server looks for the name after it has validated
        status = f"{code} {said.get('reason', '')}: {said.get('message', '')}"
    return Answer(case.id, served=(ServedList(setting, {}, errors, status),))


def _error(cause: dict[str, Any]) -> FieldError:
    reason, message = str(cause.get("reason", "")), str(cause.get("message", ""))
    return FieldError(reason, str(cause.get("field", "")), message.removeprefix(type_text(reason)).removeprefix(": "))


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
