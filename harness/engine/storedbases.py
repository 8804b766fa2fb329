"""Lists what somebody's own server stores, because it answers updates of these objects and of no others.

An update that a search draws is made to one of them: what it changes is changed there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from harness.case import Json, KindInfo, Operation
from harness.diagnostics import TargetError
from harness.engine.units import Unit
from harness.jsonpath import apply_all, edits_to
from harness.stored.redaction import redact
from harness.subject import Subject
from harness.subject.subject import Note

MOST: Final = 3
"""So many objects of a kind are updated: each is asked the same changes."""


class StoredBases:
    """The objects that a subject's server stores, listed when a kind is first asked for, and shown without secrets."""

    def __init__(self, subject: Subject, note: Note) -> None:
        self._subject, self._note = subject, note
        self._found: dict[tuple[str, str, str], tuple[Json, ...]] = {}

    def of(self, unit: Unit) -> tuple[Json, ...]:
        """Return stored objects of a unit; none where the target takes any old object."""
        info = unit.main
        if self._subject.lists is None or info is None:
            return ()
        key = info.group, info.version, info.resource
        if key not in self._found:
            self._found[key] = self._list(info)
        return self._found[key]

    def updatable(self, units: Sequence[Unit]) -> tuple[Unit, ...]:
        """Return the units without updates of which nothing is stored."""
        if self._subject.lists is None:
            return tuple(units)
        kept = [
            replace(unit, requests=tuple(one for one in unit.requests if one.operation is Operation.CREATE))
            if any(one.operation is Operation.UPDATE for one in unit.requests) and not self.of(unit) else unit
            for unit in units
        ]  # fmt: skip
        return tuple(replace(unit, index=index) for index, unit in enumerate(one for one in kept if one.requests))

    def _list(self, info: KindInfo) -> tuple[Json, ...]:
        assert self._subject.lists is not None
        try:
            return tuple(islice(self._subject.lists(info, redact), MOST))
        except TargetError as error:
            self._note(f"no update of {info.name} is asked, because they cannot be listed: {error}")
            return ()


def rebase(stored: Sequence[Json], number: int, new: Json, old: Json) -> tuple[Json, Json]:
    """Return an update of a stored object, one after the other, that changes what this update changes."""
    if not stored or old in stored:
        return new, old
    base = stored[number % len(stored)]
    return apply_all(edits_to(new, old), base), base
