"""Groups findings by root cause, so that a report has one row for one mistake, across kinds, versions and paths.

1. Findings with one cause on one member of a Go type are a group, so a type that many kinds share (ObjectMeta,
   Condition, Toleration) counts once. Without types, findings with one cause and one rule are a group, and paths are
   compared by their last two fields.
2. One mistake can have findings with several causes. For example, an error at a wrong path is also an unmatched error
   at the right path. Such groups are merged if the error lists of their findings show that they are the same mistake.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product

from harness.compare.causes import CAUSES
from harness.compare.finding import Severity
from harness.errormatch.oldcauses import first_name
from harness.field import FieldError
from harness.jsonpath import ITEMS, canonical_path, parse, pattern_of, segments
from harness.report.escaping import compact
from harness.report.model.document import ReportedFinding
from harness.report.words import rank

MAX_LIST_ERRORS = 8
"""At most this many errors of each validator are compared to find a list with a wrong index, because lists are long."""

Rule = tuple[str, str, str]
"""The member of the type (or the path), the type of the error, and its origin."""

Key = tuple[str, ...]

TYPE_CAUSES = frozenset(cause.code for cause in CAUSES if cause.extent == "type")
"""Causes in the call of the validation of a whole type: the findings of all its members are one mistake."""
RULE_CAUSES = frozenset(cause.code for cause in CAUSES if cause.extent == "rule")
"""Causes that each rule of a member can have independently."""
TWO_SIDED_CAUSES = frozenset(cause.code for cause in CAUSES if cause.is_of_both_sides)
"""Causes with a finding for each validator: their two errors differ in the path, the type or the origin."""
LEADING_CAUSES = tuple(cause.code for cause in CAUSES if cause.leads)
"""Causes that a merged group is named after, whatever other causes it contains."""


@dataclass(frozen=True, slots=True)
class Group:
    """The findings of one mistake, worst first, then smallest. `id` does not change between runs, like a fingerprint.

    `location` is the type, with the member if there is only one; without types, the common end of the paths.
    """

    id: str
    cause: str
    location: str
    findings: tuple[ReportedFinding, ...]

    @property
    def size(self) -> int:
        """The number of findings."""
        return len(self.findings)

    @property
    def severity(self) -> Severity:
        """The worst severity in the group."""
        return min((f.severity for f in self.findings), key=rank)

    @property
    def first(self) -> ReportedFinding:
        """The finding that represents the group in reports."""
        return self.findings[0]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The names of the kinds with these findings."""
        return tuple(dict.fromkeys(f.name for f in self.findings))

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of the findings with the cause of the group, most frequent first."""
        found = Counter(
            (f.member if f.owner else tail(f.path), f.type, f.origin) for f in self.findings if f.cause == self.cause
        )
        return tuple(sorted(found, key=lambda rule: (-found[rule], rule)))

    @property
    def title(self) -> str:
        """The location, with the number of rules if there are several."""
        location = self.location or "(the object itself)"
        return location if len(self.rules) == 1 else f"{location}: {len(self.rules)} rules"

    def split(self) -> Iterator[Group]:
        """Yield subgroups with one cause, side and type each, because an exception cannot tolerate more."""
        found: dict[Key, list[ReportedFinding]] = {}
        for finding in self.findings:
            found.setdefault((finding.cause, finding.side, finding.owner), []).append(finding)
        for members in found.values():
            yield Group(self.id, members[0].cause, self.location, tuple(members))


def tail(path: str) -> str:
    """Return the last two fields of a path: `tolerations[*].key` of `spec.template.spec.tolerations[*].key`."""
    return ".".join(segments(path)[-2:])


def group(findings: Iterable[ReportedFinding]) -> list[Group]:
    """Group findings by root cause, worst severity first, larger groups first."""
    found: dict[Key, list[ReportedFinding]] = {}
    for finding in findings:
        found.setdefault(_key(finding), []).append(finding)
    roots = _find_merges(found)
    merged: dict[Key, list[ReportedFinding]] = {}
    for key, members in found.items():
        merged.setdefault(roots.get(key, key), []).extend(members)
    groups = [_group(key, members) for key, members in merged.items()]
    return sorted(groups, key=lambda g: (rank(g.severity), -len(g.findings), g.cause, g.location, g.id))


def find_by_id(findings: Sequence[ReportedFinding], name: str) -> list[ReportedFinding]:
    """Return the findings with an ID or its prefix: the ID of a group, or a fingerprint."""
    if found := find_group(findings, name):
        return list(found.findings)
    return [one for one in findings if name and one.fingerprint.startswith(name)]


def find_group(findings: Sequence[ReportedFinding], name: str) -> Group | None:
    """Return the group with an ID or its unique prefix; None if there is none.

    Open findings are searched first, then tolerated ones, then all, because reports group these separately.
    """
    if not re.fullmatch("g[0-9a-f]{3,8}", name):
        return None
    open_ = [one for one in findings if one.exception is None]
    tolerated = [one for one in findings if one.exception is not None]
    for subset in (open_, tolerated, findings):
        fits = [one for one in group(subset) if one.id.startswith(name)]
        if len(fits) == 1:
            return fits[0]
    return None


def _key(finding: ReportedFinding) -> Key:
    rule = (finding.type, finding.origin)
    if not finding.owner:
        return finding.cause, finding.side, "", finding.mismatch, *rule, tail(finding.path)
    if finding.cause in TYPE_CAUSES:
        return finding.cause, finding.side, finding.owner
    rule_key = rule if finding.cause in RULE_CAUSES else ()
    return finding.cause, finding.side, finding.owner, finding.member, *rule_key


# Merging groups


def _find_merges(found: Mapping[Key, Sequence[ReportedFinding]]) -> dict[Key, Key]:
    """Return the key of the merged group for each key whose group is merged with another."""
    parents: dict[Key, Key] = {}

    def root(key: Key) -> Key:
        while key in parents:
            key = parents[key]
        return key

    for one, other in _pairs_of_one_mistake(found):
        first, second = sorted((root(one), root(other)), key=_rank)
        if first != second:
            parents[second] = first
    return {key: root(key) for key in parents}


def _rank(key: Key) -> tuple[int, Key]:
    return LEADING_CAUSES.index(key[0]) if key[0] in LEADING_CAUSES else len(LEADING_CAUSES), (
        first_name(key[0]),
        *key[1:],
    )


def _pairs_of_one_mistake(found: Mapping[Key, Sequence[ReportedFinding]]) -> Iterator[tuple[Key, Key]]:
    """Yield pairs of keys whose groups show the same mistake."""
    keys_by_error: dict[tuple[str, ...], list[Key]] = {}
    wrong_paths: dict[tuple[str, ...], Key] = {}
    keys_by_path: dict[tuple[str, ...], Key] = {}
    limits: dict[tuple[str, ...], Key] = {}
    for key, members in found.items():
        for finding in members:
            if finding.cause in TWO_SIDED_CAUSES or finding.cause == "wrong-path":
                keys_by_error.setdefault(_error_of(finding), []).append(key)
            if finding.cause == "wrong-path":
                wrong_paths[_error_of(finding)] = key
            if finding.cause == "boundary":
                limits[_rule_of(finding)] = key
    for key, members in found.items():
        for finding in members:
            if finding.cause in TWO_SIDED_CAUSES and not finding.between:
                others = [_error_of(finding), *_partners(finding)]
                yield from ((key, other) for one in others for other in keys_by_error.get(one, ()) if other != key)
                for name in (*_moved_objects(finding), *_other_items(finding)):
                    yield key, keys_by_path.setdefault(name, key)
            if not finding.between and wrong_paths.get(_error_of(finding), key) != key:
                yield key, wrong_paths[_error_of(finding)]  # another cause of the same error
            if finding.cause == "wording" and _rule_of(finding) in limits:
                yield key, limits[_rule_of(finding)]  # the messages differ because they contain the limits
    for key, members in found.items():
        for finding in members:
            if finding.cause == "wording":  # a wrong index puts errors of two items at one path
                yield from ((key, keys_by_path[name]) for name in _lists_of(finding) if name in keys_by_path)


def _error_of(finding: ReportedFinding) -> tuple[str, ...]:
    """Return the identity of the error that a finding is about."""
    return finding.subject, finding.name, finding.operation, finding.side, finding.path, finding.type, finding.origin


def _rule_of(finding: ReportedFinding) -> tuple[str, ...]:
    """Return the identity of the rule that a finding is about, independent of kind and validator."""
    location = (finding.owner, finding.member) if finding.owner else (finding.name, finding.path)
    return finding.subject, *location, finding.type, finding.origin


def _partners(finding: ReportedFinding) -> Iterator[tuple[str, ...]]:
    """Yield the errors of the other validator that differ from the finding's error only as its cause states."""
    is_handwritten = finding.side == "handwritten"
    errors = finding.answer.declarative if is_handwritten else finding.answer.handwritten
    for error in errors:
        path = canonical_path(error.field)
        differences = _differences(finding, path, error)
        if differences == [finding.cause] or (not differences and finding.cause == "path"):  # another item of one list
            side = "declarative" if is_handwritten else "handwritten"
            yield finding.subject, finding.name, finding.operation, side, path, str(error.type), error.origin


def _moved_objects(finding: ReportedFinding) -> Iterator[tuple[str, ...]]:
    """Yield the two paths of an object that the validators report at different paths.

    All errors inside such an object are one mistake. The paths are those of the errors without their common end.
    """
    for *_, path, _, _ in _partners(finding) if finding.cause == "path" else ():
        own, other = segments(finding.path), segments(path)
        while own and other and own[-1] == other[-1]:
            own.pop(), other.pop()
        if own != other and len(own) < len(segments(finding.path)):
            yield finding.subject, finding.name, *sorted((".".join(own), ".".join(other)))


def _other_items(finding: ReportedFinding) -> Iterator[tuple[str, ...]]:
    """Yield the list of which the validators report different items. All errors of its items are one mistake then."""
    if finding.cause != "path":
        return
    lists = finding.answer.handwritten, finding.answer.declarative
    handwritten, declarative = (list(islice(_errors_of_any_item(finding, some), MAX_LIST_ERRORS)) for some in lists)
    for one, other in product(handwritten, declarative):
        steps = list(zip(parse(one.field), parse(other.field), strict=False))
        differing = [number for number, (step, other_step) in enumerate(steps) if step != other_step]
        if len(differing) == 1 and steps[differing[0]][0].is_subscript:
            yield finding.subject, finding.name, "items", *pattern_of(one.field)[: differing[0]]


def _errors_of_any_item(finding: ReportedFinding, errors: Iterable[FieldError]) -> Iterator[FieldError]:
    """Yield the errors that equal the error of a finding, except for the index of the item."""
    return (error for error in errors if not _differences(finding, canonical_path(error.field), error))


def _lists_of(finding: ReportedFinding) -> Iterator[tuple[str, ...]]:
    """Yield every list that the path of a finding leads through."""
    pattern = pattern_of(finding.path)
    for number, step in enumerate(pattern):
        if step == ITEMS:
            yield finding.subject, finding.name, "items", *pattern[:number]


def _differences(finding: ReportedFinding, path: str, error: FieldError) -> list[str]:
    """Return in which of `path`, `type` and `origin` an error differs from that of a finding."""
    pairs = {
        "path": (finding.path, path), "type": (finding.type, str(error.type)), "origin": (finding.origin, error.origin),
    }  # fmt: skip
    return [name for name, (one, other) in pairs.items() if one != other]


# Building a group


def _group(key: Key, members: Sequence[ReportedFinding]) -> Group:
    name = hashlib.sha256("\x1f".join((first_name(key[0]), *key[1:])).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    cause = key[0]
    with_cause = [one for one in members if one.cause == cause]
    return Group(
        f"g{name}", cause, _location_of(with_cause), tuple(sorted(members, key=lambda one: _order(one, cause)))
    )


def _location_of(members: Sequence[ReportedFinding]) -> str:
    first = members[0]
    if not first.owner:
        paths = {f.path for f in members}
        return paths.pop() if len(paths) == 1 else f"….{tail(first.path)}"
    owner, inside = first.owner.rpartition(".")[2], {f.member for f in members}
    return ".".join(part for part in (owner, *(inside if len(inside) == 1 else ())) if part)


def _order(finding: ReportedFinding, cause: str) -> tuple[int, bool, int, str]:
    """Return the key that sorts findings of a group: severity, then the cause of the group first, then size."""
    return rank(finding.severity), finding.cause != cause, _size(finding), finding.fingerprint


def _size(finding: ReportedFinding) -> int:
    return len(compact(finding.case.object)) + len(compact(finding.case.old))


def by_cause(groups: Sequence[Group]) -> dict[str, list[Group]]:
    """Return the groups of each cause, in the order of their worst groups."""
    found: dict[str, list[Group]] = {}
    for one in groups:
        found.setdefault(one.cause, []).append(one)
    return found
