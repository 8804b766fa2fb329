"""Reads audit logs: the creates, updates and patches that clients sent, updates with the object that they replaced.

A log of API servers has one event a line. An event of level RequestResponse has what was sent and what was answered;
the answer is what the next update of the same object replaces. Memory is bounded: of very many objects, those that
were answered longest ago are forgotten.
Source: k8s.io/apiserver pkg/apis/audit/v1/types.go, pkg/audit/request.go (2026-11).
"""

from __future__ import annotations

import zlib
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, BinaryIO, Final

import msgspec

from harness.case import Json, Operation
from harness.diagnostics import Diagnostic, InputError, Position
from harness.limits import check_bounds, lines_of
from harness.objectmodel import KIND, METADATA, REVISION, TYPE_META, metadata_of, with_metadata
from harness.stored.redaction import redact
from harness.stored.storedobject import Reading, RequestAddress, StoredObject

MAX_KNOWN: Final = 64 << 20
"""At most this many bytes of answers are remembered, compressed."""
_DONE: Final = "ResponseComplete"
_LEVEL: Final = "RequestResponse"
_INVALID: Final = 422
_STATUS: Final = "status"


class _Reference(msgspec.Struct, frozen=True, rename="camel"):
    """What a request is about."""

    resource: str = ""
    namespace: str = ""
    name: str = ""
    api_group: str = ""
    api_version: str = ""
    subresource: str = ""


class _Response(msgspec.Struct, frozen=True):
    code: int = 0


class _AuditEvent(msgspec.Struct, frozen=True, rename="camel"):
    """One event, of which only what is read is decoded."""

    kind: str = ""
    level: str = ""
    stage: str = ""
    verb: str = ""
    object_ref: _Reference | None = None
    response_status: _Response | None = None
    request_object: msgspec.Raw = msgspec.Raw()
    response_object: msgspec.Raw = msgspec.Raw()
    items: msgspec.Raw = msgspec.Raw()


_EVENT = msgspec.json.Decoder(_AuditEvent)
_EVENTS = msgspec.json.Decoder(list[_AuditEvent])


class AuditLog:
    """The requests of a log. What cannot be read, and what is left out, is told to `reading`."""

    def __init__(self, stream: BinaryIO, name: str, reading: Reading, most: int = MAX_KNOWN) -> None:
        self._stream, self._name, self._reading, self._most = stream, name, reading, most
        self._known: OrderedDict[tuple[str, ...], bytes] = OrderedDict()
        self._size = 0

    def __iter__(self) -> Iterator[StoredObject]:
        """Yield what was sent. Raises: InputError for a line that is too long, OSError."""
        for number, line in enumerate(lines_of(self._stream, self._name), 1):
            if not line.strip():
                continue
            position = Position(self._name, number)
            try:
                event = _EVENT.decode(line)
                for one in _EVENTS.decode(event.items) if event.kind == "EventList" else (event,):
                    yield from self._read(one, position)
            except InputError as error:
                for problem in error.diagnostics:
                    self._reading.fail(problem)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                words = "a damaged line" if line.endswith(b"\n") else "the file ends within a line"
                message = f"{words}: {str(error).partition(' - at')[0]}"
                self._fail(position, message, "the line is left out, the rest is read")

    def _fail(self, position: Position, message: str, why: str) -> None:
        fix = "copy the log again; a log that is being written ends within a line"
        self._reading.fail(Diagnostic(position, "audit-syntax", message, why, fix))

    def _read(self, event: _AuditEvent, position: Position) -> Iterator[StoredObject]:
        if event.kind != "Event":
            self._fail(position, f"this is no event: kind {event.kind!r}", "the line is left out, the rest is read")
            return
        about, code = event.object_ref, event.response_status.code if event.response_status is not None else 0
        if event.stage != _DONE or about is None or event.verb not in ("create", "update", "patch", "get", "delete"):
            return
        if event.level != _LEVEL:
            if event.verb in ("create", "update", "patch"):
                self._reading.leave_out(f"requests of level {event.level or 'unknown'}, which have no answer")
            return
        answer = self._object(event.response_object, position) if 200 <= code < 300 else None
        key = _key(about, answer)
        if event.verb in ("create", "update", "patch"):
            if not 200 <= code < 300 and code != _INVALID:
                self._reading.leave_out(f"requests that were answered with {code}, not by validation")
            else:
                yield from self._sent(event, about, answer, position)
        if event.verb == "delete":
            self._forget(key)
        elif answer is not None:
            self._remember(key, answer)

    def _sent(
        self, event: _AuditEvent, about: _Reference, answer: dict[str, Json] | None, position: Position
    ) -> Iterator[StoredObject]:
        """Yield a request, or its answer as it is stored if the log does not have what it replaced."""
        sent = answer if event.verb == "patch" else self._object(event.request_object, position)
        if sent is None:
            self._reading.leave_out("requests without an object in the log")
            return
        address = RequestAddress(about.api_group, about.api_version, about.resource, about.subresource)
        if about.namespace and not (metadata_of(sent) or {}).get("namespace"):
            sent = with_metadata(sent, {**(metadata_of(sent) or {}), "namespace": about.namespace})
        old = None
        if event.verb != "create":
            old = self._old(_key(about, answer), sent, is_patch=event.verb == "patch")
            if old is None:
                self._reading.leave_out(
                    "updates whose old object the log lacks; those with an answer are asked as stored"
                )
                if answer is not None and about.subresource in ("", _STATUS):
                    self._reading.objects += 1
                    yield StoredObject(redact(answer), str(position))
                return
            if event.verb == "patch":  # the answer has the revision that it made
                revision = (metadata_of(old) or {}).get(REVISION)
                sent = with_metadata(sent, {**(metadata_of(sent) or {}), REVISION: revision})
        operation = Operation.CREATE if event.verb == "create" else Operation.UPDATE
        self._reading.objects += 1
        yield StoredObject(
            redact(sent, old), str(position), redact(old) if old is not None else None, operation, address
        )

    def _object(self, raw: msgspec.Raw, position: Position) -> dict[str, Json] | None:
        """Return an object of an event, None for what is none, such as a Status."""
        if not bytes(raw):
            return None
        value: Any = msgspec.json.decode(raw)
        check_bounds(value, position.file, position.line)
        is_object = isinstance(value, dict) and all(isinstance(value.get(name), str) for name in TYPE_META)
        if not is_object or value[KIND] == "Status" or not isinstance(value.get(METADATA), dict):
            return None
        return dict(value)

    def _old(self, key: tuple[str, ...], sent: dict[str, Json], is_patch: bool) -> dict[str, Json] | None:
        """Return what an update replaces: the last answer, if it is of the revision and version that it names."""
        packed = self._known.get(key)
        if packed is None:
            return None
        old: dict[str, Json] = msgspec.json.decode(zlib.decompress(packed))
        if any(old[name] != sent[name] for name in TYPE_META):
            return None
        wanted = None if is_patch else (metadata_of(sent) or {}).get(REVISION)
        return old if wanted in (None, "", "0", (metadata_of(old) or {}).get(REVISION)) else None

    def _remember(self, key: tuple[str, ...], answer: dict[str, Json]) -> None:
        self._forget(key)
        packed = zlib.compress(msgspec.json.encode(answer), 1)
        self._known[key] = packed
        self._size += len(packed)
        while self._size > self._most and len(self._known) > 1:
            _, oldest = self._known.popitem(last=False)
            self._size -= len(oldest)

    def _forget(self, key: tuple[str, ...]) -> None:
        self._size -= len(self._known.pop(key, b""))


def _key(about: _Reference, answer: dict[str, Json] | None) -> tuple[str, ...]:
    """Return what identifies a stored object; its status is a part of it, a scale is an object of its own."""
    metadata = metadata_of(answer) or {}
    name = about.name or str(metadata.get("name", ""))
    subresource = "" if about.subresource == _STATUS else about.subresource
    return about.api_group, about.resource, subresource, about.namespace or str(metadata.get("namespace", "")), name
