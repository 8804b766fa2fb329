"""One row for one mistake: findings that have one root are told together, whatever kinds, versions and places show it.

A group is one cause on one member of a Go type. Types that many kinds share (ObjectMeta, Condition, Toleration) are
one place each. Two findings of one mistake may have two causes: an error at a path that the type does not have is met
as that path, as an error that the other side lacks, and as the one that the other side has instead. Such groups become
one, where the answers show that they belong together. Where types are not known, a group is one cause and one rule, and
paths are compared by their last two fields.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product

from harness.compare.finding import SEVERITIES, Severity
from harness.errormatch.oldcauses import first_name
from harness.field import FieldError
from harness.jsonpath import ITEMS, canonical_path, parse, pattern_of, segments
from harness.reporting.document import ReportedFinding
from harness.reporting.text import compact

SEVERITY_MEANING: dict[str, str] = {
    "verdict": "accepted under one gate setting and rejected under another, today",
    "graduation": "the verdict changes once the migration is finished",
    "visible": "rejected everywhere, with different errors",
    "shadow": "only the mismatch metric shows it",
    "unreachable": "only by calling validators directly",
}

_FEW = 8
"""Errors of each side among which it is looked for the list that an index is wrong of: a list may have thousands."""

Rule = tuple[str, str, str]
"""What is reported: the member of the type (or the path), the type of the error, its origin."""

Key = tuple[str, ...]

OF_A_TYPE = frozenset({"ratcheting", "masked"})
"""Causes that lie in how the validation of a whole type is called: its members are one mistake."""
OF_A_RULE = frozenset({
    "boundary", "conditional", "gate", "new-rule", "no-rule", "no-counterpart", "origin", "rule-removed", "type",
    "unmarked",
})  # fmt: skip
"""Causes of which each rule of a member may have its own."""
OF_BOTH_SIDES = frozenset({"path", "type", "origin"})
"""Causes that each side shows by an error of its own: the two errors differ in the path, the type or the origin."""
ROOTS = ("wrong-path", "boundary")
"""Causes that a group is called by, whatever else it holds."""


@dataclass(frozen=True, slots=True)
class Group:
    """Findings of one mistake, worst first, then smallest. `id` names the group for good, as a fingerprint does.

    `place` is the type, with the member when it is only one; without types the common end of the paths.
    """

    id: str
    cause: str
    place: str
    findings: tuple[ReportedFinding, ...]

    @property
    def size(self) -> int:
        """How many findings it has."""
        return len(self.findings)

    @property
    def severity(self) -> Severity:
        """The worst severity in the group."""
        return min((f.severity for f in self.findings), key=SEVERITIES.index)

    @property
    def first(self) -> ReportedFinding:
        """The finding that stands for the group."""
        return self.findings[0]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds it shows on."""
        return tuple(dict.fromkeys(f.name for f in self.findings))

    @property
    def rules(self) -> tuple[Rule, ...]:
        """What is reported, most frequent first; of findings with several causes what has the cause of the group."""
        found = Counter(
            (f.member if f.owner else tail(f.path), f.type, f.origin) for f in self.findings if f.cause == self.cause
        )
        return tuple(sorted(found, key=lambda rule: (-found[rule], rule)))

    @property
    def title(self) -> str:
        """The place, with the number of rules when there are several."""
        place = self.place or "(the object itself)"
        return place if len(self.rules) == 1 else f"{place}: {len(self.rules)} rules"

    def alike(self) -> Iterator[Group]:
        """Yield groups of one cause, side and type each: an entry of the exceptions speaks of no more."""
        found: dict[Key, list[ReportedFinding]] = {}
        for finding in self.findings:
            found.setdefault((finding.cause, finding.side, finding.owner), []).append(finding)
        for members in found.values():
            yield Group(self.id, members[0].cause, self.place, tuple(members))


def tail(path: str) -> str:
    """Return the last two fields of a path: `tolerations[*].key` of `spec.template.spec.tolerations[*].key`."""
    return ".".join(segments(path)[-2:])


def group(findings: Iterable[ReportedFinding]) -> list[Group]:
    """Gather findings by their root, worst severity first, larger groups first."""
    found: dict[Key, list[ReportedFinding]] = {}
    for finding in findings:
        found.setdefault(_key(finding), []).append(finding)
    roots = _roots(found)
    gathered: dict[Key, list[ReportedFinding]] = {}
    for key, members in found.items():
        gathered.setdefault(roots.get(key, key), []).extend(members)
    groups = [_group(key, members) for key, members in gathered.items()]
    return sorted(groups, key=lambda g: (SEVERITIES.index(g.severity), -len(g.findings), g.cause, g.place, g.id))


def named(findings: Sequence[ReportedFinding], name: str) -> list[ReportedFinding]:
    """Return the findings that an id means, or the beginning of one: that of a group, or a fingerprint."""
    if found := named_group(findings, name):
        return list(found.findings)
    return [one for one in findings if name and one.fingerprint.startswith(name)]


def named_group(findings: Sequence[ReportedFinding], name: str) -> Group | None:
    """Return the group that an id means, or the beginning of no more than one; None when there is none.

    It is looked for among what is open, then among what is tolerated, then among all: as reports show groups.
    """
    if not re.fullmatch("g[0-9a-f]{3,8}", name):
        return None
    open_ = [one for one in findings if one.exception is None]
    tolerated = [one for one in findings if one.exception is not None]
    for some in (open_, tolerated, findings):
        fits = [one for one in group(some) if one.id.startswith(name)]
        if len(fits) == 1:
            return fits[0]
    return None


def _key(finding: ReportedFinding) -> Key:
    rule = (finding.type, finding.origin)
    if not finding.owner:
        return finding.cause, finding.side, "", finding.mismatch, *rule, tail(finding.path)
    if finding.cause in OF_A_TYPE:
        return finding.cause, finding.side, finding.owner
    one_rule = rule if finding.cause in OF_A_RULE else ()
    return finding.cause, finding.side, finding.owner, finding.member, *one_rule


# Groups that belong together


def _roots(found: Mapping[Key, Sequence[ReportedFinding]]) -> dict[Key, Key]:
    """Say of each key that belongs to another by which one its group is called."""
    above: dict[Key, Key] = {}

    def root(key: Key) -> Key:
        while key in above:
            key = above[key]
        return key

    for one, other in _pairs(found):
        first, second = sorted((root(one), root(other)), key=_rank)
        if first != second:
            above[second] = first
    return {key: root(key) for key in above}


def _rank(key: Key) -> tuple[int, Key]:
    return ROOTS.index(key[0]) if key[0] in ROOTS else len(ROOTS), (first_name(key[0]), *key[1:])


def _pairs(found: Mapping[Key, Sequence[ReportedFinding]]) -> Iterator[tuple[Key, Key]]:
    """Yield the keys of groups that are two views of one mistake."""
    seen: dict[tuple[str, ...], list[Key]] = {}
    nowhere: dict[tuple[str, ...], Key] = {}
    moved: dict[tuple[str, ...], Key] = {}
    limits: dict[tuple[str, ...], Key] = {}
    for key, members in found.items():
        for finding in members:
            if finding.cause in OF_BOTH_SIDES or finding.cause == "wrong-path":
                seen.setdefault(_error_of(finding), []).append(key)
            if finding.cause == "wrong-path":
                nowhere[_error_of(finding)] = key
            if finding.cause == "boundary":
                limits[_rule_of(finding)] = key
    for key, members in found.items():
        for finding in members:
            if finding.cause in OF_BOTH_SIDES and not finding.between:
                others = [_error_of(finding), *_partners(finding)]
                yield from ((key, other) for one in others for other in seen.get(one, ()) if other != key)
                for name in (*_moves(finding), *_other_items(finding)):
                    yield key, moved.setdefault(name, key)
            if not finding.between and nowhere.get(_error_of(finding), key) != key:
                yield key, nowhere[_error_of(finding)]  # whatever else is said of an error at a path of no field
            if finding.cause == "wording" and _rule_of(finding) in limits:
                yield key, limits[_rule_of(finding)]  # another limit is written into the message
    for key, members in found.items():
        for finding in members:
            if finding.cause == "wording":  # two errors meet at the path of one item
                yield from ((key, moved[name]) for name in _lists_of(finding) if name in moved)


def _error_of(finding: ReportedFinding) -> tuple[str, ...]:
    """Name the error that a finding is about."""
    return finding.subject, finding.name, finding.operation, finding.side, finding.path, finding.type, finding.origin


def _rule_of(finding: ReportedFinding) -> tuple[str, ...]:
    """Name the rule that a finding is about, whatever side and kind show it."""
    place = (finding.owner, finding.member) if finding.owner else (finding.name, finding.path)
    return finding.subject, *place, finding.type, finding.origin


def _partners(finding: ReportedFinding) -> Iterator[tuple[str, ...]]:
    """Name the errors of the other side that differ from a finding's in nothing but what its cause is about."""
    handwritten = finding.side == "handwritten"
    errors = finding.answer.declarative if handwritten else finding.answer.handwritten
    for error in errors:
        path = canonical_path(error.field)
        differs = _differs_in(finding, path, error)
        if differs == [finding.cause] or (not differs and finding.cause == "path"):  # another item of one list
            side = "declarative" if handwritten else "handwritten"
            yield finding.subject, finding.name, finding.operation, side, path, str(error.type), error.origin


def _moves(finding: ReportedFinding) -> Iterator[tuple[str, ...]]:
    """Name where a whole object is reported instead of where it stands: all that is wrong inside is one mistake."""
    for *_, path, _, _ in _partners(finding) if finding.cause == "path" else ():
        one, other = segments(finding.path), segments(path)
        while one and other and one[-1] == other[-1]:
            one.pop(), other.pop()
        if one != other and len(one) < len(segments(finding.path)):
            yield finding.subject, finding.name, *sorted((".".join(one), ".".join(other)))


def _other_items(finding: ReportedFinding) -> Iterator[tuple[str, ...]]:
    """Name the list of which one side reports another item: whatever is wrong with an item is one mistake then."""
    if finding.cause != "path":
        return
    both = finding.answer.handwritten, finding.answer.declarative
    ours, theirs = (list(islice(_alike(finding, errors), _FEW)) for errors in both)
    for one, other in product(ours, theirs):
        steps = list(zip(parse(one.field), parse(other.field), strict=False))
        differing = [number for number, (step, its) in enumerate(steps) if step != its]
        if len(differing) == 1 and steps[differing[0]][0].is_subscript:
            yield finding.subject, finding.name, "items", *pattern_of(one.field)[: differing[0]]


def _alike(finding: ReportedFinding, errors: Iterable[FieldError]) -> Iterator[FieldError]:
    """Yield the errors that are those of a finding but for the item."""
    return (error for error in errors if not _differs_in(finding, canonical_path(error.field), error))


def _lists_of(finding: ReportedFinding) -> Iterator[tuple[str, ...]]:
    """Name every list in which the path of a finding leads to an item."""
    pattern = pattern_of(finding.path)
    for number, step in enumerate(pattern):
        if step == ITEMS:
            yield finding.subject, finding.name, "items", *pattern[:number]


def _differs_in(finding: ReportedFinding, path: str, error: FieldError) -> list[str]:
    pairs = {
        "path": (finding.path, path), "type": (finding.type, str(error.type)), "origin": (finding.origin, error.origin),
    }  # fmt: skip
    return [name for name, (one, other) in pairs.items() if one != other]


# A group


def _group(key: Key, members: Sequence[ReportedFinding]) -> Group:
    name = hashlib.sha256("\x1f".join((first_name(key[0]), *key[1:])).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    cause = key[0]
    own = [one for one in members if one.cause == cause]
    return Group(f"g{name}", cause, _place(own), tuple(sorted(members, key=lambda one: _order(one, cause))))


def _place(members: Sequence[ReportedFinding]) -> str:
    first = members[0]
    if not first.owner:
        paths = {f.path for f in members}
        return paths.pop() if len(paths) == 1 else f"….{tail(first.path)}"
    owner, inside = first.owner.rpartition(".")[2], {f.member for f in members}
    return ".".join(part for part in (owner, *(inside if len(inside) == 1 else ())) if part)


def _order(finding: ReportedFinding, cause: str) -> tuple[int, bool, int, str]:
    """The worst first, then what the group is called by, then the smallest."""
    return SEVERITIES.index(finding.severity), finding.cause != cause, _size(finding), finding.fingerprint


def _size(finding: ReportedFinding) -> int:
    return len(compact(finding.case.object)) + len(compact(finding.case.old))
