"""Reads the objects that a running server stores, by listing them, and shows them without secrets."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from harness.case import KindInfo, TargetInfo
from harness.diagnostics import Diagnostic, Position
from harness.objectmodel import name_of
from harness.stored.redaction import redact
from harness.stored.storedobject import Reading, StoredObject
from harness.targets.live.client import ServerTarget
from harness.targets.live.requests import NoAnswer, WrongDocument


def read_server(
    server: ServerTarget, after: TargetInfo, is_wanted: Callable[[KindInfo], bool], reading: Reading
) -> Iterator[StoredObject]:
    """Yield every object of the wanted kinds, each in a version that the release after serves too, if there is one.

    What the user may not list is a problem of the reading. Raises: TargetError when the server stops answering.
    """
    for kind in filter(is_wanted, _resources(server.info, after)):
        try:
            for one in server.list_objects(kind, redact):
                reading.objects += 1
                yield StoredObject(one, f"{kind.name} {'/'.join(part for part in name_of(one) if part)}")
        except (WrongDocument, NoAnswer) as error:
            position, fix = Position(server.info.name), "ask for permission to list them, or leave them out with --kind"
            reading.fail(Diagnostic(position, "server-unlisted", f"{kind.name} cannot be listed: {error.why}", fix=fix))


def _resources(info: TargetInfo, after: TargetInfo) -> list[KindInfo]:
    """Return each resource once: a server stores an object once, and serves it in several versions.

    One that nobody can write, such as ComponentStatus, has nothing to ask.
    """
    common = {kind.key for kind in after.kinds if kind.served}
    chosen: dict[tuple[str, str], KindInfo] = {}
    for kind in info.kinds:
        if kind.storage and kind.operations and not kind.subresource:
            known = chosen.setdefault((kind.group, kind.resource), kind)
            if known.key not in common and kind.key in common:
                chosen[kind.group, kind.resource] = kind
    return list(chosen.values())
