"""Lists the errors that rules can cause: paths, types and origins, with the call that reports each.

As upstream's generated coverage tests list them, including their artefacts. Source: semantics.md#9.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from harness.diagnostics import Position
from harness.field import ErrorType, Level
from harness.jsonpath import ITEMS, join
from harness.tags.grammar import NOWHERE
from harness.tags.registry import ALL_SPECS
from harness.tags.rules import Check, EachKey, EachVal, Item, Mode, Option, Rule, Selector, Subfield
from harness.tags.spec import Emission

Part: TypeAlias = str | dict[str, str | int | bool]
"""A step of a path: a JSON name, `[*]`, or the keys of one list item."""


@dataclass(frozen=True, slots=True)
class DeclaredError:
    """An error that a validation call may cause, with the call and its context.

    `path` is where upstream declares it, `places` are the paths at which it is reported, `steps` lead to the value that
    is validated. `body` is the call. `on_keys`: the keys of the map at the path are validated. `option` is the option
    that it depends on, with the value that enables it. `declared` is false for errors that upstream's coverage tests
    leave out. `position` and `parts` are those of the rule.
    """

    path: str
    type: str
    origin: str
    level: Level
    tag: str
    body: Check | Mode
    places: tuple[str, ...]
    steps: tuple[Part, ...]
    on_keys: bool = False
    option: tuple[str, bool] | None = None
    declared: bool = True
    position: Position = NOWHERE
    parts: Mapping[str, Position] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ErrorPlace:
    """Where a rule is: its declared path, its reported path, the steps to the value, and the wrappers."""

    path: str = ""
    place: str = ""
    steps: tuple[Part, ...] = ()
    on_keys: bool = False
    option: tuple[str, bool] | None = None

    def member(self, name: str) -> ErrorPlace:
        """Return the context of a struct member; inlined members have no name."""
        if not name:
            return self
        return replace(self, path=join(self.path, name), place=join(self.place, name), steps=(*self.steps, name))

    def items(self) -> ErrorPlace:
        """Return the context of the items of a list, or the values of a map."""
        return replace(self, path=join(self.path, ITEMS), place=join(self.place, ITEMS), steps=(*self.steps, ITEMS))

    def item(self, selector: Selector) -> ErrorPlace:
        """Return the context of one list item, whose declared path is that of the list (semantics.md#9.1)."""
        return replace(self, place=join(self.place, ITEMS), steps=(*self.steps, dict(selector.keys)))


def errors_of_rule(rule: Rule, at: ErrorPlace) -> Iterator[DeclaredError]:
    """Yield the errors of a rule inside its wrappers; keys and items do not extend the path (semantics.md#9.1)."""
    yield from _errors(rule, at, rule.level)


def _errors(rule: Rule, at: ErrorPlace, level: Level) -> Iterator[DeclaredError]:
    match rule.body:
        case Check() as check:
            yield from _of_check(rule, check, at, level)
        case EachVal(inner):
            yield from _errors(inner, at.items(), level or inner.level)
        case Subfield(inner, member):
            yield from _errors(inner, at.member(member.json_name), level or inner.level)
        case EachKey(inner):
            yield from _errors(inner, replace(at, on_keys=True), level or inner.level)
        case Item(inner, selector):
            yield from _errors(inner, at.item(selector), level or inner.level)
        case Option(inner, name, wanted):
            yield from _errors(inner, replace(at, option=(name, wanted)), level or inner.level)
        case Mode(member, _, modes, otherwise) as mode:
            # Upstream declares only the error for a field that is set in another mode, not the rules of a mode.
            below = at.member(member.json_name)
            forbidden = DeclaredError(
                below.path, ErrorType.FORBIDDEN.value, "", level or otherwise.level, rule.tag, mode, (below.place,),
                below.steps, option=below.option, position=otherwise.position,
            )  # fmt: skip
            yield forbidden
            for _, rules in modes:
                for inner in rules:
                    yield from (replace(one, declared=False) for one in _errors(inner, below, level or inner.level))


def _of_check(rule: Rule, check: Check, at: ErrorPlace, level: Level) -> Iterator[DeclaredError]:
    spec = ALL_SPECS.get(rule.tag)
    for emission in spec.emits if spec is not None and not check.custom else ():
        if emission.when is None or emission.when(check):
            below = emission.relative_path(check).removeprefix(".") if emission.relative_path else ""
            origin = emission.origin + (emission.origin_suffix(check) if emission.origin_suffix else "")
            yield DeclaredError(
                join(at.path, below), emission.type.value, origin, level, rule.tag, check,
                _places(emission, check, join(at.place, below)), at.steps, at.on_keys, at.option, emission.declared,
                rule.position, rule.parts,
            )  # fmt: skip


def _places(emission: Emission, check: Check, place: str) -> tuple[str, ...]:
    """Return the paths at which errors are reported; discriminated unions report at their members."""
    names = emission.member_paths(check) if emission.member_paths else ()
    return tuple(join(place, name) for name in names) or (place,)
