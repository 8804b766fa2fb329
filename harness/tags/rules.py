"""The rules that tags contribute, one per function that upstream's generated code would call.

A rule names the function and how it affects the other rules of its element: short-circuit, non-error, cohort, level.
The compiler orders the rules and writes the code. Source: semantics.md#3.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from harness.diagnostics import Position
from harness.field import FieldError, Level
from harness.gotypes.model import Field, TypeRef
from harness.tags.grammar import NOWHERE

CheckFunction: TypeAlias = Callable[..., Sequence[FieldError]]
"""(operation, path, new, old, *arguments) to errors."""


@dataclass(frozen=True, slots=True)
class KeyOf:
    """An argument: the function from a list item to its key; None if the items have no identity."""

    identity: Identity


@dataclass(frozen=True, slots=True)
class Show:
    """An argument: the function that prints a value of a type for an error (semantics.md#6.4).

    `quoted` strings are printed with %q; others, which upstream passes as pointers, as JSON.
    """

    type: TypeRef
    quoted: bool = True


@dataclass(frozen=True, slots=True)
class Same:
    """An argument: the function that compares two values of a type as Go does (semantics.md#4.2)."""

    type: TypeRef


@dataclass(frozen=True, slots=True)
class Options:
    """An argument: the operation's validation options."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a union: a field, or the item that a selector matches. `position` is that of the tag that says so."""

    label: str
    value: str = ""
    field: Field | None = None
    selector: Selector | None = None
    position: Position = dataclasses.field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Selector:
    """Selects an item of a keyed list by the values of its key members, in tag order."""

    keys: tuple[tuple[str, str | int | bool], ...]
    elem: TypeRef

    @property
    def text(self) -> str:
        """The selector as it names a cohort and a union member: `{"type": "Ready"}`."""
        return "{" + ", ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in self.keys) + "}"


@dataclass(frozen=True, slots=True)
class MembersSet:
    """An argument: the function from a struct or list to a tuple of booleans, true for each member that is set."""

    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class ValueOf:
    """An argument: the function from a struct (or None) to one member's value."""

    field: Field


@dataclass(frozen=True, slots=True)
class Identity:
    """How an item of the new list is matched with one of the old list: `map` by keys, `set` by value, `atomic` not."""

    elem: TypeRef
    semantic: Literal["map", "set", "atomic"] = "atomic"
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """A call of a check function with constant arguments and the placeholders above.

    `custom` is the name of the handwritten Go function that the check replaces, if it does.
    """

    function: CheckFunction
    args: tuple[Any, ...] = ()
    custom: str = ""


@dataclass(frozen=True, slots=True)
class EachVal:
    """A rule for every list item or map value. `identity` is known once the list's metadata is complete."""

    rule: Rule
    list_type: TypeRef
    identity: Identity | None


@dataclass(frozen=True, slots=True)
class EachKey:
    """A rule for every key of a map, at the map's path."""

    rule: Rule


@dataclass(frozen=True, slots=True)
class Item:
    """A rule for the first item that a selector matches."""

    rule: Rule
    selector: Selector


@dataclass(frozen=True, slots=True)
class Subfield:
    """A rule for a member of a struct."""

    rule: Rule
    member: Field


@dataclass(frozen=True, slots=True)
class Option:
    """A rule that runs while an option has the wanted state.

    A name that starts with a slash is the path of a subresource, which is on for requests that come through it.
    """

    rule: Rule
    name: str
    wanted: bool


def is_subresource(name: str) -> bool:
    """Whether the name of an option is the path of a subresource that a request comes through."""
    return name.startswith("/")


@dataclass(frozen=True, slots=True)
class Mode:
    """Rules for a member by the value of a discriminator (semantics.md#5.10)."""

    member: Field
    discriminator: Field
    rules: tuple[tuple[str | bool | int, tuple[Rule, ...]], ...]
    otherwise: Rule


Body: TypeAlias = Check | EachVal | EachKey | Item | Subfield | Option | Mode


@dataclass(frozen=True, slots=True)
class Rule:
    """One function of an element (semantics.md#3.3).

    `short_circuits`: if it fails, the later rules of its cohort are skipped. `hidden`: its errors are not reported.
    `position` is that of the tag that declares it. Where several tags are one rule, `parts` has the position of each,
    by the label of the member or the detail of the error that it brings.
    """

    body: Body
    short_circuits: bool = False
    hidden: bool = False
    cohort: str = ""
    level: Level = ""
    tag: str = ""
    position: Position = dataclasses.field(default=NOWHERE, compare=False)
    parts: Mapping[str, Position] = dataclasses.field(default_factory=dict, compare=False)

    @property
    def is_function_reference(self) -> bool:
        """Whether upstream passes the function by reference and not in a call, so that a nested level is lost.

        Source: semantics.md#3.5.
        """
        return isinstance(self.body, Check) and not self.body.args

    def inside(self) -> Rule:
        """Return the rule as it works in a wrapper: without flags; without level if it is a function reference."""
        level: Level = "" if self.is_function_reference else self.level
        return Rule(self.body, level=level, tag=self.tag, position=self.position, parts=self.parts)


@dataclass(frozen=True, slots=True)
class Deferred:
    """A contribution that is made later. `group` is set if it merges several tags into one rule: list, union, update.

    Source: semantics.md#3.2.
    """

    run: Callable[[], Contribution]
    group: str = ""


@dataclass(slots=True)
class Contribution:
    """The rules of one tag: made already, deferred, and deferred to the enclosing struct (semantics.md#3.2).

    `around` is deferred by an item or value to the struct that encloses its list or map.
    """

    rules: list[Rule] = field(default_factory=list)
    deferred: list[Deferred] = field(default_factory=list)
    parent: list[Deferred] = field(default_factory=list)
    opaque_type: bool = False
    opaque_key: bool = False
    opaque_val: bool = False
    around: list[Deferred] = field(default_factory=list)

    def add(self, other: Contribution) -> None:
        """Append another contribution to this one."""
        self.rules += other.rules
        self.deferred += other.deferred
        self.parent += other.parent
        self.around += other.around
        self.opaque_type |= other.opaque_type
        self.opaque_key |= other.opaque_key
        self.opaque_val |= other.opaque_val

    def wrapped(self, wrap: Callable[[Rule], Rule], groups: bool = True) -> Contribution:
        """Return the contribution with every rule wrapped, including deferred rules.

        Without `groups`, deferred rules of groups are not wrapped, as in releases before 1.37.
        """
        return Contribution(
            [wrap(rule) for rule in self.rules],
            [_wrap_later(d, wrap) if groups or not d.group else d for d in self.deferred],
            [_wrap_later(d, wrap) if groups or not d.group else d for d in self.parent],
            self.opaque_type,
            self.opaque_key,
            self.opaque_val,
            [_wrap_later(d, wrap) for d in self.around],
        )

    def resolved(self, rounds: int = 10) -> Contribution:
        """Run the deferred work of this element, in rounds, and return its rules and what is deferred to the parent."""
        out = Contribution(list(self.rules), [], list(self.parent), self.opaque_type, self.opaque_key, self.opaque_val)
        out.around += self.around
        waiting = list(self.deferred)
        for _ in range(rounds):
            if not waiting:
                return out
            results = [deferred.run() for deferred in waiting]
            waiting = [d for result in results for d in result.deferred]
            for result in results:
                out.add(replace(result, deferred=[]))
        return out


def _wrap_later(deferred: Deferred, wrap: Callable[[Rule], Rule]) -> Deferred:
    return Deferred(lambda: deferred.run().wrapped(wrap), deferred.group)


@dataclass(slots=True)
class ListData:
    """The list tags of one field or type (semantics.md#5.6). `position` is that of the one that makes items unique."""

    list_type: str = ""
    unique: str = ""
    keys: list[str] = field(default_factory=list)
    custom: bool = False
    level: Level = ""
    position: Position = NOWHERE
    done: bool = False

    @property
    def semantic(self) -> Literal["map", "set", "atomic"]:
        """How items are matched with old items."""
        if "map" in (self.list_type, self.unique):
            return "map"
        return "set" if "set" in (self.list_type, self.unique) else "atomic"


@dataclass(slots=True)
class UnionData:
    """The members of one union."""

    members: list[Member] = field(default_factory=list)
    discriminator: Field | None = None
    level: Level = ""


@dataclass(slots=True)
class ModeData:
    """One discriminator group of a struct and the rules that depend on it."""

    discriminator: Field | None = None
    rules: list[tuple[Field, str, Rule, list[Rule]]] = field(default_factory=list)


@dataclass(slots=True)
class Store:
    """Data that tags of one element share, by the path of the element or of its struct."""

    lists: dict[str, ListData] = field(default_factory=dict)
    updates: dict[str, dict[str, Position]] = field(default_factory=dict)
    update_levels: dict[str, Level] = field(default_factory=dict)
    updates_done: set[str] = field(default_factory=set)
    unions: dict[tuple[str, str], dict[str, UnionData]] = field(default_factory=dict)
    unions_done: set[tuple[str, str]] = field(default_factory=set)
    declared_unions: set[tuple[str, str]] = field(default_factory=set)
    modes: dict[str, dict[str, ModeData]] = field(default_factory=dict)
    modes_done: set[str] = field(default_factory=set)
    inherited: set[str] = field(default_factory=set)
