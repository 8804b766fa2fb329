"""A validating webhook as the handwritten side: asked over HTTP with an AdmissionReview, as the API server asks it.

Objects are sent as they are given, defaulted and prepared. A webhook that cannot be asked at all ends the run with a
message; one that fails on some objects gives these a failure, which is no verdict.
"""

from __future__ import annotations

import http.client
import json
import ssl
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from harness.case import Answer, Case, Failure, KindInfo, Operation, TargetInfo
from harness.diagnostics import TargetError
from harness.field import ErrorType, FieldError
from harness.field.read import read_body, read_errors
from harness.objectmodel import METADATA
from harness.targets.target import Closing, Pending

_API: Final = "admission.k8s.io/v1"
_REVIEW: Final = "AdmissionReview"
TIMEOUT: Final = 10.0
"""What the API server waits for a webhook that names no time. Units: seconds."""
_MOST_BYTES: Final = 3 << 20
"""The longest response that the API server reads. Units: bytes."""
_THREADS = 8
_MOST_FAILED = 20
"""After so many failures without an answer the webhook is given up."""


class _Unusable(Exception):
    """Why no answer can be had: what happened, why, and what to do."""

    def __init__(self, problem: str, why: str, fix: str) -> None:
        super().__init__(problem)
        self.problem, self.why, self.fix = problem, why, fix


class WebhookTarget(Closing):
    """The validators of a webhook. `kinds` tells the resource of each case; `ca` is a file of certificates.

    `trusted` are certificates as PEM instead.

    Raises: TargetError when the URL or the certificates cannot be used, and when the webhook cannot be asked.
    """

    def __init__(
        self,
        url: str,
        kinds: Sequence[KindInfo],
        ca: Path | None = None,
        timeout: float = TIMEOUT,
        trusted: str = "",
    ) -> None:
        parts = urlsplit(url)
        try:
            port = parts.port
        except ValueError:
            port = -1
        if parts.scheme not in ("http", "https") or not parts.hostname or port == -1:
            raise TargetError(f"{url!r} is no URL of a webhook", fix="--webhook https://HOST:PORT/PATH")
        self._url, self._host, self._port, self._timeout = url, parts.hostname, port, timeout
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._context = _context(ca, trusted) if parts.scheme == "https" else None
        self.info = TargetInfo("the webhook", kinds=tuple(kinds), abilities=("update",))
        self._local, self._pool = threading.local(), ThreadPoolExecutor(_THREADS, "webhook")
        self._connections: set[http.client.HTTPConnection] = set()
        self._lock, self._failed, self._answered = threading.Lock(), 0, 0

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer a batch and wait for it."""
        return self.submit(cases).result()

    def submit(self, cases: Sequence[Case]) -> Pending:
        """Send a batch, a few requests at a time."""
        return _WebhookBatch(self, [self._pool.submit(self._answer, case) for case in cases])

    def close(self) -> None:
        """End the threads and their connections. May be called twice."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        for connection in self._connections:
            connection.close()

    def _answer(self, case: Case) -> Answer:
        """Ask about one case. Raises: TargetError when it is no use to go on."""
        try:
            errors = self._errors(case)
        except _Unusable as error:
            with self._lock:
                self._failed += 1
                # A webhook that never answered, or does not any more, has nothing to say about objects.
                hopeless = self._failed >= _MOST_FAILED or not self._answered
            if hopeless:
                raise TargetError(f"{self._url}: {error.problem}", error.why, error.fix) from None
            return Answer(case.id, failure=Failure("handwritten", f"{self._url}: {error.problem}"))
        with self._lock:
            self._failed, self._answered = 0, self._answered + 1
        return Answer(case.id, handwritten=tuple(errors))

    def _errors(self, case: Case) -> list[FieldError]:
        uid = f"harness-{case.id}-{id(case)}"
        body = json.dumps({"apiVersion": _API, "kind": _REVIEW, "request": _request(case, uid)}).encode()
        status, kind, data = self._post(body)
        if status != http.client.OK:
            raise _Unusable(
                f"the webhook answered {status} {http.client.responses.get(status, '')}".rstrip(),
                f"a server takes that for a failure of the webhook; it said {_quoted(data)}",
                "look into its log, and at the path of the URL",
            )
        try:
            review = json.loads(data)
        except ValueError:
            raise _Unusable(
                f"the webhook answered something that is not JSON ({kind or 'without a content type'})",
                f"it begins with {_quoted(data)}",
                "name the path that ValidatingWebhookConfiguration names; a proxy may answer in its place",
            ) from None
        return _read(review, uid)

    def _post(self, body: bytes) -> tuple[int, str, bytes]:
        """Send one request on the connection of this thread, and once more on a new one that was kept too long."""
        for fresh in (False, True):
            kept: http.client.HTTPConnection | None = None if fresh else getattr(self._local, "connection", None)
            connection = kept or self._connection()
            try:
                connection.request("POST", self._path, body, {"Content-Type": "application/json"})
                response = connection.getresponse()
                data = response.read(_MOST_BYTES + 1)
                if len(data) > _MOST_BYTES:
                    self._drop(connection)
                    why = f"a server reads {_MOST_BYTES >> 20} MiB of an answer"
                    raise _Unusable("the webhook does not stop answering", why, "answer with {uid, allowed, status}")
                self._local.connection = connection
                return response.status, response.getheader("Content-Type", ""), data
            except (OSError, http.client.HTTPException) as error:
                self._drop(connection)
                if kept is None or isinstance(error, TimeoutError):
                    raise self._unreachable(error) from None
        raise AssertionError

    def _connection(self) -> http.client.HTTPConnection:
        """Return the connection of this thread anew."""
        connection = (
            http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
            if self._context is None
            else http.client.HTTPSConnection(self._host, self._port, timeout=self._timeout, context=self._context)
        )
        with self._lock:
            self._connections.add(connection)
        return connection

    def _drop(self, connection: http.client.HTTPConnection) -> None:
        """Close a connection that cannot be used again."""
        connection.close()
        self._local.connection = None
        with self._lock:
            self._connections.discard(connection)

    def _unreachable(self, error: Exception) -> _Unusable:
        if isinstance(error, ssl.SSLCertVerificationError):
            return _Unusable(
                "the certificate of the webhook is not trusted", error.verify_message,
                "name those that signed it with --ca FILE (caBundle); the host of the URL must be one of its names",
            )  # fmt: skip
        if isinstance(error, ssl.SSLError):
            return _Unusable("no TLS connection to the webhook", str(error), "check http or https, and its certificate")
        if isinstance(error, TimeoutError):
            return _Unusable(
                f"the webhook gave no answer for {self._timeout:g} seconds", "a server waits as long and then fails",
                "start it where it has the time that it needs, without what it waits for",
            )  # fmt: skip
        if isinstance(error, http.client.HTTPException):
            why = f"{type(error).__name__}: {error}"
            return _Unusable("the webhook does not speak HTTP", why, "check the port; a port of TLS wants https")
        return _Unusable("the webhook cannot be reached", str(error), "start it, and check the host and the port")


class _WebhookBatch:
    """A batch on its way. `seconds` counts nothing: others do the work."""

    seconds = 0.0

    def __init__(self, target: WebhookTarget, answers: Sequence[Future[Answer]]) -> None:
        self._target, self._answers = target, answers

    def wait(self, seconds: float) -> bool:
        return all(answer.done() for answer in self._answers)

    def result(self) -> list[Answer]:
        return [answer.result() for answer in self._answers]


def _context(ca: Path | None, trusted: str) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=None if ca is None else str(ca), cadata=trusted or None)
    except (OSError, ssl.SSLError, ValueError) as error:
        raise TargetError(
            f"{ca or 'caBundle'} has no certificates that can be used",
            str(error),
            "write them as PEM: BEGIN CERTIFICATE",
        ) from None


def _request(case: Case, uid: str) -> dict[str, Any]:
    kind = {"group": case.group, "version": case.version, "kind": case.kind}
    resource = {"group": case.group, "version": case.version, "resource": case.resource}
    meta = case.object.get(METADATA) if isinstance(case.object, dict) else None
    meta = meta if isinstance(meta, dict) else {}
    is_update = case.operation is Operation.UPDATE
    options = {"kind": "UpdateOptions" if is_update else "CreateOptions", "apiVersion": "meta.k8s.io/v1"}
    request = {
        "uid": uid, "kind": kind, "resource": resource, "requestKind": kind, "requestResource": resource,
        "name": meta.get("name", ""), "namespace": meta.get("namespace", ""), "operation": case.operation.upper(),
        "userInfo": {"username": "harness", "groups": ["system:masters", "system:authenticated"]},
        "object": case.object, "oldObject": case.old if is_update else None, "dryRun": True, "options": options,
    }  # fmt: skip
    if case.subresource:
        request |= {"subResource": case.subresource, "requestSubResource": case.subresource}
    return request


def _read(review: Any, uid: str) -> list[FieldError]:
    """Return the errors of a response. Raises: _Unusable for one that a server would not take."""
    said = (review.get("apiVersion"), review.get("kind")) if isinstance(review, dict) else ("", "")
    if said != (_API, _REVIEW):
        named = " ".join(str(one) for one in said if one) or "nothing that names itself"
        fix = "let it answer in the version that it was asked in, and list v1 in admissionReviewVersions"
        raise _Unusable(f"the webhook answered with {named}", f"it was asked with {_REVIEW} of {_API}", fix)
    response = review.get("response")
    if not isinstance(response, dict) or not isinstance(response.get("allowed"), bool):
        fix = "answer {uid, allowed} with the uid of the request"
        raise _Unusable("the response of the webhook says nothing", "it has no `response.allowed`", fix)
    if response.get("uid") != uid:
        why = f"it answers {response.get('uid')!r} and was asked {uid!r}, so the answer may be of another object"
        raise _Unusable("the response of the webhook has another uid", why, "copy request.uid to response.uid")
    if response["allowed"]:
        return []
    return _denied(response.get("status"))


def _denied(status: Any) -> list[FieldError]:
    """Read why an object is denied: the causes of a status, else its message."""
    status = status if isinstance(status, dict) else {}
    details = status.get("details")
    causes = details.get("causes") if isinstance(details, dict) else None
    found = [
        read_body(str(one.get("reason", "")), str(one.get("field", "")), str(one.get("message", "")))
        for one in causes or () if isinstance(one, dict)
    ]  # fmt: skip
    message = str(status.get("message") or status.get("reason") or "denied")
    return found or read_errors(message) or [FieldError(ErrorType.FORBIDDEN, "", message)]


def _quoted(data: bytes) -> str:
    return repr(data[:80].decode("utf-8", "replace")) + ("…" if len(data) > 80 else "")
