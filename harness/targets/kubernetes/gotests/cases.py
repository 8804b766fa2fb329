"""Makes requests of what the tests of a release give to its validators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.case import Case, Json, KindInfo, Operation
from harness.objectmodel import STATUS, stored, without_status
from harness.targets.kubernetes.gotests.testrun import GoTestRecord


def cases_of(record: GoTestRecord, kinds: Sequence[KindInfo]) -> Iterator[Case]:
    """Yield the requests through which a target can be asked for what a validator was given.

    An update is asked of the resource and of each subresource, because their strategies share validators. An object
    with a status that came alone is also the update that writes this status.
    """
    api_version = f"{record.group}/{record.version}".lstrip("/")
    for kind in kinds:
        if record.left or (kind.kind, kind.api_version) != (record.kind, api_version):
            continue
        if record.old is not None:
            yield from _case(kind, Operation.UPDATE, stored(record.object), stored(record.old))
        else:
            yield from _case(kind, Operation.CREATE, record.object)
        if record.old is None and kind.subresource == STATUS and isinstance(record.object, dict):
            new = stored(record.object)
            yield from _case(kind, Operation.UPDATE, new, without_status(new)) if STATUS in new else ()


def _case(kind: KindInfo, operation: Operation, new: Json, old: Json = None) -> Iterator[Case]:
    if operation in kind.operations:
        yield kind.case(operation, new, old)
