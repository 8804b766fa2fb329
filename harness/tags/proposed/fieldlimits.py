"""Limits that another field sets: `+k8s:maximum(constraint: limits.most)`.

Source: KEP-5073, "Referencing Fields in Validation-Gen For Cross-Field Validation Rules" (2026-11).
"""

from __future__ import annotations

from collections.abc import Callable
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


def minimum_of(
    op: Operation, path: Path, new: Any, old: Any, member: str, constraint: str, *getters: Getter
) -> list[FieldError]:
    """Reject a member that is less than the field that `constraint` names, from the struct that has both.

    `getters` return the member of the struct, and then, step by step, the value of the other field. Where one of the
    two is absent nothing is compared; an update that changes neither is ratcheted.
    Returns: at most one Invalid error at the member, origin `minimum`.
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
    value, limit = _values(new, getters)
    if value is None or limit is None or (value - limit) * sign <= 0:
        return []
    if op is Operation.UPDATE and old is not None and (value, limit) == _values(old, getters):
        return []
    detail = f"must be {comparative} than or equal to {constraint} ({limit})"
    return [invalid(path.child(member), value, detail, origin=origin)]


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
        member, parent = context.member, context.parent
        if member is None or parent is None or not member.json_name:
            raise TagError("a limit by another field belongs on a field of a struct", tag, "tag-nesting")
        steps = _steps_to(context, tag, constraint.text)
        if steps[-1].json_name == member.json_name and len(steps) == 1:
            raise TagError(f'a field cannot limit itself ("{constraint.text}")', tag)
        args = (member.json_name, constraint.text, ValueOf(member), *(ValueOf(step) for step in steps))
        rule = Rule(Check(check, args), tag=f"{tag.name}(constraint)", position=tag.position)
        return Contribution(parent=[Deferred(lambda: Contribution([rule]))])

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


def _arguments(check: Check) -> dict[str, Json]:
    return {"field": check.args[0], "constraint": check.args[1]}


def _form(sign: str, words: str) -> SchemaForm:
    def rules(check: Check, at: Operand) -> list[CelRule]:
        member = at.child(check.args[0])
        steps = [at]
        for name in check.args[1].split("."):
            steps.append(steps[-1].child(name))
        there = [one.is_set for one in (member, *steps[1:])]
        was = [one.was_set for one in (member, *steps[1:])]
        limit = steps[-1]
        expression = f"!({' && '.join(there)}) || {member.new} {sign} {limit.new}"
        same = f"{' && '.join([*there, *was])} && {member.new} == {member.old} && {limit.new} == {limit.old}"
        message = f"must be {words} than or equal to {check.args[1]}"
        return [CelRule(expression, message, ratchet=same, path=f".{check.args[0]}")]

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
    "Items of a list cannot be limited so, under +k8s:eachVal, although the proposal shows it.",
    "Nothing is compared while one of the two fields is absent.",
    "The proposal gives no text for the error; it is that of the limit by a number, with the other field's name.",
)


def _spec(check: CheckFunction, released: TagSpec, words: str, sign: str, at: str, good: int, bad: int) -> TagSpec:
    bare = released.name.removeprefix("k8s:")
    text = f"must be {words} than or equal to <field> (<N>)"
    return TagSpec(
        name=f"{released.name}(constraint)",
        traits=frozenset({Trait.STRUCT_RULE}),
        summary=f"Requires an integer of at {at} the value of another field, named by its path in JSON.",
        describe=lambda check, subject: f"at {at} the value of `{check.args[1]}`",
        constrained_member=lambda check: str(check.args[0]),
        update_note=_UPDATE,
        caveats=_CAVEATS,
        scopes=FIELD_ONLY,
        check=check,
        schema={check: _form(sign, words)},
        emits=(Emission(ErrorType.INVALID, bare, texts=(text,), relative_path=lambda check: f".{check.args[0]}"),),
        accepted_when="there",
        arguments=_arguments,
        proposal="KEP-5073",
        examples=(
            accepts(_GO, {"in": {"a": good, "b": 5}}, "(constraint: b)"),
            rejects(_GO, {"in": {"a": bad, "b": 5}}, "(constraint: b)", "in.a"),
            rejects(_GO, {"in": {"a": bad, "c": {"most": 5}}}, "(constraint: c.most)", "in.a"),
            accepts(_GO, {"in": {"a": bad}}, "(constraint: b)"),
            accepts(_GO, {"in": {"a": bad, "b": 5, "d": "x"}}, "(constraint: b)", old={"in": {"a": bad, "b": 5}}),
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
