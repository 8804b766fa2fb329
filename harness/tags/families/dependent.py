"""Fields that need or exclude each other. Source: semantics.md#5.11; dependentrequired.go (2026-07)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.case import Json, Operation
from harness.field import ErrorType, FieldError, Path
from harness.field.make import forbidden
from harness.tags.grammar import Tag
from harness.tags.rules import Check, CheckFunction, Contribution, Deferred, Member, MembersSet, Rule
from harness.tags.spec import (
    FIELD_ONLY,
    ArgSpec,
    Emission,
    TagContext,
    TagError,
    TagSpec,
    Trait,
    accepts,
    refuses,
    rejects,
)

IsSet = Callable[[Any], tuple[bool, ...]]


def dependent_required(
    op: Operation, path: Path, new: Any, old: Any, trigger: str, dependent: str, is_set: IsSet
) -> list[FieldError]:
    """Demand `dependent` when `trigger` is set. Returns: at most one Required error, origin `dependentRequired`."""
    if is_set(new) != (True, False) or _unchanged(op, new, old, is_set):
        return []
    detail = f"must be set when {trigger} is set"
    return [FieldError(ErrorType.REQUIRED, str(path.child(dependent)), detail, "dependentRequired")]


def dependent_forbidden(
    op: Operation, path: Path, new: Any, old: Any, trigger: str, dependent: str, is_set: IsSet
) -> list[FieldError]:
    """Refuse `dependent` when `trigger` is set. Returns: at most one Forbidden error, origin `dependentForbidden`."""
    if is_set(new) != (True, True) or _unchanged(op, new, old, is_set):
        return []
    return [forbidden(path.child(dependent), f"may not be set when {trigger} is set", origin="dependentForbidden")]


def _unchanged(op: Operation, new: Any, old: Any, is_set: IsSet) -> bool:
    return op is Operation.UPDATE and old is not None and is_set(new) == is_set(old)


def _apply(check: CheckFunction) -> Callable[[TagContext, Tag], Contribution]:
    def apply(context: TagContext, tag: Tag) -> Contribution:
        name, trigger, parent = tag.arg(), context.member, context.parent
        assert name is not None
        if trigger is None or parent is None:
            raise TagError("parent type must be a struct", tag)
        if not trigger.json_name:
            raise TagError(f'trigger field "{trigger.name}" has no JSON name', tag)
        dependent = context.types.member(parent, name.text)
        if dependent is None:
            raise TagError(f'no sibling field with JSON name "{name.text}"', tag)
        if dependent.name == trigger.name:
            raise TagError(f'trigger and dependent field must be different (both are "{name.text}")', tag)
        for what, member in (("trigger", trigger), ("dependent", dependent)):
            if not context.types.is_pointer(member.type) and context.types.kind(member.type) in ("struct", "interface"):
                kind = context.types.go_kind(member.type)
                raise TagError(f'{what} field "{member.name}" has unsupported type kind {kind}', tag)
        members = MembersSet(tuple(Member(m.json_name, field=m) for m in (trigger, dependent)))
        rule = Rule(Check(check, (trigger.json_name, dependent.json_name, members)), tag=tag.name)
        return Contribution(parent=[Deferred(lambda: Contribution([rule]))])

    return apply


_GO = """type T struct {
    In In `json:"in"`
}

type In struct {
    // @
    A *string `json:"a"`
    B []string `json:"b"`
}
"""


def _at(check: Check) -> str:
    return f".{check.args[1]}"


def _arguments(check: Check) -> dict[str, Json]:
    return {"trigger": check.args[0], "dependent": check.args[1]}


_UPDATE = "Skipped if the update sets and unsets neither field. A struct without an old value is validated in full."


DEPENDENT_REQUIRED = TagSpec(
    name="k8s:dependentRequired",
    traits=frozenset({Trait.OF_STRUCT}),
    summary="Requires a sibling when this field is set.",
    words=lambda check, on: f"must be set when `{check.args[0]}` is set",
    at=lambda check: str(check.args[1]),
    update=_UPDATE,
    misuses=(refuses(_GO, "(nope)"), refuses(_GO, "(a)")),
    scopes=FIELD_ONLY,
    args=(ArgSpec("", "<json name of the sibling>", required=True),),
    apply=_apply(dependent_required),
    emits=(Emission(ErrorType.REQUIRED, "dependentRequired", texts=("must be set when <field> is set",), at=_at),),
    fix="+k8s:dependentRequired(<field>)",
    coverage="trigger-set",
    arguments=_arguments,
    examples=(accepts(_GO, {"in": {}}, "(b)"), rejects(_GO, {"in": {"a": "", "b": []}}, "(b)", "in.b")),
    stability="Alpha",
    since=37,
)
DEPENDENT_FORBIDDEN = TagSpec(
    name="k8s:dependentForbidden",
    traits=frozenset({Trait.OF_STRUCT}),
    summary="Forbids a sibling when this field is set.",
    words=lambda check, on: f"must be absent when `{check.args[0]}` is set",
    at=lambda check: str(check.args[1]),
    update=_UPDATE,
    misuses=(refuses(_GO, "(nope)"), refuses(_GO, "(a)")),
    scopes=FIELD_ONLY,
    args=(ArgSpec("", "<json name of the sibling>", required=True),),
    apply=_apply(dependent_forbidden),
    emits=(Emission(ErrorType.FORBIDDEN, "dependentForbidden", texts=("may not be set when <field> is set",), at=_at),),
    fix="+k8s:dependentForbidden(<field>)",
    coverage="trigger-alone",
    arguments=_arguments,
    examples=(accepts(_GO, {"in": {"a": ""}}, "(b)"), rejects(_GO, {"in": {"a": "", "b": ["x"]}}, "(b)", "in.b")),
    stability="Alpha",
    since=37,
)

SPECS = (DEPENDENT_REQUIRED, DEPENDENT_FORBIDDEN)
