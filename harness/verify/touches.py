"""What readers of a change collect: which fields of Go types, and which whole kinds, each with reasons."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from harness.verify.change import KindName, Reason

Member = tuple[str, str]
"""A qualified type and the Go name of its field; empty for the type itself."""


@dataclass
class Touches:
    """Fields and whole kinds with the reasons to look at them; `notes` say what was taken as harmless, and why."""

    fields: dict[Member, dict[Reason, None]] = field(default_factory=dict)
    kinds: dict[KindName, dict[Reason, None]] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)

    def touch(self, member: Member, reason: Reason) -> None:
        """A field, or a type, is touched."""
        self.fields.setdefault(member, {})[reason] = None

    def widen(self, kinds: Iterable[KindName], reason: Reason) -> None:
        """Whole kinds are touched: which of their fields is not known."""
        for kind in kinds:
            self.kinds.setdefault(kind, {})[reason] = None

    def note(self, text: str) -> None:
        """Remember a remark for people."""
        self.notes[text] = None
