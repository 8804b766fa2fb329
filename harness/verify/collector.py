"""Collects the touched fields of Go types and the kinds that are touched as a whole, each with its reasons."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from harness.verify.change import Cause, KindName, Reason

Member = tuple[str, str]
"""A qualified type and the Go name of its field; empty for the type itself."""


@dataclass
class TouchCollector:
    """Touched fields and kinds with their reasons; `notes` explain which changes were considered harmless.

    `kinds_of_field` limits a field to some kinds, because a function that validates a shared type is called for these
    alone. None is no limit.
    """

    fields: dict[Member, dict[Reason, None]] = field(default_factory=dict)
    kinds_of_field: dict[Member, set[KindName] | None] = field(default_factory=dict)
    kinds: dict[KindName, dict[Reason, None]] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)

    def touch_field(self, member: Member, reason: Reason, kinds: Collection[KindName] = ()) -> None:
        """Add a reason why a field, or a type, is touched."""
        known = self.kinds_of_field.setdefault(member, set())
        self.kinds_of_field[member] = known | set(kinds) if kinds and known is not None else None
        self.fields.setdefault(member, {})[reason] = None

    def has_cause(self, member: Member, cause: Cause) -> bool:
        """Whether a field is already touched for a cause."""
        return any(reason.cause == cause for reason in self.fields.get(member, ()))

    def touch_kinds(self, kinds: Iterable[KindName], reason: Reason) -> None:
        """Add a reason why kinds are touched as a whole, without repeating one of the same sentence."""
        for kind in kinds:
            known = self.kinds.setdefault(kind, {})
            if not any((one.cause, one.sentence) == (reason.cause, reason.sentence) for one in known):
                known[reason] = None

    def add_note(self, text: str) -> None:
        """Add a remark for the report."""
        self.notes[text] = None
