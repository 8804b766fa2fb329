"""What readers of a change collect: which fields of Go types, and which whole kinds, each with reasons."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from harness.verify.change import Cause, KindName, Reason

Member = tuple[str, str]
"""A qualified type and the Go name of its field; empty for the type itself."""


Via = tuple[str, tuple[str, ...]]
"""A type, and the way from it to the struct that has a field: Go names, `[*]` for items and values."""


@dataclass
class Touches:
    """Fields and whole kinds with the reasons to look at them; `notes` say what was taken as harmless, and why.

    `via` limits a field to where kinds have it on the way from one of these types: what a function says of a shared
    type holds for those it is called for. None is no limit.
    """

    fields: dict[Member, dict[Reason, None]] = field(default_factory=dict)
    via: dict[Member, set[Via] | None] = field(default_factory=dict)
    kinds: dict[KindName, dict[Reason, None]] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)

    def touch(self, member: Member, reason: Reason, via: Collection[Via] = ()) -> None:
        """A field, or a type, is touched."""
        known = self.via.setdefault(member, set())
        self.via[member] = known | set(via) if via and known is not None else None
        self.fields.setdefault(member, {})[reason] = None

    def has(self, member: Member, cause: Cause) -> bool:
        """Whether a field is touched for such a cause already."""
        return any(reason.cause == cause for reason in self.fields.get(member, ()))

    def widen(self, kinds: Iterable[KindName], reason: Reason) -> None:
        """Whole kinds are touched: which of their fields is not known."""
        for kind in kinds:
            known = self.kinds.setdefault(kind, {})
            if not any((one.cause, one.sentence) == (reason.cause, reason.sentence) for one in known):
                known[reason] = None

    def note(self, text: str) -> None:
        """Remember a remark for people."""
        self.notes[text] = None
