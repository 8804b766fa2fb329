"""Adds to a report which calls of handwritten code report an error at each field of a kind, reached or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from harness.case import KindInfo
from harness.report.model.code import FunctionEntry
from harness.report.model.fields import BlocksByPlace, FieldErrors, MissedCall
from harness.targets.kubernetes.errorpaths.follow import CallPlace, FollowedKind, follow_errors
from harness.targets.kubernetes.errorpaths.reporting import CallAtField, KindCalls


def field_entries(
    subject: str,
    location: str,
    kinds: Iterable[KindInfo],
    functions: Sequence[FunctionEntry],
    note: Callable[[str], None],
) -> Iterator[FieldErrors]:
    """Yield the fields of these kinds of a release or checkout, each kind once for all of its versions.

    Raises: TargetError if the sources cannot be read.
    """
    names: dict[str, str] = {}
    for info in kinds:
        names.setdefault(info.type, "/".join(filter(None, (info.group, info.kind))))
    blocks = BlocksByPlace(functions)
    seen = set[str]()
    types = [type_ for type_ in names if type_]
    for followed in follow_errors(location, types, note) if types else ():
        if followed.internal not in seen and not followed.problem:
            seen.add(followed.internal)
            yield from _fields_of(subject, names[followed.kind], followed, blocks)


def _fields_of(subject: str, kind: str, followed: FollowedKind, blocks: BlocksByPlace) -> Iterator[FieldErrors]:
    for found in KindCalls(followed, lambda site: was_reached(blocks, site)).fields():
        missed = tuple(sorted(_missed(one, blocks) for one in found.calls if not one.reached))
        yield FieldErrors(subject, kind, found.path, len(found.calls) - len(missed), missed, found.uncounted)


def was_reached(blocks: BlocksByPlace, site: CallPlace) -> bool | None:
    """Return whether a run reached a call; None if it has no counter."""
    found = blocks.at(site.file, (site.line, site.column))
    return None if found is None else found.block.reached


def _missed(call: CallAtField, blocks: BlocksByPlace) -> MissedCall:
    site = call.site
    found = blocks.at(site.file, (site.line, site.column))
    behind = next((one.text for one in call.missed if one != site), "")
    return MissedCall(site.file, site.line, found.function.name if found is not None else "", call.types, behind)
