"""How the time of a verification is spent, and under which settings of gates each end is asked."""

from __future__ import annotations

from dataclasses import dataclass, replace

from harness.compare.composition import BETA
from harness.events import Budget
from harness.subject import SubjectSpec
from harness.verify.building import BaseAndHead

EVERY_GATE = {"AllAlpha": True, "AllBeta": True}
"""What the second part of a search on a checkout of Kubernetes turns on."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Budgets of one subject: the head's own search, and base against head. What is left is for asking the base."""

    head: Budget
    users: Budget

    @classmethod
    def of(cls, seconds: float | None, cases: int | None, subjects: int) -> Shares:
        """Share a budget in seconds among subjects; one in cases is that of each search."""
        each = None if seconds is None else seconds / max(1, subjects)
        return cls(Budget(each and 0.5 * each, cases), Budget(each and 0.4 * each, cases))


def head_parts(ends: BaseAndHead, gates: dict[str, bool]) -> list[SubjectSpec]:
    """Return the parts of the head's own search: it composes what is served under every setting of the migration."""
    spec = replace(ends.head, gates=gates)
    return [spec] if gates or spec.kind != "kubernetes" else [spec, replace(spec, gates=EVERY_GATE)]


def user_parts(ends: BaseAndHead, gates: dict[str, bool]) -> list[SubjectSpec]:
    """Return the parts of the comparison of base and head.

    With the beta gate off the base serves its handwritten answers where the migration is not finished: that is what
    rules must agree with that lose their handwritten check.
    """
    if ends.base is None:
        return []
    spec = replace(ends.head, gates=gates, against=ends.base.location)
    parts = [spec] if BETA in gates else [spec, replace(spec, gates={**gates, BETA: False})]
    return parts if gates or spec.kind != "kubernetes" else [*parts, replace(spec, gates=EVERY_GATE)]


def at_base(spec: SubjectSpec, ends: BaseAndHead) -> SubjectSpec | None:
    """Return how to open the base as a part of the head is opened."""
    return None if ends.base is None else replace(spec, location=ends.base.location)
