"""Tries changes of tags on parsed types, in memory: where a tag would be written, and what its rules would say.

Nothing is written to a file. A change names the path of an object; here it becomes lines of a comment in types.go, with
the level that the tags around it have, and with the tags that lead to items and keys.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from harness.compare.change import TagChange
from harness.compiler import Validators
from harness.compiler.fieldroles import LEVEL, levels_in
from harness.diagnostics import Position
from harness.fuzzers.shape import ANY, FieldShape, Shape
from harness.gotypes.model import CommentLine, Comments, Field, Package, Struct, Typedef
from harness.gotypes.packages import Universe
from harness.jsonpath import pattern_of
from harness.subject.api import Api, bare_package
from harness.subject.compiledtypes import CompiledTypes
from harness.tags.custom_kubernetes import CustomFunctions

CompileWith: TypeAlias = Callable[[Universe, str], Validators]
"""From a universe and the import path of a package to its validators. Raises: InputError."""

_Declared = TypeVar("_Declared", Field, Struct, Typedef)

_INNERMOST = re.compile(r"\+k8s:[\w-]+(?:\([^)]*\))?(?:=(?!\+).*)?$")
_NAME = re.compile(r"\+([\w:.-]+)")
_REPEATED = frozenset({"k8s:update", "k8s:listMapKey", "k8s:dependentRequired", "k8s:dependentForbidden", "k8s:neq"})
"""Tags that an element may have several times, with other payloads."""
_DEFAULT_LEVEL = '+k8s:alpha(since: "1.37")='
_ITEMS, _KEYS = "+k8s:eachVal=", "+k8s:eachKey="


@dataclass(frozen=True, slots=True)
class TagEdit:
    """Lines of a comment to remove and to add: at a member of a struct, or at a type where `member` is empty."""

    type: str
    member: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The lines that one writes, or that one removes, for a sentence."""
        text = " with ".join(self.added or self.removed)
        return f"{text} in place of {self.removed[0]}" if self.added and self.removed else text


@dataclass(frozen=True, slots=True)
class TagRefusal:
    """Why a change is not to be proposed, for a sentence; or the tag that `is_there` already."""

    reason: str
    is_there: bool = False


class TagTrials:
    """The types of a subject, for trying changes of their tags. `packages` are those that have rules.

    Without `compile_with`, changes are found in the types and not tried.
    """

    def __init__(
        self, universe: Universe, packages: Collection[str] = (), compile_with: CompileWith | None = None
    ) -> None:
        self.universe, self._packages, self._compile = universe, packages, compile_with
        self._compiled: dict[TagEdit, CompiledTypes] = {}

    @property
    def compiles(self) -> bool:
        """Whether changed types can be compiled."""
        return self._compile is not None

    def is_new(self, edit: TagEdit) -> bool:
        """Whether an edit was not compiled before."""
        return edit not in self._compiled

    def position_of(self, edit: TagEdit) -> Position | None:
        """Return where the line stands that an edit removes or replaces; None of one that only adds."""
        lines = self._comments(edit.type, edit.member)
        return next((line.position for line in lines if line.text.strip() in edit.removed), None)

    def rules_with(self, edit: TagEdit) -> CompiledTypes:
        """Return the rules of the changed types, compiled on first use. They raise InputError if that fails."""
        if edit not in self._compiled:
            changed, compile_with = self._with(edit), self._compile
            assert compile_with is not None
            self._compiled[edit] = CompiledTypes(
                self.universe, self._packages, lambda path: compile_with(changed, path)
            )
        return self._compiled[edit]

    def edits(self, change: TagChange, shape: Shape, has_levels: bool) -> list[TagEdit] | TagRefusal:
        """Return the edits that would make a change in the type of an object, the likeliest first.

        `has_levels`: a handwritten check with a mark has a rule of a level beside it.
        """
        element = _find(change, shape)
        if element is None:
            return TagRefusal(f"the types have no field {change.path} of their own")
        comments = self._comments(element.type, element.member)
        if change.operation == "add":
            return self._additions(change, element, comments, has_levels)
        return self._at_existing(change, element, comments)

    def _additions(
        self, change: TagChange, element: _TaggedElement, comments: Comments, has_levels: bool
    ) -> list[TagEdit] | TagRefusal:
        lines = [line.text.strip() for line in comments]
        if not change.tags:
            found = self._named(change, element)
            return TagRefusal(found[0][2], is_there=True) if found else TagRefusal("")
        there = {LEVEL.sub("", line) for line in lines}
        missing = [tag for tag in map(element.wrap, change.tags) if tag not in there]
        if not missing:
            same = next(line for line in lines if LEVEL.sub("", line) in map(element.wrap, change.tags))
            return TagRefusal(same, is_there=True)
        names = {_bare(line): line for line in lines if line.startswith("+")}
        for tag in missing:
            name = _bare(tag)
            if name in names and _NAME.findall(name)[-1] not in _REPEATED:
                return (
                    self._exchanged(element, tag, names[name]) if len(missing) == 1 else TagRefusal(names[name], True)
                )
        levels = list(dict.fromkeys((*self._levels(element.type), _DEFAULT_LEVEL))) if has_levels else []
        ways = [tuple(missing)]
        if element.is_map:
            ways.append(tuple(f"{_KEYS}{tag}" for tag in missing))
        return [
            TagEdit(element.type, element.member, tuple(f"{level}{tag}" for tag in way))
            for level in (*levels, "")
            for way in ways
        ]

    def _exchanged(self, element: _TaggedElement, tag: str, line: str) -> list[TagEdit]:
        """Write a tag in the place of one with another payload, at the same level."""
        level = LEVEL.match(line)
        return [TagEdit(element.type, element.member, (f"{level[0] if level else ''}{tag}",), (line,))]

    def _named(self, change: TagChange, element: _TaggedElement) -> list[tuple[str, str, str]]:
        """Return the lines of the element and of its type that have a tag of these names, with type and member."""
        found: list[tuple[str, str, str]] = []
        for type_name, member in ((element.type, element.member), (element.named, "")):
            for line in self._comments(type_name, member) if type_name else ():
                innermost = _INNERMOST.search(text := line.text.strip())
                name = _NAME.match(innermost[0]) if innermost is not None else None
                if name is not None and name[1] in change.replaces:
                    found.append((type_name, member, text))
        return found

    def _at_existing(
        self, change: TagChange, element: _TaggedElement, comments: Comments
    ) -> list[TagEdit] | TagRefusal:
        found = self._named(change, element)
        if not found:
            return TagRefusal("")
        found.sort(key=lambda one: not any(one[2].endswith(tag) for tag in change.tags))
        if change.operation == "remove":
            return [TagEdit(type_name, member, (), (text,)) for type_name, member, text in found]
        return [
            TagEdit(type_name, member, (_INNERMOST.sub(lambda _: change.tags[0], text),), (text,))
            for type_name, member, text in found
            if not text.endswith(change.tags[0])
        ] or TagRefusal(change.tags[0], is_there=True)

    def _levels(self, type_name: str) -> list[str]:
        """Return the levels of tags in a struct as written, else those of its package, the commonest first."""
        found = self.universe.find(type_name)
        counts = Counter(levels_in(found) if isinstance(found, Struct) else ())
        if not counts:
            structs = self.universe.package(type_name.rpartition(".")[0]).structs.values()
            counts = Counter(level for struct in structs for level in levels_in(struct))
        return [level for level, _ in counts.most_common()]

    def _comments(self, type_name: str, member: str) -> Comments:
        found = self.universe.find(type_name)
        if isinstance(found, Struct) and member:
            field = next((one for one in found.fields if member in (one.json_name, one.name)), None)
            return () if field is None else (*field.second_comments, *field.comments)
        return () if found is None else (*found.second_comments, *found.comments)

    def _with(self, edit: TagEdit) -> Universe:
        found = self.universe.find(edit.type)
        assert found is not None
        package = self.universe.package(found.package)
        if isinstance(found, Struct) and edit.member:
            fields = tuple(
                _edited(one, edit) if edit.member in (one.json_name, one.name) else one for one in found.fields
            )
            return self.universe.with_package(_with_struct(package, replace(found, fields=fields)))
        if isinstance(found, Struct):
            return self.universe.with_package(_with_struct(package, _edited(found, edit)))
        typedefs = {**package.typedefs, found.name: _edited(found, edit)}
        return self.universe.with_package(replace(package, typedefs=typedefs))


@dataclass(frozen=True, slots=True)
class _TaggedElement:
    """Where tags of a change stand, and how far below it the value is: `depth` lists and maps.

    `named` is the type of the value, if it is a named one.
    """

    type: str
    member: str
    depth: int = 0
    is_map: bool = False
    named: str = ""

    def wrap(self, tag: str) -> str:
        """Return a tag as the element has it."""
        return f"{_ITEMS * self.depth}{tag}"


def _find(change: TagChange, shape: Shape) -> _TaggedElement | None:
    """Follow a path to the element that would have the tags; None where the type has no such element of its own."""
    steps = list(pattern_of(change.path))
    if change.place == "list" and steps and steps[-1].startswith("["):
        steps.pop()
    field: FieldShape | None = None
    depth = 0
    for step in steps:
        if shape.kind == "struct":
            field, depth = shape.by_name.get(step), 0
            if field is None:
                return None
            shape = field.shape
        else:
            depth += 1
            shape = shape.elem if shape.kind in ("list", "map") else ANY
    if field is None:
        return None
    named = shape.type if "." in shape.type else ""
    if change.place == "type":
        return _TaggedElement(named, "", named=named) if named else None
    member = change.member if change.place == "sibling" else field.name
    return _TaggedElement(field.owner, member, depth, shape.kind == "map", named)


def _bare(line: str) -> str:
    """Return a line of tags without its level and the payload of the innermost tag."""
    text = LEVEL.sub("", line)
    innermost = _INNERMOST.search(text)
    if innermost is None:
        return text
    return text[: innermost.start()] + f"+{_NAME.findall(innermost[0])[0]}"


def _edited(declared: _Declared, edit: TagEdit) -> _Declared:
    """Return a declaration with other lines in its comment."""

    def without(comments: Comments) -> Comments:
        return tuple(line for line in comments if line.text.strip() not in edit.removed)

    last = next(reversed((*declared.second_comments, *declared.comments)), None)
    position = declared.position if last is None else last.position
    added: Comments = tuple(CommentLine(text, position) for text in edit.added)
    kept: Comments = without(declared.comments)
    second: Comments = without(declared.second_comments)
    return replace(declared, comments=(*kept, *added), second_comments=second)


def _with_struct(package: Package, struct: Struct) -> Package:
    return replace(package, structs={**package.structs, struct.name: struct})


def trials_of(api: Api) -> TagTrials:
    """Return the trials of an API whose declarative side is compiled here."""
    packages = {package.path: package for package in api.packages}
    functions = CustomFunctions()

    def compile_with(universe: Universe, path: str) -> Validators:
        return replace(api, universe=universe).compile(packages.get(path) or bare_package(path), functions)

    return TagTrials(api.universe, packages, compile_with)
