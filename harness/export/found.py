"""Tabulates findings: one row for each, which fails until the handwritten and the declarative validators agree."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from harness.case import Json, KindInfo
from harness.compare.finding import Finding
from harness.diagnostics import UsageError
from harness.export.asker import Asker, most_stable
from harness.export.rows import Missing, Table, TableRow
from harness.fuzzers.pairs import Pair
from harness.objectmodel import SERVER_FILLED, metadata_of, with_metadata
from harness.subject import Subject


def tabulate_findings(subject: Subject, findings: Sequence[Finding], about: str) -> Table:
    """Ask the cases of findings of one kind again, as a Go test does: the validated objects, in every version.

    Raises: UsageError for findings of several kinds, or of one that the target does not serve.
    """
    for one, other in pairwise(findings):
        if (one.group, one.resource) != (other.group, other.resource):
            raise UsageError(
                f"{one.fingerprint} and {other.fingerprint} are of different kinds\n"
                "  fix: export them one after the other, because a test file has one kind"
            )
    doors = [_door(subject, finding) for finding in findings]
    asker = Asker(subject, most_stable(_main(subject, doors[0])), "given")
    rows: list[TableRow] = []
    missing: list[Missing] = []
    for finding, door in zip(findings, doors, strict=True):
        row = _row(asker, finding, door)
        if isinstance(row, TableRow):
            rows.append(row)
        else:
            missing.append(row)
    versions = tuple(dict.fromkeys(version for row in rows for version in row.answers))
    base = next((row.old if row.old is not None else row.new for row in rows), None)
    return Table(asker.info, versions, about, base, tuple(rows), tuple(missing))


def _door(subject: Subject, finding: Finding) -> KindInfo:
    key = finding.group, finding.version, finding.resource, finding.subresource
    found = next((info for info in subject.target.info.kinds if info.key == key), None)
    if found is None:
        raise UsageError(f"{subject.name} no longer serves the kind of {finding.fingerprint}: {'/'.join(key)}")
    return found


def _main(subject: Subject, door: KindInfo) -> list[KindInfo]:
    """Return the versions of a subresource's resource; its own versions when the two are of different kinds."""
    same = [
        info for info in subject.target.info.kinds
        if (info.group, info.resource, info.kind) == (door.group, door.resource, door.kind)
    ]  # fmt: skip
    return [info for info in same if not info.subresource] or same


def _row(asker: Asker, finding: Finding, door: KindInfo) -> TableRow | Missing:
    case = finding.case
    name = f"{finding.path or 'the object'}: {finding.cause}, {finding.fingerprint}"
    if case.options:
        return Missing(name, f"it shows only under the validation options {', '.join(case.options)}")
    [forms] = asker.given(door, case.operation, [(case.object, case.old)], case.mode)
    forms = {version: _without_server_metadata(pair, (case.object, case.old)) for version, pair in forms.items()}
    own = asker.info.version
    if own not in forms:
        return Missing(name, "the server does not validate it in the version in which objects are written down")
    doors = [one for one in asker.versions(door) if one.version in forms]
    wide = [
        msgspec.structs.replace(asker.case(one, case.operation, *forms[one.version]), served=True, versions=True)
        for one in doors
    ]
    answers = dict(zip((one.version for one in doors), asker.ask(wide), strict=True))
    failed = [one.failure.message for one in answers.values() if one.failure is not None]
    if failed:
        return Missing(name, "; ".join(failed))
    new, old = forms[own]
    info = msgspec.structs.replace(door, version=own, type=asker.info.type)
    return TableRow(name, info, case.operation, new, old, "", answers)


def _without_server_metadata(pair: Pair, asked: Pair) -> Pair:
    """Return a pair without the metadata that the server filled in; what the case itself sets stays."""
    return _without(pair[0], asked[0]), _without(pair[1], asked[1])


def _without(obj: Json, asked: Json) -> Json:
    held = metadata_of(obj)
    if held is None:
        return obj
    own = metadata_of(asked) or {}
    return with_metadata(obj, {name: held[name] for name in held if name not in SERVER_FILLED or name in own})
