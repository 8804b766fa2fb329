"""Opens somebody's own server beside a release or CRDs: what its users are answered today, and what they would be.

The server is asked by dry run: creates, and updates of what it stores. It is the server before, with whatever is
installed there; the one after is the release, or its API server with the CRDs of `crds`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, cast

from harness.case import Json, KindInfo, Operation
from harness.diagnostics import TargetError, UsageError
from harness.objectmodel import STATUS
from harness.subject.admission import NamedTarget
from harness.subject.spec import SubjectSpec
from harness.subject.subject import Lister, Note, Subject
from harness.subject.targetkind import TargetKind
from harness.subject.targetpair import TargetPair
from harness.subject.validating import open_validating
from harness.targets.live.address import ServerAddress
from harness.targets.target import Target

if TYPE_CHECKING:
    from harness.targets.live.client import ServerTarget


def _open(spec: SubjectSpec, note: Note) -> Subject:
    _check(spec)
    with ExitStack() as opened:
        server = open_own(spec, note)  # first, because it answers in a second, and a release may have to be built
        opened.callback(server.close)
        after, universe, literals = open_validating(spec, note)
        opened.callback(after.close)
        before = NamedTarget(cast(Target, server), server.info.name, _askable(server.info.kinds))
        release = after.info.release
        named = NamedTarget(after, release or after.info.name, _askable(after.info.kinds))
        pair = TargetPair(cast(Target, named), cast(Target, before))
        opened.pop_all()
    title, servers = f"{pair.servers.after} against {pair.servers.before}", pair.servers
    return Subject(
        spec, title, cast(Target, pair), universe, None, literals, comparison=servers, release=release,
        lists=_lister(server),
    )  # fmt: skip


def _lister(server: ServerTarget) -> Lister:
    """Return what lists a server's objects. It raises TargetError, also where a request gets no answer."""
    from harness.targets.live.requests import NoAnswer

    def list_objects(kind: KindInfo, show: Callable[[dict[str, Json]], dict[str, Json]]) -> Iterator[Json]:
        try:
            yield from server.list_objects(kind, show)
        except NoAnswer as error:
            raise TargetError(f"{kind.name} cannot be listed", error.why, "see whether it runs") from None

    return list_objects


def _askable(kinds: Iterable[KindInfo]) -> list[KindInfo]:
    """Return the kinds whose objects can be created, and their status; other parts need an object beside them."""
    created = {(kind.group, kind.version, kind.resource) for kind in kinds if Operation.CREATE in kind.operations}
    return [
        kind for kind in kinds
        if kind.subresource in ("", STATUS) and (kind.group, kind.version, kind.resource) in created
    ]  # fmt: skip


def open_own(spec: SubjectSpec, note: Note) -> ServerTarget:
    """Connect to the server of a specification. Raises: TargetError."""
    # Imported here: opening a suite must not load what only a connection needs.
    from harness.targets.live.client import ServerTarget

    return ServerTarget(ServerAddress.of(spec.location).access(spec.allow_exec), note=note)


def _check(spec: SubjectSpec) -> None:
    """Refuse what means nothing to a server. Raises: UsageError."""
    if spec.release is None and spec.crds is None:
        raise UsageError(
            "a server is compared with what a release or CRDs would answer, and none is named\n"
            "  fix: --kubernetes RELEASE, the release that it moves to, or --crd DIR"
        )
    if spec.against is not None or spec.handwritten is not None or spec.validator is not None:
        raise UsageError("a server is compared with one thing\n  fix: leave out what else is compared")
    if spec.declarative != "target" or spec.types or spec.gates or spec.mode != "served":
        raise UsageError(
            "a server has its own types and gates, and prepares objects itself\n"
            "  fix: leave --declarative, --types, --gates and --mode out"
        )


SERVER = TargetKind("server", _open, lambda spec: None, in_one_process=True, open_pair=_open)
