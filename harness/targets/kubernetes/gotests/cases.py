"""Makes requests of what the tests of a release give to its validators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from harness.case import Case, KindInfo, Operation
from harness.targets.kubernetes.gotests.testrun import GoTestRecord


def cases_of(record: GoTestRecord, kinds: Sequence[KindInfo]) -> Iterator[Case]:
    """Yield the requests through which a target can be asked for what a validator was given.

    An update is asked of the resource, and of each subresource whose name is in the name of the validator.
    """
    operation = Operation.CREATE if record.old is None else Operation.UPDATE
    function = record.function.rpartition(".")[2].lower()
    for kind in kinds:
        own = (kind.group, kind.version) == (record.group, record.version)
        other = kind.api_version == f"{record.group}/{record.version}"  # a scale, an eviction
        if record.left or kind.kind != record.kind or not (own or other) or operation not in kind.operations:
            continue
        if not kind.subresource or other or kind.subresource in function or operation is Operation.CREATE:
            yield kind.case(operation, record.object, record.old)


def count_objects(records: Iterable[GoTestRecord]) -> int:
    """Count what validators were given, whatever the number of versions that it was written in."""
    return len({(one.group, one.kind, one.function, str(one.object), str(one.old)) for one in records if not one.left})
