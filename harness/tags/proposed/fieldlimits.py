"""Limits that another field sets: `+k8s:maximum(constraint: limits.most)`.

Source: KEP-5073, "Referencing Fields in Validation-Gen For Cross-Field Validation Rules" (2026-11).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import reduce
from typing import Any

from harness.case import Json, Operation
from harness.field import ErrorType, FieldError, Path
from harness.field.make import invalid
from harness.gotypes.model import Field
from harness.tags.families.limits import MAXIMUM, MINIMUM, an_integer
from harness.tags.grammar import Tag
from harness.tags.rules import Check, CheckFunction, Contribution, Deferred, Rule, ValueOf
from harness.tags.spec import (
    FIELD_ONLY,
    ArgSpec,
    Emission,
    Payload,
    Scope,
    TagContext,
    TagError,
    TagSpec,
    Trait,
    accepts,
    invalid_usage,
    rejects,
)
from harness.tags.translation import CelRule, Operand, SchemaForm

Getter = Callable[[Any], Any]
_ITEMS, _VALUES = "[*]", "{*}"
"""End the name of a list and of a map whose values are limited."""


def minimum_of(
    op: Operation, path: Path, new: Any, old: Any, member: str, constraint: str, *getters: Getter
) -> list[FieldError]:
    """Reject a member that is less than the field that `constraint` names, from the struct that has both.

    `getters` return the member of the struct, and then, step by step, the value of the other field. Where one of the
    two is absent nothing is compared; an update that changes neither is ratcheted. A `member` that ends in `[*]` or in
    `{*}` is a list or a map whose values are compared.
    Returns: at most one Invalid error for each value, origin `minimum`.
    """
    return _compare(op, path, new, old, (member, constraint, "minimum", "greater", -1), getters)


def maximum_of(
    op: Operation, path: Path, new: Any, old: Any, member: str, constraint: str, *getters: Getter
) -> list[FieldError]:
    """Reject a member that is greater than the field that `constraint` names; else as `minimum_of`."""
    return _compare(op, path, new, old, (member, constraint, "maximum", "less", 1), getters)


def _compare(
    op: Operation, path: Path, new: Any, old: Any, words: tuple[str, str, str, str, int], getters: tuple[Getter, ...]
) -> list[FieldError]:
    member, constraint, origin, comparative, sign = words
    found, limit = _values(new, getters)
    if found is None or limit is None:
        return []
    if op is Operation.UPDATE and old is not None and (found, limit) == _values(old, getters):
        return []
    detail = f"must be {comparative} than or equal to {constraint} ({limit})"
    return [
        invalid(at, value, detail, origin=origin)
        for at, value in _each(path.child(_name(member)), found)
        if value is not None and (value - limit) * sign > 0
    ]


def _name(member: str) -> str:
    return member.removesuffix(_ITEMS).removesuffix(_VALUES)


def _each(path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    """Yield a value, or those in a list or map, with their paths."""
    if isinstance(value, list):
        yield from ((path.index(index), item) for index, item in enumerate(value))
    elif isinstance(value, dict):
        yield from ((path.key(key), value[key]) for key in sorted(value))
    else:
        yield path, value


def _values(struct: Any, getters: tuple[Getter, ...]) -> tuple[Any, Any]:
    return getters[0](struct), reduce(lambda value, step: step(value), getters[1:], struct)


def _apply(check: CheckFunction, released: TagSpec) -> Callable[[TagContext, Tag], Contribution]:
    def apply(context: TagContext, tag: Tag) -> Contribution:
        constraint = tag.arg("constraint")
        if constraint is None:
            if tag.scalar is None:
                raise TagError(
                    "missing required tag value of type int", tag, "tag-payload", released.summary,
                    f"+{tag.name}=10, or +{tag.name}(constraint: otherField)",
                )  # fmt: skip
            return released.contribution(context, tag)
        if tag.scalar is not None:
            raise TagError("has both a number and a field as its limit", tag, "tag-argument")
        is_item = context.scope in (Scope.LIST_VALUE, Scope.MAP_VALUE) and context.around is not None
        holder = context.around if is_item and context.around is not None else context
        member = holder.member
        if member is None or holder.parent is None or not member.json_name:
            raise TagError(
                "a limit by another field belongs on a field of a struct, or on the items of a list or map in one", tag,
                "tag-nesting",
            )  # fmt: skip
        steps = _steps_to(holder, tag, constraint.text)
        if steps[-1].json_name == member.json_name and len(steps) == 1:
            raise TagError(f'a field cannot limit itself ("{constraint.text}")', tag)
        ends = {Scope.LIST_VALUE: _ITEMS, Scope.MAP_VALUE: _VALUES} if is_item else {}
        name = member.json_name + ends.get(context.scope, "")
        args = (name, constraint.text, ValueOf(member), *(ValueOf(step) for step in steps))
        rule = Rule(Check(check, args), tag=f"{tag.name}(constraint)", position=tag.position)
        later = [Deferred(lambda: Contribution([rule]))]
        return Contribution(around=later) if is_item else Contribution(parent=later)

    return apply


def _steps_to(context: TagContext, tag: Tag, path: str) -> list[Field]:
    """Return the fields of a path, from the struct of the tag's field on. Raises: TagError."""
    struct, found = context.parent, []
    for name in path.split("."):
        step = context.types.member(struct, name) if struct is not None else None
        if step is None:
            raise TagError(f'no field for json name "{name}" in "{path}"', tag)
        found.append(step)
        struct = context.types.struct(step.type)
    if context.types.kind(found[-1].type) != "integer":
        kind = context.types.go_kind(found[-1].type)
        raise TagError(f'"{path}" is no integer ({kind}), and cannot be a limit', tag)
    return found


def _path_of(check: Check) -> str:
    return f".{check.args[0]}".replace(_VALUES, _ITEMS)


def _arguments(check: Check) -> dict[str, Json]:
    return {"field": check.args[0], "constraint": check.args[1]}


def _form(sign: str, words: str) -> SchemaForm:
    def rules(check: Check, at: Operand) -> list[CelRule]:
        name = _name(check.args[0])
        member = at.child(name)
        steps = [at]
        for step in check.args[1].split("."):
            steps.append(steps[-1].child(step))
        there = [one.is_set for one in (member, *steps[1:])]
        was = [one.was_set for one in (member, *steps[1:])]
        limit = steps[-1]
        fits = f"{member.new} {sign} {limit.new}"
        if name != check.args[0]:
            value = "x" if check.args[0].endswith(_ITEMS) else f"{member.new}[x]"
            fits = f"{member.new}.all(x, {value} {sign} {limit.new})"
        expression = f"!({' && '.join(there)}) || {fits}"
        same = f"{' && '.join([*there, *was])} && {member.new} == {member.old} && {limit.new} == {limit.old}"
        message = f"must be {words} than or equal to {check.args[1]}"
        return [CelRule(expression, message, ratchet=same, path=f".{name}")]

    return SchemaForm(rules)


_GO = """type T struct {
    In In `json:"in"`
}

type In struct {
    // @
    A *int32 `json:"a"`
    B *int64 `json:"b"`
    C *Limits `json:"c"`
    D string `json:"d"`
}

type Limits struct {
    Most int32 `json:"most"`
}
"""
_UPDATE = "Skipped if the update changes neither field."
_CAVEATS = (
    "Under +k8s:eachVal, all items are compared again if the update changes the list, or the other field.",
    "Nothing is compared while one of the two fields is absent.",
    "The proposal gives no text for the error; it is that of the limit by a number, with the other field's name.",
)


def _spec(check: CheckFunction, released: TagSpec, words: str, sign: str, at: str, good: int, bad: int) -> TagSpec:
    bare = released.name.removeprefix("k8s:")
    text = f"must be {words} than or equal to <field> (<N>)"
    items = _GO.replace("@", f"+k8s:eachVal=+{released.name}(constraint: b)").replace("A *int32", "A []int32")
    values = items.replace("[]int32", "map[string]int32")
    return TagSpec(
        name=f"{released.name}(constraint)",
        traits=frozenset({Trait.STRUCT_RULE}),
        summary=f"Requires an integer of at {at} the value of another field, named by its path in JSON.",
        describe=lambda check, subject: f"at {at} the value of `{check.args[1]}`",
        constrained_member=lambda check: _name(check.args[0]),
        update_note=_UPDATE,
        caveats=_CAVEATS,
        scopes=FIELD_ONLY,
        check=check,
        schema={check: _form(sign, words)},
        emits=(Emission(ErrorType.INVALID, bare, texts=(text,), relative_path=_path_of),),
        accepted_when="there",
        arguments=_arguments,
        proposal="KEP-5073",
        examples=(
            accepts(_GO, {"in": {"a": good, "b": 5}}, "(constraint: b)"),
            rejects(_GO, {"in": {"a": bad, "b": 5}}, "(constraint: b)", "in.a"),
            rejects(_GO, {"in": {"a": bad, "c": {"most": 5}}}, "(constraint: c.most)", "in.a"),
            accepts(_GO, {"in": {"a": bad}}, "(constraint: b)"),
            accepts(_GO, {"in": {"a": bad, "b": 5, "d": "x"}}, "(constraint: b)", old={"in": {"a": bad, "b": 5}}),
            rejects(items, {"in": {"a": [good, bad], "b": 5}}, "", "in.a[1]"),
            rejects(values, {"in": {"a": {"k": bad}, "b": 5}}, "", "in.a[k]"),
            accepts(items, {"in": {"a": [bad], "b": 5, "d": "x"}}, "", old={"in": {"a": [bad], "b": 5}}),
        ),
        invalid_usages=(
            invalid_usage(_GO, "(constraint: nope)"),
            invalid_usage(_GO, "(constraint: d)"),
            invalid_usage(_GO, "(constraint: a)"),
        ),
    )


MINIMUM_OF = _spec(minimum_of, MINIMUM, "greater", ">=", "least", 5, 4)
MAXIMUM_OF = _spec(maximum_of, MAXIMUM, "less", "<=", "most", 5, 6)

SPECS = (MINIMUM_OF, MAXIMUM_OF)
EXTENDED = tuple(
    replace(
        released, args=(ArgSpec("constraint", "<path of a field>"),), requires=(an_integer,), check=None,
        payload=Payload("int", "<integer>", required=False), apply=_apply(check, released),
    )
    for released, check in ((MINIMUM, minimum_of), (MAXIMUM, maximum_of))
)  # fmt: skip
"""Tags of a release as the proposal extends them."""
