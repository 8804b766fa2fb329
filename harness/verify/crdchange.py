"""Reads what a change in git does to CRDs: each field whose constraints or CEL rules differ, by kind and version.

Descriptions and the order of members are no change. Code of a validator behind the CRDs is not read: where a file of Go
or Python differs, every kind counts as touched.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from harness.diagnostics import Position, UsageError
from harness.git import Repository
from harness.jsonpath import ITEMS, join
from harness.rulecov.inventory import KnownRule
from harness.rulecov.schemarules import VersionName, schema_inventory
from harness.subject.definitions import Definition, read_definitions
from harness.verify.change import (
    Change,
    ChangedFile,
    Event,
    FieldPath,
    KindName,
    Reason,
    Revision,
    RuleState,
    TouchedField,
    TouchedKind,
)
from harness.verify.layout import classify
from harness.verify.narrow import FocusName
from harness.verify.view import why_nothing

CRDS: Final = "crds"
"""The name of the subject in a report."""
Keywords: TypeAlias = Mapping[str, Any]
_RULES: Final = "x-kubernetes-validations"
_WITHIN = frozenset({"properties", "items", "additionalProperties"})
_WORDS = frozenset({"description", "title", "example", "externalDocs"})
_LONGEST = 80


class _ServedVersion(NamedTuple):
    """A served version of a kind: where it is defined, the keywords of each path, and the rules of the schema."""

    definition: Definition
    number: int
    paths: Mapping[str, Keywords]
    rules: tuple[KnownRule, ...]
    resources: tuple[str, ...]


def read_crd_change(
    checkout: Path, base: str, crds: str, fields: Sequence[str] = (), *, has_validator: bool = False
) -> Change:
    """Read the change of CRDs from the merge base of `base` and HEAD to the work tree.

    `crds` is their folder or file in the checkout. `fields` narrow to fields by path, or kind and path.
    Raises: UsageError, InputError for an invalid revision, CRD or field, and when git fails.
    """
    repository = Repository.at(checkout)
    location = _inside(repository.top, checkout / crds)
    named, head = repository.commit(base), repository.commit("HEAD")
    commit = repository.merge_base(named, head)
    files = classify(repository.differences(commit), "suites", repository.uncommitted())
    files = tuple(
        replace(one, file_class="types") if one.path.endswith((".yaml", ".yml", ".json")) else one for one in files
    )
    before = _versions(_read_base(repository, commit, location))
    after = _versions([_relative(one, repository.top) for one in read_definitions(str(repository.top / location))])
    touched = [one for name in sorted(after) for one in _fields(name, before.get(name), after[name])]
    code = (
        [one for one in files if one.file_class == "handwritten" or one.path.endswith(".go")] if has_validator else []
    )
    kinds = tuple(_kinds(before, after, touched, code))
    notes = [
        f"{name} is no longer served: its objects cannot be read or written any more"
        for name in before
        if name not in after
    ]
    base_revision = Revision(base, commit, repository.subject(commit))
    change = Change(
        repository.top, CRDS, base_revision, Revision("HEAD", head, repository.subject(head)), files, tuple(touched),
        kinds, nothing_touched="" if touched or kinds else why_nothing(files, base_revision, notes), notes=tuple(notes),
        crds=location,
    )  # fmt: skip
    return _narrow(change, fields)


def _inside(top: Path, path: Path) -> str:
    try:
        return path.resolve().relative_to(top.resolve()).as_posix()
    except ValueError:
        raise UsageError(f"{path} is not in {top}\n  fix: name a folder of the checkout with --crd") from None


def _relative(definition: Definition, top: Path) -> Definition:
    """Name the file of a definition as git does."""
    return replace(definition, file=os.path.relpath(definition.file, top))


def _read_base(repository: Repository, commit: str, location: str) -> list[Definition]:
    """Read the definitions of the base; none where it has none."""
    try:
        return read_definitions(f"{commit}:{location}", repository)
    except UsageError:
        return []


def _versions(definitions: Sequence[Definition]) -> dict[KindName, _ServedVersion]:
    found = {}
    for one in definitions:
        for number, version, schema in one.numbered_schemas():
            name = KindName(one.group, version, one.kind)
            rules = schema_inventory([(VersionName(one.group, version, one.kind), schema)]).rules
            found[name] = _ServedVersion(one, number, dict(_paths(schema, "")), rules, (one.resource,))
    return found


def _paths(schema: Mapping[str, Any], path: str) -> Iterator[tuple[str, Keywords]]:
    """Yield the keywords of each path; which members are required is said of the members."""
    yield path, {name: value for name, value in schema.items() if name not in _WITHIN | _WORDS and name != "required"}
    required, members = schema.get("required"), schema.get("properties")
    required = required if isinstance(required, list) else []
    for name, below in members.items() if isinstance(members, Mapping) else ():
        if isinstance(below, Mapping):
            inner = dict(_paths(below, join(path, name)))
            own = join(path, name)
            yield own, {**inner.pop(own), **({"required": True} if name in required else {})}
            yield from inner.items()
    for key in ("items", "additionalProperties"):
        if isinstance(below := schema.get(key), Mapping):
            yield from _paths(below, path + ITEMS)


def _fields(name: KindName, before: _ServedVersion | None, after: _ServedVersion) -> Iterator[TouchedField]:
    """Yield the paths whose keywords differ, the outermost alone of those that were added or removed."""
    if before is None:
        return
    gone: list[str] = []
    for path in sorted({*before.paths, *after.paths}):
        old, new = before.paths.get(path), after.paths.get(path)
        if old == new or any(path.startswith((f"{one}.", f"{one}[")) for one in gone):
            continue
        if old is None or new is None:
            gone.append(path)
        version = after if new is not None else before
        position = _position(version, path)
        rules = [tuple(_states(one, path)) for one in (before, after)]
        yield TouchedField(
            f"{name.group}/{name.version}.{name.kind}", path, "", (FieldPath(name, path),),
            tuple(_reasons(old, new, position)), rules_before=rules[0], rules_after=rules[1],
            position=position if new is not None else None, position_before=position if new is None else None,
        )  # fmt: skip


def _position(version: _ServedVersion, path: str) -> Position:
    inner = "".join(
        ".items" if step == ITEMS else f".properties.{step}"
        for step in path.replace(ITEMS, f".{ITEMS}").split(".")
        if step
    )
    return version.definition.position(f"spec.versions[{version.number}].schema.openAPIV3Schema{inner}")


def _states(version: _ServedVersion, path: str) -> Iterator[RuleState]:
    for known in version.rules:
        rule = known.rule
        if rule.path == path:
            yield RuleState("", rule.type, rule.origin, "", rule.tag, known.limit)


def _reasons(old: Keywords | None, new: Keywords | None, position: Position) -> Iterator[Reason]:
    """Yield what differs, a sentence for each keyword and each rule."""
    if old is None or new is None:
        event: Event = "added" if old is None else "removed"
        yield Reason("schema", event, f"the field is {event}", position, in_base=new is None)
        return
    for keyword in sorted({*old, *new} - {_RULES}):
        if old.get(keyword) != new.get(keyword):
            event = "added" if keyword not in old else "removed" if keyword not in new else "changed"
            values = [_written(one[keyword]) for one in (old, new) if keyword in one]
            yield Reason("schema", event, f"{keyword} {' is now '.join(values)}", position)
    said = [one.get(_RULES) or [] for one in (old, new)]
    lists = [one if isinstance(one, list) else [one] for one in said]  # a server refuses what is no list
    rules = [[json.dumps(rule, sort_keys=True) for rule in one] for one in lists]
    gone = [text for text in rules[0] if text not in rules[1]]
    for text in (*gone, *(text for text in rules[1] if text not in rules[0])):
        event = "removed" if text in gone else "added"
        yield Reason("schema", event, f"rule {_written(_rule_of(json.loads(text)))}", position)


def _rule_of(rule: Any) -> Any:
    return rule.get("rule") if isinstance(rule, dict) else rule


def _written(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _kinds(
    before: Mapping[KindName, _ServedVersion],
    after: Mapping[KindName, _ServedVersion],
    touched: Sequence[TouchedField],
    code: Sequence[ChangedFile],
) -> Iterator[TouchedKind]:
    for name, version in sorted(after.items()):
        paths = tuple(place.path for one in touched for place in one.paths if place.kind == name)
        reasons = tuple(
            Reason(
                "handwritten", "changed", "code of the validator may have changed", Position(one.path), certain=False
            )
            for one in code
        )
        if paths or reasons or name not in before:
            yield TouchedKind(
                name, paths, resources=version.resources, whole=bool(reasons), reasons=reasons, in_base=name in before
            )


def _narrow(change: Change, fields: Sequence[str]) -> Change:
    """Keep the named fields of a change."""
    if not fields:
        return change
    wanted = [FocusName.of(name) for name in fields]
    kept = [one for one in change.fields if any(name.matches(place) for name in wanted for place in one.paths)]
    places = {place for one in kept for place in one.paths}
    kinds = [
        replace(kind, paths=own, whole=False, reasons=())
        for kind in change.kinds
        if (own := tuple(path for path in kind.paths if FieldPath(kind.name, path) in places))
    ]
    left_out = tuple(one.name for one in change.fields if one not in kept)
    nothing = "" if kept else f"the change does not touch {', '.join(fields)}; it touches {', '.join(left_out[:5])}"
    return replace(change, fields=tuple(kept), kinds=tuple(kinds), left_out=left_out, nothing_touched=nothing)
