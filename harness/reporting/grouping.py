"""Few causes repeat often: findings that one cause explains on one type are told together.

A group is one cause on one Go type, whatever kinds and versions hold it: types that many kinds share (ObjectMeta,
Condition, Toleration) are one place each, and several rules of one type with one cause are one group. Where types are
not known, a group is one cause and one rule, and paths are compared by their last two fields.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from harness.compare.finding import SEVERITIES, Severity
from harness.reporting.document import ReportedFinding
from harness.reporting.text import compact

SEVERITY_MEANING: dict[str, str] = {
    "verdict": "accepted under one gate setting and rejected under another, today",
    "graduation": "the verdict changes once the migration is finished",
    "visible": "rejected everywhere, but the user reads other errors",
    "shadow": "nobody sees it but the mismatch counter",
    "unreachable": "only by calling validators directly",
}

Rule = tuple[str, str, str]
"""What is reported: the member of the type (or the path), the type of the error, its origin."""


@dataclass(frozen=True, slots=True)
class Group:
    """Findings of one cause on one type, worst first, then smallest. `id` names the group for good, as a fingerprint.

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
        """What is reported, most frequent first."""
        found = Counter((f.member if f.owner else tail(f.path), f.type, f.origin) for f in self.findings)
        return tuple(sorted(found, key=lambda rule: (-found[rule], rule)))

    @property
    def title(self) -> str:
        """The place, with the number of rules when there are several."""
        place = self.place or "(the object itself)"
        return place if len(self.rules) == 1 else f"{place}: {len(self.rules)} rules"


def tail(path: str) -> str:
    """Return the last two fields of a path: `tolerations[*].key` of `spec.template.spec.tolerations[*].key`."""
    return ".".join(path.split(".")[-2:])


def group(findings: Iterable[ReportedFinding]) -> list[Group]:
    """Gather findings by cause and type, worst severity first, larger groups first."""
    found: dict[tuple[str, ...], list[ReportedFinding]] = {}
    for finding in findings:
        found.setdefault(_key(finding), []).append(finding)
    groups = [_group(key, members) for key, members in found.items()]
    return sorted(groups, key=lambda g: (SEVERITIES.index(g.severity), -len(g.findings), g.cause, g.place, g.id))


def _key(finding: ReportedFinding) -> tuple[str, ...]:
    if finding.owner:
        return finding.cause, finding.side, finding.owner
    return finding.cause, finding.side, "", finding.mismatch, finding.type, finding.origin, tail(finding.path)


def _group(key: tuple[str, ...], members: list[ReportedFinding]) -> Group:
    name = hashlib.sha256("\x1f".join(key).encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return Group(f"g{name}", key[0], _place(members), tuple(sorted(members, key=_worst_and_smallest)))


def _place(members: list[ReportedFinding]) -> str:
    first = members[0]
    if not first.owner:
        paths = {f.path for f in members}
        return paths.pop() if len(paths) == 1 else f"….{tail(first.path)}"
    owner, inside = first.owner.rpartition(".")[2], {f.member for f in members}
    return ".".join(part for part in (owner, *(inside if len(inside) == 1 else ())) if part)


def _worst_and_smallest(finding: ReportedFinding) -> tuple[int, int, str]:
    return SEVERITIES.index(finding.severity), _size(finding), finding.fingerprint


def _size(finding: ReportedFinding) -> int:
    return len(compact(finding.case.object)) + len(compact(finding.case.old))
