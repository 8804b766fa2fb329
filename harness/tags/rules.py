"""What tags contribute: rules, one per function that upstream's generated code would call.

A rule says what is called and how it behaves among its neighbours (short-circuit, non-error, cohort, level). The order
of rules and the code for them are the compiler's. Source: semantics.md#3.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from harness.field import FieldError, Level
from harness.gotypes.model import Field, TypeRef

CheckFunction: TypeAlias = Callable[..., Sequence[FieldError]]
"""(operation, path, new, old, *arguments) to errors."""


@dataclass(frozen=True, slots=True)
class KeyOf:
    """An argument: the function from a list item to its key; None when nothing tells items apart."""

    identity: Identity


@dataclass(frozen=True, slots=True)
class Show:
    """An argument: the function that renders a value of a type in an error's text (semantics.md#6.4).

    Strings are quoted as Go does it, or written as JSON where the check hands on a pointer to its value.
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
    """A member of a union: how to tell whether it is set."""

    label: str
    value: str = ""
    field: Field | None = None
    selector: Selector | None = None


@dataclass(frozen=True, slots=True)
class Selector:
    """Which item of a keyed list: the key members with their values, in tag order."""

    keys: tuple[tuple[str, str | int | bool], ...]
    elem: TypeRef

    @property
    def text(self) -> str:
        """The selector as it names a cohort and a union member: `{"type": "Ready"}`."""
        return "{" + ", ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in self.keys) + "}"


@dataclass(frozen=True, slots=True)
class MembersSet:
    """An argument: the function from a struct or list to a tuple that says which members are set."""

    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class ValueOf:
    """An argument: the function from a struct (or None) to one member's value."""

    field: Field


@dataclass(frozen=True, slots=True)
class Identity:
    """What makes items of a list the same over time: `map` by keys, `set` by value, or nothing."""

    elem: TypeRef
    semantic: Literal["map", "set", "atomic"] = "atomic"
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    """A call of a check function with constant arguments and the markers above. `custom` names a handwritten one."""

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
    """A rule that runs while an option has the wanted state."""

    rule: Rule
    name: str
    wanted: bool


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
    """One function of an element. `sc` stops the element when it fails, `ne` hides its errors (semantics.md#3.3)."""

    body: Body
    sc: bool = False
    ne: bool = False
    cohort: str = ""
    level: Level = ""
    tag: str = ""

    @property
    def bare(self) -> bool:
        """Whether upstream would pass it as a plain function reference, which loses a nested level.

        Source: semantics.md#3.5.
        """
        return isinstance(self.body, Check) and not self.body.args

    def inside(self) -> Rule:
        """Return the rule as it works inside another: without flags, and with its level only when not bare."""
        return Rule(self.body, level="" if self.bare else self.level, tag=self.tag)


@dataclass(frozen=True, slots=True)
class Deferred:
    """Work for later. `group` names what merges several tags into one rule: list, union, update, ....

    Source: semantics.md#3.2.
    """

    run: Callable[[], Contribution]
    group: str = ""


@dataclass(slots=True)
class Contribution:
    """What one tag gives to its element, now, later, and to the struct that encloses it (semantics.md#3.2)."""

    rules: list[Rule] = field(default_factory=list)
    deferred: list[Deferred] = field(default_factory=list)
    parent: list[Deferred] = field(default_factory=list)
    opaque_type: bool = False
    opaque_key: bool = False
    opaque_val: bool = False

    def add(self, other: Contribution) -> None:
        """Append another contribution to this one."""
        self.rules += other.rules
        self.deferred += other.deferred
        self.parent += other.parent
        self.opaque_type |= other.opaque_type
        self.opaque_key |= other.opaque_key
        self.opaque_val |= other.opaque_val

    def wrapped(self, wrap: Callable[[Rule], Rule], groups: bool = True) -> Contribution:
        """Return the contribution with every rule wrapped, the deferred ones too.

        Without `groups` those of groups stay as they are: before 1.37 no wrapper reached them.
        """
        return Contribution(
            [wrap(rule) for rule in self.rules],
            [_later(d, wrap) if groups or not d.group else d for d in self.deferred],
            [_later(d, wrap) if groups or not d.group else d for d in self.parent],
            self.opaque_type,
            self.opaque_key,
            self.opaque_val,
        )

    def resolved(self, rounds: int = 10) -> Contribution:
        """Run everything deferred on this element, in rounds, and return rules and what is left for the parent."""
        out = Contribution(list(self.rules), [], list(self.parent), self.opaque_type, self.opaque_key, self.opaque_val)
        waiting = list(self.deferred)
        for _ in range(rounds):
            if not waiting:
                return out
            results = [deferred.run() for deferred in waiting]
            waiting = [d for result in results for d in result.deferred]
            for result in results:
                out.add(replace(result, deferred=[]))
        return out


def _later(deferred: Deferred, wrap: Callable[[Rule], Rule]) -> Deferred:
    return Deferred(lambda: deferred.run().wrapped(wrap), deferred.group)


@dataclass(slots=True)
class ListData:
    """What list tags said of one list, by field or by type (semantics.md#5.6)."""

    list_type: str = ""
    unique: str = ""
    keys: list[str] = field(default_factory=list)
    custom: bool = False
    level: Level = ""
    done: bool = False

    @property
    def semantic(self) -> Literal["map", "set", "atomic"]:
        """How items are told apart."""
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
    """What tags say of an element to other tags, keyed by the element's path."""

    lists: dict[str, ListData] = field(default_factory=dict)
    updates: dict[str, set[str]] = field(default_factory=dict)
    update_levels: dict[str, Level] = field(default_factory=dict)
    updates_done: set[str] = field(default_factory=set)
    unions: dict[tuple[str, str], dict[str, UnionData]] = field(default_factory=dict)
    unions_done: set[tuple[str, str]] = field(default_factory=set)
    modes: dict[str, dict[str, ModeData]] = field(default_factory=dict)
    modes_done: set[str] = field(default_factory=set)
    inherited: set[str] = field(default_factory=set)
