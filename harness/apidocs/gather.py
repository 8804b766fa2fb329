"""From an API to what is said of it: every version compiled, its rules said in words, its versions laid side by side.

Types that many kinds share, or that hold themselves, have a section of their own and are linked; everything else stands
at its full path in the section of its kind.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from harness.apidocs.document import ApiGroup, ApiReference, FieldRow, Key, Section, State, Statement
from harness.apidocs.places import first_sentence, place_of
from harness.apidocs.sharing import Sharing, kinds_of
from harness.apidocs.walk import TypeWalk, VersionRow, exists
from harness.apidocs.words import RuleSentence
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
class _Use:
    """A type of one version that a section is about."""

    version: str
    type: str
    plan: Plan


@dataclass(slots=True)
class _Standing:
    """A rule while versions are laid side by side."""

    said: RuleSentence
    states: dict[str, State] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)


def gather(api: Api) -> ApiReference:
    """Compile every package of an API and say what it declares. Raises: InputError with everything that is wrong."""
    packages = {package.path: package for package in reversed(api.packages)}
    groups = group_names(list(packages.values()))
    plans: dict[str, Plan] = {}
    wrong: list[Diagnostic] = []
    for package in api.packages:
        if package.generates:
            try:
                plan = api.compile(package, CustomFunctions()).plan
            except InputError as error:
                wrong += error.diagnostics
            else:
                plans[package.path] = _joined(plans.get(package.path), plan)
    if wrong:
        raise InputError(list(dict.fromkeys(wrong)))
    versions = [_Version(groups[path], packages[path].version, plan) for path, plan in plans.items()]
    skipped = tuple(package.path for package in api.packages if not package.generates)
    return _Gatherer(api, versions, groups).document(skipped)


def _joined(one: Plan | None, other: Plan) -> Plan:
    """Join what is generated from the same types in two places, with other roots."""
    if one is None:
        return other
    return Plan(one.package, {**other.types, **one.types}, {**other.roots, **one.roots})


def age(version: str) -> tuple[int, int, int, str]:
    """Sort versions newest and most stable first: v2, v1, v1beta2, v1alpha1, and then what is no version."""
    found = _VERSION.fullmatch(version)
    if found is None:
        return (3, 0, 0, version)
    stage = {"": 0, "beta": 1, "alpha": 2}[found[2] or ""]
    return (stage, -int(found[1]), -int(found[3] or 0), version)


def group_names(packages: Sequence[ApiPackage]) -> dict[str, str]:
    """Name the group of every package: as it says, else by its folders below those that all such packages share."""
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
    """Return the folders of a package, without that of its version."""
    parts = path.split("/")
    return parts[:-1] if len(parts) > 1 and _VERSION.fullmatch(parts[-1]) else parts


class _Gatherer:
    """Writes the document of one API."""

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
        """Return everything."""
        kinds: dict[Key, list[_Use]] = {}
        silent: dict[Key, list[str]] = {}
        shared: dict[Key, dict[str, _Use]] = {}
        for one in self._versions:
            for root in kinds_of(one.plan, self._types):
                if root.type in one.plan.types:
                    kinds.setdefault(Key(one.group, root.name), []).append(_Use(one.version, root.type, one.plan))
                else:
                    silent.setdefault(Key(one.group, root.name), []).append(one.version)
            for name in one.plan.types:
                if self._sharing.is_linked(self._key(name)):
                    version = name.rpartition(".")[0].rpartition("/")[2]
                    shared.setdefault(self._key(name), {}).setdefault(version, _Use(version, name, one.plan))
        sections = [self._section(key, uses, True) for key, uses in kinds.items()]
        sections += [self._section(key, list(uses.values()), False) for key, uses in shared.items() if key not in kinds]
        return ApiReference(
            self._api.name, self._api.release, self._grouped(sections, silent), skipped, _updates(sections)
        )

    def _grouped(self, sections: Sequence[Section], silent: Mapping[Key, list[str]]) -> tuple[ApiGroup, ...]:
        listed = [self._connected(one, sections) for one in sorted(sections, key=lambda one: one.key.name)]
        names = sorted({section.key.group for section in listed} | {key.group for key in silent})
        return tuple(
            ApiGroup(
                name,
                tuple(one for one in listed if one.key.group == name and one.is_kind),
                tuple(one for one in listed if one.key.group == name and not one.is_kind),
                tuple(sorted((k.name, tuple(sorted(v, key=age))) for k, v in silent.items() if k.group == name)),
            )
            for name in names
        )

    def _connected(self, section: Section, sections: Sequence[Section]) -> Section:
        """Add who uses a section, and how much it says together with the parts it links to."""
        by_key = {one.key: one for one in sections}
        parts: dict[Key, None] = {}
        waiting = [section.key]
        while waiting:
            links = [row.link for row in by_key[waiting.pop()].rows if row.link in by_key]
            new = [link for link in links if link is not None and link not in parts and link != section.key]
            parts |= dict.fromkeys(new)
            waiting += new
        total = section.rules + sum(by_key[part].rules for part in parts)
        return replace(section, used_by=tuple(self._used_by.get(section.key, ())), parts=tuple(parts), total=total)

    # One section

    def _section(self, key: Key, uses: list[_Use], is_kind: bool) -> Section:
        uses.sort(key=lambda use: age(use.version))
        order: list[str] = []
        lines: dict[str, list[tuple[str, VersionRow]]] = {}
        for use in uses:
            walk = TypeWalk(self._types, use.plan, self._linked)
            walk.type(use.type)
            for line in walk.lines.values():
                if not line.is_empty:
                    lines.setdefault(line.path, []).append((use.version, line))
            _merge(order, [path for path, line in walk.lines.items() if not line.is_empty])
        for path in order:
            for _, line in lines[path]:
                if line.link is not None:
                    self._used_by.setdefault(line.link, {})[key, path] = None
        return Section(
            key,
            is_kind,
            tuple(use.version for use in uses),
            self._about(uses[0].type),
            {use.version: self._place(use.type) for use in uses},
            {use.version: tuple(sorted(use.plan.roots[key.name].paths)) for use in uses} if is_kind else {},
            tuple(self._row(path, lines[path], uses) for path in order),
            options=tuple(sorted(frozenset().union(*(options_of(use.plan, use.type) for use in uses)))),
        )

    def _linked(self, name: str) -> Key | None:
        key = self._key(name)
        return key if self._sharing.is_linked(key) else None

    def _about(self, name: str) -> str:
        found = self._types.find(name)
        return first_sentence(found.comments) if found else ""

    def _place(self, name: str) -> str:
        found = self._types.find(name)
        return place_of(found.package, found.position) if found else ""

    def _row(self, path: str, lines: Sequence[tuple[str, VersionRow]], uses: Sequence[_Use]) -> FieldRow:
        standings: dict[tuple[str, ...], _Standing] = {}
        notes: dict[str, None] = {}
        for version, line in lines:
            notes |= line.notes
            for said, place in line.said:
                same = (said.words, *said.conditions, said.tag, said.error)
                standing = standings.setdefault(same, _Standing(said))
                standing.states.setdefault(version, _STATES[said.level])
                standing.places.setdefault(version, place)
        first = lines[0][1]
        missing: dict[str, State] = {
            use.version: "absent" if exists(self._types, TypeRef("named", use.type), first.steps) else "no field"
            for use in uses
        }
        return FieldRow(
            path,
            first.type,
            next((line.about for _, line in lines if line.about), ""),
            tuple(_statement(s, missing) for s in sorted(standings.values(), key=lambda s: bool(s.said.error))),
            tuple(notes),
            next((line.link for _, line in lines if line.link), None),
        )


def _statement(standing: _Standing, missing: Mapping[str, State]) -> Statement:
    said = standing.said
    return Statement(
        said.words,
        ", ".join(said.conditions),
        said.tag,
        said.error,
        said.stops,
        said.on_update,
        {**missing, **standing.states},
        standing.places,
    )


def _merge(order: list[str], paths: Sequence[str]) -> None:
    """Put the paths of another version among those that are known, each behind the one it follows."""
    at = 0
    known = set(order)
    for path in paths:
        if path in known:
            at = order.index(path) + 1
        else:
            order.insert(at, path)
            at += 1


def _updates(sections: Sequence[Section]) -> dict[str, str]:
    """Return what is special about updates, by tag, for the tags that occur."""
    tags = {statement.tag for section in sections for row in section.rows for statement in row.statements}
    return {tag: ALL_SPECS[tag].update for tag in sorted(tags) if tag in ALL_SPECS and ALL_SPECS[tag].update}
