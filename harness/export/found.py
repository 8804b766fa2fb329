"""The table of findings: rows on which the two sides differ, to fail until that is mended."""

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


def table_of(subject: Subject, findings: Sequence[Finding], about: str) -> Table:
    """Ask about findings of one kind as a test of the release does: what was validated, in every version.

    Raises: UsageError for findings of several kinds, or of one that the target does not serve.
    """
    for one, other in pairwise(findings):
        if (one.group, one.resource) != (other.group, other.resource):
            raise UsageError(
                f"{one.fingerprint} and {other.fingerprint} are about different kinds\n"
                "  fix: export them one after the other; a file of tests is about one kind"
            )
    doors = [_door(subject, finding) for finding in findings]
    asker = Asker(subject, most_stable(_main(subject, doors[0])), "given")
    rows: list[TableRow] = []
    missing: list[Missing] = []
    for finding, door in zip(findings, doors, strict=True):
        made = _row(asker, finding, door)
        if isinstance(made, TableRow):
            rows.append(made)
        else:
            missing.append(made)
    versions = tuple(dict.fromkeys(version for row in rows for version in row.answers))
    base = next((row.old if row.old is not None else row.new for row in rows), None)
    return Table(asker.info, versions, about, base, tuple(rows), tuple(missing))


def _door(subject: Subject, finding: Finding) -> KindInfo:
    key = finding.group, finding.version, finding.resource, finding.subresource
    found = next((info for info in subject.target.info.kinds if info.key == key), None)
    if found is None:
        raise UsageError(f"{subject.name} does not serve {finding.fingerprint}'s kind any more: {'/'.join(key)}")
    return found


def _main(subject: Subject, door: KindInfo) -> list[KindInfo]:
    """Return the versions of the resource a door belongs to, by its main door where it has one of the same kind."""
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
    forms = {version: _bared(pair, (case.object, case.old)) for version, pair in forms.items()}
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
    here: Json = old
    info = msgspec.structs.replace(door, version=own, type=asker.info.type)
    return TableRow(name, info, case.operation, new, here, "", answers)


def _bared(pair: Pair, asked: Pair) -> Pair:
    """Return a pair without the metadata that a server fills in, where the finding has none of its own."""
    return _without(pair[0], asked[0]), _without(pair[1], asked[1])


def _without(obj: Json, asked: Json) -> Json:
    held = metadata_of(obj)
    if held is None:
        return obj
    own = metadata_of(asked) or {}
    return with_metadata(obj, {name: held[name] for name in held if name not in SERVER_FILLED or name in own})
