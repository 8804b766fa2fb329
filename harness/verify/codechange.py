"""Finds the fields that changed validation code affects, in Go and Python, from the names in the lines that differ.

There is no data-flow analysis. For each hunk, fields are searched in this order:

1. the lines that differ,
2. the first lines of the blocks that enclose them,
3. the lines that use the declaration, and the callers of these.

When none of them names a field, the kinds whose code uses the declaration are touched as a whole.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from harness.verify.change import Cause, Event, KindName, Reason
from harness.verify.code import Code, NamedFields
from harness.verify.collector import Member, TouchCollector
from harness.verify.sources import Declaration, Name, SourceLine

MARKS = frozenset({"MarkCoveredByDeclarative", "covered"})
"""The marks, in Go and in Python, of an error that declarative validation covers."""
_EVENT_PHRASES: Mapping[Event, str] = {
    "check removed": "is gone",
    "check added": "is new",
    "mark added": "is marked as covered by declarative validation",
    "mark removed": "is no longer marked as covered by declarative validation",
}
_MAX_LINE_LENGTH = 110

Declarations = Mapping[Name, Declaration]


@dataclass(frozen=True, slots=True)
class _HunkSide:
    """One side of a hunk: lines of a declaration in base or head, and the fields that these name."""

    code: Code
    declaration: Declaration
    lines: tuple[SourceLine, ...]
    named: NamedFields

    @property
    def marks(self) -> int:
        """How often errors are marked as covered."""
        return sum(token in MARKS for line in self.lines for token in line.tokens)

    def line_of(self, member: Member) -> SourceLine:
        """Return the first line that names a field, else the first line."""
        wanted = {member[1], self.code.json_name(member)}
        for one in self.lines:
            if wanted & {*one.quoted, *(word for _, word in one.selected)}:
                return one
        return self.lines[0]


_Hunk = tuple[_HunkSide | None, _HunkSide | None]
_Location = tuple[Code, Declaration, tuple[SourceLine, ...]]


def compare_declarations(
    base: Code, head: Code, old: Declarations, new: Declarations, collector: TouchCollector
) -> bool:
    """Collect what the differences between declarations of base and head touch. Returns: whether any differ."""
    renamed = find_renames(old, new)
    words = {new[to].bare: old[name].bare for name, to in renamed.items()}
    for name, to in sorted(renamed.items()):
        where = f" and moved to {to[0]}" if name[0] != to[0] else ""
        what = f"was renamed to {new[to].short}" if name[1] != to[1] else "keeps its name"
        collector.add_note(f"{old[name].short} {what}{where}: it reads the same, and so do its callers")
    hunks: list[_Hunk] = []
    for name, one in old.items():
        other = new.get(renamed.get(name, name))
        if other is None:
            hunks.append(_make_hunk((base, one, one.lines), None))
        elif one.tokens != _with_old_names(other, words):
            hunks += _hunks(base, head, one, other, words)
    added = [one for name, one in new.items() if name not in old and name not in renamed.values()]
    for one in added:
        if head.kinds_with_causes(one) or head.is_check(one):
            hunks.append(_make_hunk(None, (head, one, one.lines)))
        else:
            collector.add_note(f"{one.short} is new, and nothing that was read calls it")
    _TouchRecorder(hunks, collector).record()
    return bool(hunks or added or renamed)


def find_renames(old: Declarations, new: Declarations) -> dict[Name, Name]:
    """Map base names to head names of renamed declarations, whose tokens are equal after applying all renames."""
    removed = {name: one for name, one in old.items() if name not in new}
    added = {name: one for name, one in new.items() if name not in old}
    pairs: dict[Name, Name] = {}
    while True:
        words = {new[to].bare: old[name].bare for name, to in pairs.items()}
        texts: dict[tuple[str, ...], list[Name]] = {}
        for name in sorted(added.keys() - set(pairs.values())):
            texts.setdefault(_with_old_names(added[name], words), []).append(name)
        found = {
            name: same.pop(0)
            for name, one in removed.items()
            if name not in pairs and (same := texts.get(one.tokens, []))
        }
        if not found:
            return pairs
        pairs |= found


def _with_old_names(one: Declaration, words: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(words.get(token, token) for token in one.tokens) if words else one.tokens


def _make_hunk(old: _Location | None, new: _Location | None) -> _Hunk:
    """Make a hunk with the fields that its lines name, or, when neither side names any, their enclosing blocks."""
    sides = [one if one is not None and one[2] else None for one in (old, new)]
    named = [one and one[0].fields(one[1], one[2]) for one in sides]
    if not any(one and one.fields for one in named):
        named = [one and one[0].fields(one[1], one[1].enclosing_lines(one[2])) for one in sides]
    hunk = [_HunkSide(*one, fields) if one and fields else None for one, fields in zip(sides, named, strict=True)]
    return hunk[0], hunk[1]


def _hunks(base: Code, head: Code, old: Declaration, new: Declaration, words: Mapping[str, str]) -> Iterator[_Hunk]:
    """Yield the hunks in which two declarations differ."""
    before = [one.tokens for one in old.lines]
    after = [tuple(words.get(token, token) for token in one.tokens) for one in new.lines]
    differing = [one for one in SequenceMatcher(None, before, after, autojunk=False).get_opcodes() if one[0] != "equal"]
    for _, start, end, first, last in differing:
        yield _make_hunk((base, old, old.lines[start:end]), (head, new, new.lines[first:last]))


class _TouchRecorder:
    """Records what hunks touch. A field that only one side names was added or removed; one of both sides changed."""

    def __init__(self, hunks: Iterable[_Hunk], collector: TouchCollector) -> None:
        self._collector = collector
        self._hunks = list(hunks)
        self._old = {member for one, _ in self._hunks if one is not None for member in one.named.fields}
        self._new = {member for _, one in self._hunks if one is not None for member in one.named.fields}

    def record(self) -> None:
        """Record the touched fields, and kinds as a whole where no field is named."""
        for old, new in self._hunks:
            sides = [one for one in (new, old) if one is not None]
            naming = [one for one in sides if one.named.fields]
            marks = new.marks - old.marks if new is not None and old is not None else 0
            for one in naming:
                if kinds := _kinds_lacking_field(one):
                    self._touch_kinds(one, one is old, kinds, "names fields that this version does not have")
                self._touch_fields(one, one.named, one is old, marks)
            if not naming and sides:
                self._touch_by_callers(sides[0], sides[0] is old, marks)

    def _touch_fields(self, side: _HunkSide, named: NamedFields, in_base: bool, marks: int) -> None:
        for member, kinds in named.fields.items():
            line = side.line_of(member)
            text = f"{side.declaration.short}: {shorten(line.written)}"
            for cause, own in self._causes(side, kinds).items():
                event: Event = "changed"
                if cause in ("handwritten", "normalization"):
                    event = self._event(member, in_base, marks, named is side.named)
                sentence = f"{text} {_EVENT_PHRASES.get(event, 'changed')}"
                if event == "check removed" and not MARKS.isdisjoint(line.tokens):
                    sentence += " with its mark"
                if not named.certain:
                    sentence += "; which fields that judges was told from its callers"
                if event != "changed" or not self._collector.has_cause(member, cause):
                    reason = Reason(cause, event, sentence, side.declaration.place(line), in_base, named.certain)
                    self._collector.touch_field(member, reason, own)

    def _causes(self, side: _HunkSide, kinds: Iterable[KindName]) -> dict[Cause, set[KindName]]:
        return (
            {"generated": set()}
            if side.code.is_check(side.declaration)
            else _by_cause(side.code.kinds_with_causes(side.declaration), kinds)
        )

    def _event(self, member: Member, in_base: bool, marks: int, directly: bool) -> Event:
        """Return what happened to the check of a field; for a field that only callers name, it changed."""
        if directly and member not in self._new:
            return "check removed"
        if directly and member not in self._old:
            return "check added"
        if in_base or not marks:
            return "changed"
        return "mark added" if marks > 0 else "mark removed"

    def _touch_by_callers(self, side: _HunkSide, in_base: bool, marks: int) -> None:
        if side.code.is_check(side.declaration):
            named = NamedFields(dict.fromkeys(side.code.checked_fields(side.declaration), frozenset()))
        else:
            named = side.code.fields_of_callers(side.declaration)
        self._touch_fields(side, named, in_base, marks)
        if named.unnamed or not named.fields:
            self._touch_kinds(side, in_base, named.unnamed if named.fields else ())

    def _touch_kinds(
        self, side: _HunkSide, in_base: bool, only: Collection[KindName] = (), why: str = "names no field"
    ) -> None:
        """Record, as a whole, the kinds whose code uses a declaration, or only some of them."""
        sentence = f"{side.declaration.short} changed, and {why}: every field of the kind may be judged otherwise"
        for cause, kinds in _by_cause(
            side.code.kinds_with_causes(side.declaration), only or side.code.kinds(side.declaration)
        ).items():
            reason = Reason(cause, "changed", sentence, side.declaration.place(), in_base, False)
            self._collector.touch_kinds(sorted(kinds), reason)
        if not side.code.kinds(side.declaration):
            self._collector.add_note(f"{side.declaration.short} changed, and nothing that was read uses it")


def _kinds_lacking_field(side: _HunkSide) -> set[KindName]:
    """Return the kinds that lack a named field which other versions have: it may have another name there."""
    kinds = {kind for found in side.named.fields.values() for kind in found}
    having = {kind for kind in kinds if any(side.code.has_field(kind, member) for member in side.named.fields)}
    known = {(kind.group, kind.kind) for kind in having}
    return {kind for kind in kinds - having if (kind.group, kind.kind) in known}


def _by_cause(reached: Iterable[tuple[KindName, Cause]], kinds: Iterable[KindName]) -> dict[Cause, set[KindName]]:
    found: dict[Cause, set[KindName]] = {}
    wanted = set(kinds)
    for kind, cause in reached:
        if kind in wanted:
            found.setdefault(cause, set()).add(kind)
    return found


def shorten(text: str) -> str:
    """Cut a long line to the maximal length, with an ellipsis."""
    return text if len(text) <= _MAX_LINE_LENGTH else f"{text[: _MAX_LINE_LENGTH - 1]}…"
