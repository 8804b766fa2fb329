"""Formats a change as text: the output of `harness verify --dry-run`, and the reason why a change touches nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from harness.report.escaping import count, visible
from harness.verify.change import (
    Change,
    ChangedFile,
    FieldPath,
    FileClass,
    KindName,
    Reason,
    Revision,
    RuleState,
    StaleFile,
    TouchedField,
    TouchedKind,
)

_MAX_PATHS = 3
_MAX_KINDS = 6
_MAX_ROWS = 60


def rows_of(change: Change) -> Iterator[str]:
    """Yield the lines of a change, without colours and with special characters escaped."""
    yield from map(visible, _rows(change))


def _rows(change: Change) -> Iterator[str]:
    yield from _head(change)
    for note in change.notes:
        yield f"note: {note}"
    if change.nothing_touched:
        yield ""
        yield f"nothing touched: {change.nothing_touched}"
    if change.fields:
        yield ""
        yield f"{count(len(change.fields), 'field')} touched, in {count(len(change.kinds), 'kind')}:"
        for one in change.fields[:_MAX_ROWS]:
            yield from _field(one)
        yield from _more(len(change.fields), _MAX_ROWS)
    yield from _whole(change.kinds)
    yield from _rules(change.kinds)
    yield from _stale(change.not_regenerated)
    if change.diagnostics:
        yield ""
        yield f"lint: {count(len(change.diagnostics), 'diagnostic')}"
        for found in change.diagnostics[:_MAX_ROWS]:
            yield from (f"  {line}" for line in str(found).splitlines())
        yield from _more(len(change.diagnostics), _MAX_ROWS)
    if change.left_out:
        yield ""
        yield f"left out by --field: {_listed(change.left_out, 10)}"


def _head(change: Change) -> Iterator[str]:
    base, loose = change.base, sum(not one.committed for one in change.files)
    asked = base.asked if base.asked != base.commit else base.asked[:12]
    yield f"base   {base.commit[:12]} {base.subject} (where {asked} and HEAD parted)"
    uncommitted = f", {count(loose, 'file')} not committed" if loose else ""
    yield f"head   the work tree of {change.checkout} at {change.head.commit[:12]}{uncommitted}"
    yield f"files  {count_classes(change.files) or 'none'}"


def _field(one: TouchedField) -> Iterator[str]:
    yield ""
    yield f"{one.name}  {_places(one.paths)}"
    position, what = one.position or one.position_before, "" if one.position else " (base)"
    yield f"  at            {position}{what}"
    for reason in one.reasons:
        yield f"  {reason.cause:<13} {_reason(reason)}"
    for word, rules in (("before", one.rules_before), ("after", one.rules_after)):
        if one.rules_before != one.rules_after:
            yield f"  {word:<13} {_listed([rule_text(rule) for rule in rules], 8) or 'no rules'}"
    if one.rules_before == one.rules_after and one.rules_after:
        yield f"  rules         {_listed([rule_text(rule) for rule in one.rules_after], 8)}"


def _reason(reason: Reason) -> str:
    sure = "" if reason.certain else " (uncertain)"
    where = f"{reason.position}{' of the base' if reason.in_base else ''}"
    return f"{reason.event}: {reason.sentence}{sure}  [{where}]"


def rule_text(rule: RuleState) -> str:
    """Name a rule: its error, its limit, its level."""
    error = rule.type.removeprefix("FieldValue") + (f"/{rule.origin}" if rule.origin else "")
    limit = f" {rule.limit}" if rule.limit is not None else ""
    argument = f" ({rule.argument})" if rule.argument else ""
    return f"{rule.path}{error}{limit}{argument}, {rule.level or 'standard'}"


def _places(paths: Sequence[FieldPath]) -> str:
    by_path: dict[str, list[KindName]] = {}
    for place in paths:
        by_path.setdefault(place.path or "(object)", []).append(place.kind)
    shown = [f"{path} of {_kinds(kinds)}" for path, kinds in list(by_path.items())[:_MAX_PATHS]]
    rest = len(by_path) - _MAX_PATHS
    kinds = len({place.kind for place in paths})
    return "; ".join(shown) + (f"; {count(rest, 'more path')}, {count(kinds, 'kind')} in all" if rest > 0 else "")


def _kinds(kinds: Sequence[KindName]) -> str:
    return _listed([str(kind) for kind in dict.fromkeys(kinds)], _MAX_KINDS)


def _listed(names: Sequence[str], most: int) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest:,} more" if rest > 0 else "")


def _more(number: int, most: int) -> Iterator[str]:
    if number > most:
        yield f"  … {number - most:,} more"


def _whole(kinds: Iterable[TouchedKind]) -> Iterator[str]:
    """Yield the kinds that are touched as a whole, grouped by reason."""
    by_reason: dict[Reason, list[KindName]] = {}
    for kind in kinds:
        for reason in kind.reasons if kind.whole else ():
            by_reason.setdefault(reason, []).append(kind.name)
    for reason, names in by_reason.items():
        yield ""
        yield f"as a whole: {_kinds(names)}"
        yield f"  {reason.cause:<13} {_reason(reason)}"


def _rules(kinds: Sequence[TouchedKind]) -> Iterator[str]:
    changed = [kind for kind in kinds if kind.rules or not (kind.in_base and kind.in_head)]
    if changed:
        yield ""
        yield "declared rules:"
    for kind in changed[:_MAX_ROWS]:
        state = "" if kind.in_base and kind.in_head else " (new)" if kind.in_head else " (gone)"
        yield f"  {kind.name}{state}"
        for one in kind.rules[:_MAX_ROWS]:
            before, after = (rule_text(rule) if rule else "" for rule in (one.before, one.after))
            yield f"    {one.event}: {one.path or '(object)'}: {' -> '.join(filter(None, (before, after)))}"
        yield from _more(len(kind.rules), _MAX_ROWS)
    yield from _more(len(changed), _MAX_ROWS)


def _stale(stale: Sequence[StaleFile]) -> Iterator[str]:
    for edited, what in ((False, "generated code does not do what the types order"),
                         (True, "generated code was edited by hand")):  # fmt: skip
        found = [one for one in stale if one.edited is edited]
        if found:
            yield ""
            yield f"{what}:"
        for one in found[:_MAX_ROWS]:
            name = ".".join(filter(None, (one.type_name.rpartition(".")[2], one.go_field)))
            yield f"  {name}: {one.sentence}  [{one.position}]"
        yield from _more(len(found), _MAX_ROWS)
        for command in dict.fromkeys(one.command for one in found):
            yield f"  fix: {command}"


_NAMES: dict[FileClass, str] = {
    "types": "types", "doc": "doc.go", "handwritten": "handwritten validation", "generated": "generated validation",
    "normalization": "normalization", "strategy": "strategies", "conversion": "conversions", "defaults": "defaults",
    "suite": "suite.py", "tests": "tests", "other": "files that validate nothing",
}  # fmt: skip
_IDLE = ("tests", "other")


def count_classes(files: Sequence[ChangedFile]) -> str:
    """Return how many files of each class changed: `2 types, 1 tests`."""
    counts = Counter(one.file_class for one in files)
    return ", ".join(f"{counts[name]} {_NAMES[name]}" for name in _NAMES if counts[name])


def unread_note(files: Sequence[ChangedFile], most: int = 3) -> str:
    """Return a note on changed Go files that are not read, since they may affect validation; else empty."""
    found = [
        one.path for one in files if one.file_class == "other" and one.path.endswith(".go") and "zz_gen" not in one.path
    ]
    rest = f" and {len(found) - most} more" if len(found) > most else ""
    shown = ", ".join(found[:most])
    return f"not read, since it lies outside of validation: {shown}{rest}" if found else ""


def why_nothing(files: Sequence[ChangedFile], base: Revision, notes: Sequence[str]) -> str:
    """Return the reason, in a sentence, why a change touches nothing."""
    if not files:
        return f"the work tree is what {base.asked} and HEAD have in common: no file differs"
    if all(one.file_class in _IDLE for one in files):
        return "; ".join([f"no file that validates differs: {count_classes(files)}", *notes])
    where = count_classes([one for one in files if one.file_class not in _IDLE])
    because = f": {'; '.join(notes)}" if notes else ": comments, formatting or order"
    return f"what differs ({where}) changes no check{because}"
