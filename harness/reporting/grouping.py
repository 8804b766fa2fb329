"""Few causes repeat often: findings that one rule explains are told together.

A group is one cause and one rule, whatever kinds it shows on. Types that many kinds share (ObjectMeta, Condition,
Toleration) sit at other paths in each of them, so paths are compared by their last two fields.
"""

from __future__ import annotations

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


@dataclass(frozen=True, slots=True)
class Group:
    """Findings of one cause and rule, worst first, then smallest.

    `path` is the common end of their paths, after an ellipsis when they differ.
    """

    cause: str
    mismatch: str
    type: str
    origin: str
    path: str
    findings: tuple[ReportedFinding, ...]

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


def tail(path: str) -> str:
    """Return the last two fields of a path: `tolerations[*].key` of `spec.template.spec.tolerations[*].key`."""
    return ".".join(path.split(".")[-2:])


def group(findings: Iterable[ReportedFinding]) -> list[Group]:
    """Gather findings by cause and rule, worst severity first, larger groups first."""
    found: dict[tuple[str, str, str, str, str], list[ReportedFinding]] = {}
    for finding in findings:
        key = (finding.cause, finding.mismatch, finding.type, finding.origin, tail(finding.path))
        found.setdefault(key, []).append(finding)
    groups = [_group(key, members) for key, members in found.items()]
    return sorted(groups, key=lambda g: (SEVERITIES.index(g.severity), -len(g.findings), g.cause, g.path))


def _group(key: tuple[str, str, str, str, str], members: list[ReportedFinding]) -> Group:
    paths = {f.path for f in members}
    path = paths.pop() if len(paths) == 1 else f"….{key[4]}"
    return Group(*key[:4], path=path, findings=tuple(sorted(members, key=_worst_and_smallest)))


def _worst_and_smallest(finding: ReportedFinding) -> tuple[int, int]:
    return SEVERITIES.index(finding.severity), _size(finding)


def _size(finding: ReportedFinding) -> int:
    return len(compact(finding.case.object)) + len(compact(finding.case.old))
