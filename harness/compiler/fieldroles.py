"""Says what a field is to the rules around it: whether a choice is made by it, which list above it has no keys, and
which feature gates it is behind.

Reads the tags of the fields on the way of a path as text, so that a type with a mistake still tells what it can. Tags
say by their traits what they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator
from functools import cached_property
from typing import NamedTuple

from harness.diagnostics import Position
from harness.gotypes.model import Comments, Field, Struct, TypeRef
from harness.jsonpath import ITEMS, join, pattern_of
from harness.tags.families.lists import LIST_MAP_KEY, LIST_TYPE, UNIQUE
from harness.tags.families.mode import DISCRIMINATORS, MODE_MEMBERS
from harness.tags.families.union import OLDER_CHOICES
from harness.tags.registry import ALL_SPECS
from harness.tags.release import Release
from harness.tags.spec import Trait
from harness.tags.types import Declarations, Types

_TAG = re.compile(r"\+([\w:]+)")
_GATES = re.compile(r"^\+featureGate=(.+)$")
_LIST_TYPE = f"+{LIST_TYPE.name}="
LEVEL = re.compile(r"^\+k8s:(?:alpha|beta)\([^)]*\)=(?=\+)")
"""The level in front of a tag."""
_IDENTITY = re.compile(r"=\W*(map|set)\W*$")


class UnkeyedList(NamedTuple):
    """A list whose items have no identity for the rules: its path, the tags that give them one, and where it is.

    `key_tag` is the tag for the key of the items, if they have one.
    """

    path: str
    tags: str
    key_tag: str
    position: Position
    package: str


class _Step(NamedTuple):
    """A field on the way of a path: the path that leads to it, its declaration, and its struct."""

    path: str
    member: Field
    struct: Struct


class FieldRoles:
    """The fields of an API, by their paths from the type of a kind."""

    def __init__(self, declarations: Declarations, release: Release) -> None:
        self._types, self._release = Types(declarations), release

    def makes_choice(self, root: str, path: str) -> bool:
        """Whether a field is a discriminator, or one of the members of which one is chosen."""
        steps = list(self._steps(root, path))
        return bool(steps) and steps[-1].path == _plain(path) and self._is_choice(steps[-1].member)

    def mode_of(self, root: str, path: str) -> str:
        """Return the path of the field by whose value the rules of a field are chosen; empty if there is none, or if
        its struct has several such.
        """
        steps, wanted = list(self._steps(root, path)), _plain(path)
        if not steps or steps[-1].path != wanted or not _has_tag(steps[-1].member, MODE_MEMBERS):
            return ""
        names = [one.json_name for one in steps[-1].struct.fields if _has_tag(one, DISCRIMINATORS)]
        return (
            join(wanted[: len(wanted) - len(steps[-1].member.json_name)].rstrip("."), names[0])
            if len(names) == 1
            else ""
        )

    def code_name(self, root: str, path: str) -> str:
        """Return the name that a field has in Go; empty if the types do not have it."""
        steps = list(self._steps(root, path))
        return steps[-1].member.name if steps and steps[-1].path == _plain(path) else ""

    def feature_gates(self, root: str, path: str) -> Iterator[tuple[str, str]]:
        """Yield the feature gates that comments on the way of a path name, each with the path of its field."""
        for step in self._steps(root, path):
            for line in step.member.comments:
                if (found := _GATES.match(line.text.strip())) is not None:
                    yield from ((gate.strip(), step.path) for gate in found[1].split(","))

    def unkeyed_list(self, root: str, path: str) -> UnkeyedList | None:
        """Return the outermost list on the way to a path whose items rules cannot find in the old list."""
        wanted = _plain(path)
        for step in self._steps(root, path):
            native = self._types.value(step.member.type)
            if native.kind not in ("list", "array") or not wanted.startswith(join(step.path, ITEMS)):
                continue
            comments = list(self._comments(step.member))
            if not any(_has_identity(one) for one in comments):
                is_typed = any(_LIST_TYPE in line.text for one in comments for line in one)
                is_map = native.elem is not None and self._types.struct(native.elem) is not None
                level = next((one for one, _ in Counter(levels_in(step.struct)).most_common(1)), "")
                tags = self._identity(is_typed, "map" if is_map else "set", level)
                key_tag = f"{level}+{LIST_MAP_KEY.name}" if is_map else ""
                return UnkeyedList(step.path, tags, key_tag, step.member.position, step.struct.package)
        return None

    def _identity(self, is_typed: bool, kind: str, level: str) -> str:
        """Return the tags that give the items of a list an identity, and leave the list atomic where they can.

        Their level is that of most tags of the struct: a rule without one is served beside the check.
        """
        if self._release.minor < UNIQUE.since:
            return f"{level}+{LIST_TYPE.name}={kind}"
        unique = f"{level}+{UNIQUE.name}={kind}"
        return unique if is_typed else f"+{LIST_TYPE.name}=atomic, {unique}"

    @cached_property
    def _choosing(self) -> frozenset[str]:
        return OLDER_CHOICES | {name for name, spec in ALL_SPECS.items() if Trait.CHOICE in spec.traits}

    def _is_choice(self, member: Field) -> bool:
        return _has_tag(member, self._choosing)

    def _comments(self, member: Field) -> Iterator[Comments]:
        yield member.comments
        ref = member.type
        while ref.kind == "pointer" and ref.elem is not None:
            ref = ref.elem
        declared = self._types.find(ref.name) if ref.kind == "named" else None
        if declared is not None:
            yield declared.comments

    def _steps(self, root: str, path: str) -> Iterator[_Step]:
        """Yield the fields on the way of a path, outermost first, as far as the types have them."""
        ref: TypeRef | None = TypeRef("named", root)
        way = ""
        for name in pattern_of(path):
            if ref is None:
                return
            way = join(way, name)
            struct = self._types.struct(ref)
            if struct is None:
                ref = self._types.value(ref).elem
                continue
            found = self._member(struct, name)
            if found is None:
                return
            member, owner = found
            yield _Step(way, member, owner)
            ref = member.type

    def _member(self, struct: Struct, name: str) -> tuple[Field, Struct] | None:
        inlined = []
        for member in struct.fields:
            if member.json_name == name and not member.inline:
                return member, struct
            if member.inline:
                inlined.append(member)
        for member in inlined:
            below = self._types.struct(member.type)
            if below is not None and below is not struct and (found := self._member(below, name)) is not None:
                return found
        return None


def levels_in(struct: Struct) -> Iterator[str]:
    """Yield the level of each tag of the fields of a struct that has one, as it is written."""
    for field in struct.fields:
        for line in (*field.second_comments, *field.comments):
            if (found := LEVEL.match(line.text.strip())) is not None:
                yield found[0]


def _has_tag(member: Field, names: Container[str]) -> bool:
    lines = (line.text.strip() for line in member.comments)
    return any(name in names for line in lines if line.startswith("+") for name in _TAG.findall(line))


def _has_identity(comments: Comments) -> bool:
    lines = (line.text.strip() for line in comments)
    return any(
        Trait.ITEM_IDENTITY in ALL_SPECS[name].traits and _IDENTITY.search(line) is not None
        for line in lines
        if line.startswith("+k8s:")
        for name in _TAG.findall(line)
        if name in ALL_SPECS
    )


def _plain(path: str) -> str:
    """Write a path with `[*]` for each subscript, as the steps of this module have it."""
    whole = ""
    for step in pattern_of(path):
        whole = join(whole, step)
    return whole
