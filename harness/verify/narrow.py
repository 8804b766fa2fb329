"""Narrows a change to named fields: `spec.replicas`, `DeploymentSpec.Replicas`, `Deployment:spec.replicas`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from harness.diagnostics import UsageError, near_miss
from harness.gotypes.model import Struct
from harness.jsonpath import is_below, join, without_subscripts
from harness.verify.change import Change, FieldPath, TouchedField, TouchedKind
from harness.verify.sides import Side
from harness.verify.typepaths import TypePaths, step_of

_MAX_CANDIDATES = 3000


@dataclass(frozen=True, slots=True)
class FocusName:
    """A name given with `--field`: a kind or none, and a JSON path without subscripts or a Go name."""

    text: str
    kind: str
    name: str

    @classmethod
    def of(cls, text: str) -> FocusName:
        """Parse a name."""
        kind, colon, name = text.strip().rpartition(":")
        return cls(text, kind.rpartition("/")[2] if colon else "", without_subscripts(name))

    def matches(self, place: FieldPath) -> bool:
        """Whether a path is the named one, or below it."""
        path = without_subscripts(place.path)
        return self.matches_kind(place.kind.kind) and (path == self.name or is_below(path, self.name))

    def matches_kind(self, kind: str) -> bool:
        """Whether a kind is the named one; every kind matches when none was named."""
        return self.kind.lower() in ("", kind.lower())


def narrow(change: Change, names: Sequence[str], sides: Iterable[Side]) -> Change:
    """Keep the named fields of a change. Raises: UsageError for names that no kind has, with suggestions."""
    if not names:
        return change
    wanted = [FocusName.of(name) for name in names]
    _check(wanted, list(sides))
    fields = [kept for one in change.fields if (kept := _narrow_field(one, wanted)) is not None]
    places = {place for one in fields for place in one.paths}
    kinds = [own for kind in change.kinds if (own := _narrow_kind(kind, wanted, places)) is not None]
    left_out = tuple(one.name for one in change.fields if one.name not in {kept.name for kept in fields})
    nothing_touched = change.nothing_touched
    if not fields and not kinds and not nothing_touched:
        nothing_touched = f"the change does not touch {', '.join(names)}; it touches {_list_some(left_out)}"
    stale = tuple(
        one
        for one in change.not_regenerated
        if (one.type_name, one.go_field) in {(f.type_name, f.go_field) for f in fields}
    )
    return replace(
        change,
        fields=tuple(fields),
        kinds=tuple(kinds),
        left_out=left_out,
        nothing_touched=nothing_touched,
        not_regenerated=stale,
    )


def _list_some(names: Sequence[str], most: int = 5) -> str:
    listed = ", ".join(dict.fromkeys(names[:most])) or "whole kinds"
    return f"{listed} and {len(names) - most} more" if len(names) > most else listed


def _narrow_field(one: TouchedField, wanted: Iterable[FocusName]) -> TouchedField | None:
    kept: dict[FieldPath, None] = {}
    for name in wanted:
        if name.name.lower() in (one.name.lower(), one.type_name.lower()):
            kept |= {place: None for place in one.paths if name.matches_kind(place.kind.kind)}
        kept |= {place: None for place in one.paths if name.matches(place)}
    return replace(one, paths=tuple(sorted(kept))) if kept else None


def _narrow_kind(kind: TouchedKind, wanted: Iterable[FocusName], places: Iterable[FieldPath]) -> TouchedKind | None:
    own = {place.path for place in places if place.kind == kind.name}
    if kind.whole:  # any field may be touched, so the named ones may be
        own |= {name.name for name in wanted if name.matches_kind(kind.name.kind) and "." in name.name}
    rules = tuple(rule for rule in kind.rules if any(name.matches(FieldPath(kind.name, rule.path)) for name in wanted))
    return replace(kind, paths=tuple(sorted(own)), rules=rules) if own else None


def _check(wanted: Iterable[FocusName], sides: Sequence[Side]) -> None:
    paths: dict[str, set[str]] = {}
    go_names: dict[str, set[str]] = {}
    for side in sides:
        for kind in side.kinds.values():
            own, named = paths.setdefault(kind.name.kind, set()), go_names.setdefault(kind.name.kind, set())
            for type_name, path in TypePaths(side.universe, {}).walk(kind.type):
                declared = side.universe.find(type_name)
                short = type_name.rpartition(".")[2]
                named.add(short)
                own.add(without_subscripts(path))
                for field in declared.fields if isinstance(declared, Struct) else ():
                    own.add(without_subscripts(join(path, step_of(field))))
                    named.add(f"{short}.{field.name}")
    problems = [problem for one in wanted if (problem := _problem(one, paths, go_names))]
    if problems:
        raise UsageError("\n".join(problems))


def _problem(one: FocusName, paths: dict[str, set[str]], go_names: dict[str, set[str]]) -> str:
    kinds = [kind for kind in paths if one.matches_kind(kind)]
    if not kinds:
        hint = near_miss(one.kind, sorted(paths)) or "`harness kinds` lists them"
        return f"--field {one.text!r}: there is no kind {one.kind}\n  fix: {hint}"
    known = set().union(*(paths[kind] | go_names[kind] for kind in kinds))
    lowered = {name.lower() for name in known if "." in name and name[:1].isupper()}
    if not one.name or one.name in known or one.name.lower() in lowered:
        return "" if one.name else f"--field {one.text!r} names no field\n  fix: for example --field spec.replicas"
    last = one.name.rpartition(".")[2].lower()
    close = [name for name in sorted(known) if name.rpartition(".")[2].lower() == last]
    like = [name for name in sorted(known) if name[:2].lower() == one.name[:2].lower()]
    hint = near_miss(one.name, [*close, *like][:_MAX_CANDIDATES])
    hint = hint or (f"did you mean {close[0]}?" if close else "a JSON path from the object's root, or a Go name")
    where = f"{one.kind} has" if one.kind else "no kind has"
    return f"--field {one.text!r}: {where} no such field\n  fix: {hint}".replace(
        "no kind has no such", "no kind has such a"
    )
