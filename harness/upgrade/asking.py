"""Asks two releases the same requests about stored objects, and compares what each serves.

Several batches are in flight while objects are read, so that memory does not grow with their number.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

import msgspec

from harness.case import Answer, Case, KindInfo, Operation, TargetInfo
from harness.field import FieldError
from harness.objectmodel import STATUS, in_namespace, stored, unstored, with_annotation
from harness.stored.storedobject import RequestAddress, StoredObject
from harness.subject.targetpair import NO_GATES, ServedErrors, as_said, why_unasked
from harness.targets.target import Pending, Target

BATCH = 200
IN_FLIGHT = 3
"""Batches that are asked while more objects are read: one would let the releases wait for the reader."""

UPDATE, ANNOTATE, STATUS_UPDATE, CREATE = "update", "annotate", "status", "create"
SENT = {Operation.CREATE: "sent-create", Operation.UPDATE: "sent-update"}
"""The requests that clients sent, as an audit log has them."""
UPDATES = (UPDATE, ANNOTATE, STATUS_UPDATE)
"""The requests that show whether a stored object can still be updated: one that changes nothing, one that changes an
annotation, and one of the status that changes nothing."""


class Request(NamedTuple):
    """One request about an object, which has a number; `name` says which request."""

    number: int
    observed: StoredObject
    info: KindInfo
    name: str
    case: Case


class Verdicts(NamedTuple):
    """What both releases serve for a request. `failure` says that one of them could not be asked."""

    request: Request
    before: tuple[FieldError, ...]
    after: tuple[FieldError, ...]
    answers: tuple[Answer, Answer]
    failure: str = ""

    @property
    def differs(self) -> bool:
        """Whether users see another answer: another verdict, or other errors."""
        return sorted(error.text for error in self.before) != sorted(error.text for error in self.after)


class Kinds:
    """The kinds that two releases serve, by the apiVersion and kind of an object.

    `is_cluster`: the one before is a server, which serves what no release does too, such as CRDs.
    """

    def __init__(self, before: TargetInfo, after: TargetInfo, is_cluster: bool = False) -> None:
        self._is_cluster = is_cluster
        self._groups = {kind.group for kind in after.kinds}
        self._excluded = {(one.group, one.resource) for one in after.excluded}
        self._before, self._after = _by_type(before), _by_type(after)
        self._parts = [{kind.key: kind for kind in info.kinds if kind.served} for info in (before, after)]
        self._names = [info.release or info.name for info in (before, after)]

    def find(self, api_version: str, kind: str) -> KindInfo | None:
        """Return the kind that both serve, None if one of them does not."""
        key = api_version, kind
        return self._after.get(key) if key in self._before else None

    def is_removed(self, api_version: str, kind: str) -> bool:
        """Whether only the release before serves a version of a kind."""
        before = self._before.get((api_version, kind))
        if before is None or (api_version, kind) in self._after:
            return False
        is_known = before.group in self._groups and (before.group, before.resource) not in self._excluded
        return is_known or not self._is_cluster

    def others(self, api_version: str, kind: str) -> list[str]:
        """Return the other versions in which the release after serves a kind of the same group."""
        group = api_version.rpartition("/")[0]
        return [version for version, name in self._after if name == kind and version.rpartition("/")[0] == group]

    def why_unknown(self, api_version: str, kind: str) -> str:
        """Say why objects of a type are left out."""
        before, after = self._names
        if (api_version, kind) in self._after:
            return f"only {after} serves it"
        if (api_version, kind) in self._before:
            return f"only {before} serves it: of a CRD or an aggregated API, or it cannot be validated here"
        if others := self.others(api_version, kind):
            return f"neither release serves this version; {after} serves {', '.join(others)}"
        return f"neither {before} nor {after} serves it: of a CRD, an aggregated API, or behind a gate"

    def part(self, info: KindInfo, subresource: str) -> KindInfo | None:
        """Return a subresource that both serve."""
        return self.at(RequestAddress(info.group, info.version, info.resource, subresource))

    def at(self, address: RequestAddress) -> KindInfo | None:
        """Return what both serve at an address."""
        return self._parts[1].get(address) if address in self._parts[0] else None


def _by_type(info: TargetInfo) -> dict[tuple[str, str], KindInfo]:
    return {
        (kind.api_version, kind.kind): kind
        for kind in info.kinds
        if kind.served and kind.storage and not kind.subresource
    }


def requests_of(number: int, observed: StoredObject, info: KindInfo, kinds: Kinds) -> Iterator[Request]:
    """Yield the requests about an object as it is stored, or the one that it was sent with."""
    obj = in_namespace(observed.object) if info.namespaced else observed.object
    if observed.request is not None:
        old = stored(observed.old) if observed.old is not None else None
        if observed.request in info.operations:
            yield Request(number, observed, info, SENT[observed.request], info.case(observed.request, obj, old))
        return
    held = stored(obj)
    if Operation.UPDATE in info.operations:
        yield Request(number, observed, info, UPDATE, info.case(Operation.UPDATE, held, held))
        yield Request(number, observed, info, ANNOTATE, info.case(Operation.UPDATE, with_annotation(held), held))
        status = kinds.part(info, STATUS) if STATUS in obj else None
        if status is not None and Operation.UPDATE in status.operations and status.api_version == info.api_version:
            yield Request(number, observed, info, STATUS_UPDATE, status.case(Operation.UPDATE, held, held))
    if Operation.CREATE in info.operations:
        yield Request(number, observed, info, CREATE, info.case(Operation.CREATE, unstored(obj)))


@dataclass(slots=True)
class _AskedBatch:
    requests: list[Request]
    cases: list[Case]
    before: Pending
    after: Pending


@dataclass(slots=True)
class Releases:
    """The release of a cluster and the one that it moves to."""

    before: Target
    after: Target
    _served: tuple[ServedErrors, ServedErrors] = field(init=False)

    def __post_init__(self) -> None:
        self._served = ServedErrors(self.before.info, NO_GATES, False), ServedErrors(self.after.info, NO_GATES, False)

    def ask(self, requests: Iterable[Request]) -> Iterator[Verdicts]:
        """Yield the verdicts on each request, in order. A difference that a second answer does not confirm is none.

        Raises: TargetError.
        """
        rest, flying = iter(requests), deque[_AskedBatch]()
        while True:
            while len(flying) < IN_FLIGHT and (batch := list(islice(rest, BATCH))):
                flying.append(self._send(batch))
            if not flying:
                return
            yield from self._confirmed(self._collect(flying.popleft()))

    def _send(self, requests: list[Request]) -> _AskedBatch:
        cases = [msgspec.structs.replace(one.case, id=number) for number, one in enumerate(requests)]
        return _AskedBatch(requests, cases, self.before.submit(cases), self.after.submit(cases))

    def _collect(self, batch: _AskedBatch) -> list[Verdicts]:
        answers = zip(batch.before.result(), batch.after.result(), strict=True)
        return [
            self._judge(request, case, both)
            for request, case, both in zip(batch.requests, batch.cases, answers, strict=True)
        ]

    def _confirmed(self, found: list[Verdicts]) -> Sequence[Verdicts]:
        """Ask those that differ again: answers with the time of day may differ by a second."""
        differing = [number for number, one in enumerate(found) if one.differs or one.failure]
        if differing:
            again = self._collect(self._send([found[number].request for number in differing]))
            for number, one in zip(differing, again, strict=True):
                found[number] = one
        return found

    def _judge(self, request: Request, case: Case, answers: tuple[Answer, Answer]) -> Verdicts:
        failure = next((found for one in answers if (found := _why_not(one))), "")
        if failure:
            return Verdicts(request, (), (), answers, failure)
        if all(one.unreachable for one in answers):
            return Verdicts(request, (), (), answers)
        before, after = (side.served(case, one) for side, one in zip(self._served, answers, strict=True))
        if answers[0].served:
            after, before = as_said(after, before)
        return Verdicts(request, tuple(before), tuple(after), answers)


def _why_not(answer: Answer) -> str:
    """Return why a release gave no verdict: its process died or hung, it has more errors than are kept, or a running
    server answers something else.
    """
    if answer.failure is not None and answer.failure.stage in ("worker", "limit"):
        return f"{answer.failure.stage}: {answer.failure.message}"
    unasked = why_unasked(answer)
    return unasked.message if unasked is not None else ""
