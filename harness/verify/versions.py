"""From the internal types that handwritten code speaks of to the versioned types that users and tags see."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from harness.gotypes.model import Struct
from harness.gotypes.packages import Universe
from harness.targets.kubernetes.release import type_folders
from harness.verify.change import KindName
from harness.verify.reach import KindReach
from harness.verify.sides import INTERNAL, Side
from harness.verify.touches import Member


class Versions:
    """The internal types of one side and their versions, by name: conversions keep the names of most."""

    def __init__(self, side: Side) -> None:
        self._side = side

    @cached_property
    def universe(self) -> Universe:
        """All types: versioned ones, those of apimachinery, internal ones."""
        folders = dict(type_folders(str(self._side.root)))
        for folder in sorted((self._side.root / "pkg" / "apis").iterdir()):
            if folder.is_dir():
                folders[f"{INTERNAL}{folder.name}"] = folder
        return Universe.from_folders(folders)

    @cached_property
    def _packages(self) -> dict[str, list[str]]:
        found: dict[str, dict[str, None]] = {}
        for kind in self._side.kinds.values():
            for family in kind.families:
                found.setdefault(family, {})[kind.package] = None
        return {family: list(packages) for family, packages in found.items()}

    def is_internal(self, type_name: str) -> bool:
        """Whether a type is one of the internal ones."""
        return type_name.rpartition(".")[0] in self._packages and type_name.startswith(INTERNAL)

    def members(self, member: Member) -> list[Member]:
        """Return the versioned fields of an internal one. A field of any other type is its own version."""
        if not self.is_internal(member[0]):
            return [member]
        package, _, name = member[0].rpartition(".")
        listed = [(f"{version}.{name}", member[1]) for version in self._packages.get(package, ())]
        return [one for one in listed if self._has(one)]

    def _has(self, member: Member) -> bool:
        declared = self._side.universe.find(member[0])
        if declared is None or not member[1]:
            return declared is not None
        return isinstance(declared, Struct) and any(one.name == member[1] for one in declared.fields)

    @cached_property
    def _roots(self) -> dict[KindName, str]:
        """The internal type of each kind."""
        return {
            kind.name: f"{family}.{kind.name.kind}"
            for kind in self._side.kinds.values()
            for family in kind.families[:1]
            if self.universe.find(f"{family}.{kind.name.kind}") is not None
        }

    def kinds(self, types: Iterable[str]) -> set[KindName]:
        """Return the kinds whose internal object has one of these types somewhere."""
        known = {one for one in types if self.universe.find(one) is not None}
        found = KindReach(self.universe, self._roots).paths(known)
        return {place.kind for places in found.values() for place in places}

    def kinds_named(self, types: Iterable[str]) -> set[KindName]:
        """Return the kinds whose internal object is of one of these types."""
        wanted = set(types)
        return {name for name, root in self._roots.items() if root in wanted}

    def kinds_of_family(self, family: str) -> set[KindName]:
        """Return the kinds of an internal package."""
        return {kind.name for kind in self._side.kinds.values() if family in kind.families}
