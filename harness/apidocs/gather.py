"""Makes the document of an API: compiles every version, describes its rules, and merges the versions of each kind.

Types that many kinds share, and recursive ones, have a section of their own and are linked. Every other type is written
out at its full path in the section of its kind.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from harness.apidocs.descriptions import RuleDescription
from harness.apidocs.document import ApiGroup, ApiReference, FieldRow, Key, Section, State, Statement
from harness.apidocs.positions import first_sentence, position_text
from harness.apidocs.sharing import Sharing, kinds_of
from harness.apidocs.walk import TypeWalk, VersionRow, has_field
from harness.compiler.plan import Plan, options_of
from harness.diagnostics import Diagnostic, InputError
from harness.gotypes.model import TypeRef
from harness.subject.api import Api, ApiPackage
from harness.tags.custom_kubernetes import CustomFunctions
from harness.tags.registry import ALL_SPECS
from harness.tags.types import Types

_VERSION = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?")
_STATES: dict[str, State] = {"standard": "standard", "beta": "beta", "alpha": "alpha"}


@dataclass(frozen=True, slots=True)
class _Version:
    """One package of an API, compiled."""

    group: str
    version: str
    plan: Plan


@dataclass(frozen=True, slots=True)
class _VersionedType:
    """The type that a section documents, in one version."""

    version: str
    type: str
    plan: Plan


@dataclass(slots=True)
class _MergedRule:
    """A rule with its state and its position in each version that has it."""

    rule: RuleDescription
    states: dict[str, State] = field(default_factory=dict)
    positions: dict[str, str] = field(default_factory=dict)


def gather(api: Api) -> ApiReference:
    """Compile every package of an API and document its rules. Raises: InputError with all diagnostics."""
    packages = {package.path: package for package in reversed(api.packages)}
    groups = group_names(list(packages.values()))
    plans: dict[str, Plan] = {}
    diagnostics: list[Diagnostic] = []
    for package in api.packages:
        if package.generates:
            try:
                plan = api.compile(package, CustomFunctions()).plan
            except InputError as error:
                diagnostics += error.diagnostics
            else:
                plans[package.path] = _join_plans(plans.get(package.path), plan)
    if diagnostics:
        raise InputError(list(dict.fromkeys(diagnostics)))
    versions = [_Version(groups[path], packages[path].version, plan) for path, plan in plans.items()]
    skipped = tuple(package.path for package in api.packages if not package.generates)
    return _Gatherer(api, versions, groups).document(skipped)


def _join_plans(one: Plan | None, other: Plan) -> Plan:
    """Join the plans of two packages that are generated from the same types with different roots."""
    if one is None:
        return other
    return Plan(one.package, {**other.types, **one.types}, {**other.roots, **one.roots})


def version_order(version: str) -> tuple[int, int, int, str]:
    """Return the sort key of a version, stable and new ones first: v2, v1, v1beta2, v1alpha1, then other names."""
    found = _VERSION.fullmatch(version)
    if found is None:
        return (3, 0, 0, version)
    stage = {"": 0, "beta": 1, "alpha": 2}[found[2] or ""]
    return (stage, -int(found[1]), -int(found[3] or 0), version)


def group_names(packages: Sequence[ApiPackage]) -> dict[str, str]:
    """Name the group of every package: its GroupName, else its folders below those that all unnamed packages share.

    A GroupName that two packages of one version have names neither of them.
    """
    claims = Counter((package.group, package.version) for package in packages)
    names = {one.path: one.group for one in packages if one.group and claims[one.group, one.version] == 1}
    folders = {one.path: _folders(one.path) for one in packages if one.path not in names}
    levels = zip(*{tuple(parts[:-1]) for parts in folders.values()}, strict=False)
    shared = sum(1 for _ in takewhile(lambda level: len(set(level)) == 1, levels))
    taken = set(names.values())
    for path, parts in folders.items():
        name = "/".join(parts[shared:])
        names[path] = path if name in taken else name
    return names


def _folders(path: str) -> list[str]:
    """Return the folders of a package, without the folder of its version."""
    parts = path.split("/")
    return parts[:-1] if len(parts) > 1 and _VERSION.fullmatch(parts[-1]) else parts


class _Gatherer:
    """Makes the document of one API from its compiled versions."""

    def __init__(self, api: Api, versions: Sequence[_Version], groups: Mapping[str, str]) -> None:
        self._api, self._versions, self._groups = api, versions, groups
        self._types = Types(api.universe)
        self._sharing = Sharing([(one.group, one.plan) for one in versions], self._key, self._types)
        self._used_by: dict[Key, dict[tuple[Key, str], None]] = {}

    def _key(self, qualified: str) -> Key:
        package, _, name = qualified.rpartition(".")
        if package in self._groups:
            return Key(self._groups[package], name)
        folder = _folders(package)[-1]  # of another module, such as meta/v1
        return Key(package if folder in self._groups.values() else folder, name)

    def document(self, skipped: tuple[str, ...]) -> ApiReference:
        """Return the document of all kinds and shared types."""
        kinds: dict[Key, list[_VersionedType]] = {}
        without_rules: dict[Key, list[str]] = {}
        shared: dict[Key, dict[str, _VersionedType]] = {}
        for one in self._versions:
            for root in kinds_of(one.plan, self._types):
                if root.type in one.plan.types:
                    kinds.setdefault(Key(one.group, root.name), []).append(
                        _VersionedType(one.version, root.type, one.plan)
                    )
                else:
                    without_rules.setdefault(Key(one.group, root.name), []).append(one.version)
            for name in one.plan.types:
                if self._sharing.is_linked(self._key(name)):
                    version = name.rpartition(".")[0].rpartition("/")[2]
                    shared.setdefault(self._key(name), {}).setdefault(version, _VersionedType(version, name, one.plan))
        sections = [self._section(key, uses, True) for key, uses in kinds.items()]
        sections += [self._section(key, list(uses.values()), False) for key, uses in shared.items() if key not in kinds]
        return ApiReference(
            self._api.name, self._api.release, self._group(sections, without_rules), skipped, _updates(sections)
        )

    def _group(self, sections: Sequence[Section], without_rules: Mapping[Key, list[str]]) -> tuple[ApiGroup, ...]:
        connected = [self._add_links(one, sections) for one in sorted(sections, key=lambda one: one.key.name)]
        names = sorted({section.key.group for section in connected} | {key.group for key in without_rules})
        return tuple(
            ApiGroup(
                name,
                tuple(one for one in connected if one.key.group == name and one.is_kind),
                tuple(one for one in connected if one.key.group == name and not one.is_kind),
                tuple(
                    sorted(
                        (key.name, tuple(sorted(versions, key=version_order)))
                        for key, versions in without_rules.items()
                        if key.group == name
                    )
                ),
            )
            for name in names
        )

    def _add_links(self, section: Section, sections: Sequence[Section]) -> Section:
        """Add the users of a section, the shared types that it links to, and the number of all their rules."""
        by_key = {one.key: one for one in sections}
        linked: dict[Key, None] = {}
        waiting = [section.key]
        while waiting:
            links = [row.link for row in by_key[waiting.pop()].rows if row.link in by_key]
            new = [link for link in links if link is not None and link not in linked and link != section.key]
            linked |= dict.fromkeys(new)
            waiting += new
        total = section.rule_count + sum(by_key[key].rule_count for key in linked)
        users = tuple(self._used_by.get(section.key, ()))
        return replace(section, used_by=users, linked_types=tuple(linked), total_rules=total)

    # One section

    def _section(self, key: Key, uses: list[_VersionedType], is_kind: bool) -> Section:
        uses.sort(key=lambda use: version_order(use.version))
        order: list[str] = []
        rows: dict[str, list[tuple[str, VersionRow]]] = {}
        for use in uses:
            walk = TypeWalk(self._types, use.plan, self._link_of)
            walk.walk(use.type)
            for row in walk.rows.values():
                if not row.is_empty:
                    rows.setdefault(row.path, []).append((use.version, row))
            _merge_paths(order, [path for path, row in walk.rows.items() if not row.is_empty])
        for path in order:
            for _, row in rows[path]:
                if row.link is not None:
                    self._used_by.setdefault(row.link, {})[key, path] = None
        return Section(
            key,
            is_kind,
            tuple(use.version for use in uses),
            self._summary(uses[0].type),
            {use.version: self._position(use.type) for use in uses},
            {use.version: tuple(sorted(use.plan.roots[key.name].paths)) for use in uses} if is_kind else {},
            tuple(self._row(path, rows[path], uses) for path in order),
            options=tuple(sorted(frozenset().union(*(options_of(use.plan, use.type) for use in uses)))),
        )

    def _link_of(self, name: str) -> Key | None:
        key = self._key(name)
        return key if self._sharing.is_linked(key) else None

    def _summary(self, name: str) -> str:
        found = self._types.find(name)
        return first_sentence(found.comments) if found else ""

    def _position(self, name: str) -> str:
        found = self._types.find(name)
        return position_text(found.package, found.position) if found else ""

    def _row(self, path: str, rows: Sequence[tuple[str, VersionRow]], uses: Sequence[_VersionedType]) -> FieldRow:
        """Merge the rows of one path; rules are the same if text, conditions, tag and errors are."""
        merged: dict[tuple[str, ...], _MergedRule] = {}
        notes: dict[str, None] = {}
        for version, row in rows:
            notes |= row.notes
            for rule, position in row.rules:
                identity = (rule.text, *rule.conditions, rule.tag, rule.error)
                entry = merged.setdefault(identity, _MergedRule(rule))
                entry.states.setdefault(version, _STATES[rule.level])
                entry.positions.setdefault(version, position)
        first = rows[0][1]
        default_states: dict[str, State] = {
            use.version: "absent" if has_field(self._types, TypeRef("named", use.type), first.steps) else "no field"
            for use in uses
        }
        rules_without_errors_first = sorted(merged.values(), key=lambda entry: bool(entry.rule.error))
        return FieldRow(
            path,
            first.type,
            next((row.summary for _, row in rows if row.summary), ""),
            tuple(_statement(entry, default_states) for entry in rules_without_errors_first),
            tuple(notes),
            next((row.link for _, row in rows if row.link), None),
        )


def _statement(merged: _MergedRule, default_states: Mapping[str, State]) -> Statement:
    rule = merged.rule
    return Statement(
        rule.text,
        ", ".join(rule.conditions),
        rule.tag,
        rule.error,
        rule.short_circuits,
        rule.only_updates,
        {**default_states, **merged.states},
        merged.positions,
    )


def _merge_paths(order: list[str], paths: Sequence[str]) -> None:
    """Insert the paths of another version into an order, each after its predecessor in that version."""
    index = 0
    known = set(order)
    for path in paths:
        if path in known:
            index = order.index(path) + 1
        else:
            order.insert(index, path)
            index += 1


def _updates(sections: Sequence[Section]) -> dict[str, str]:
    """Return how updates are treated, for each tag of the document whose treatment is special."""
    tags = {statement.tag for section in sections for row in section.rows for statement in row.statements}
    notes = {tag: ALL_SPECS[tag].update_note for tag in sorted(tags) if tag in ALL_SPECS}
    return {tag: note for tag, note in notes.items() if note}
