"""Fields that require or forbid a sibling. Source: semantics.md#5.11; dependentrequired.go (2026-07)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from harness.case import Json, Operation
from harness.field import ErrorType, FieldError, Path
from harness.field.facts import Declare, RuleDeclaration
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
    invalid_usage,
    rejects,
)
from harness.tags.translation import CelRule, Operand, Reason, SchemaForm

IsSet = Callable[[Any], tuple[bool, ...]]


def dependent_required(
    op: Operation, path: Path, new: Any, old: Any, trigger: str, dependent: str, is_set: IsSet
) -> list[FieldError]:
    """Require `dependent` when `trigger` is set. Returns: at most one Required error, origin `dependentRequired`."""
    if is_set(new) != (True, False) or _unchanged(op, new, old, is_set):
        return []
    detail = f"must be set when {trigger} is set"
    return [FieldError(ErrorType.REQUIRED, str(path.child(dependent)), detail, "dependentRequired")]


def dependent_forbidden(
    op: Operation, path: Path, new: Any, old: Any, trigger: str, dependent: str, is_set: IsSet
) -> list[FieldError]:
    """Reject `dependent` when `trigger` is set. Returns: at most one Forbidden error, origin `dependentForbidden`."""
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


def _dependent_path(check: Check) -> str:
    return f".{check.args[1]}"


def _arguments(check: Check) -> dict[str, Json]:
    return {"trigger": check.args[0], "dependent": check.args[1]}


_TRIGGER = re.compile(r"\bwhen [`'\"]?(\w+)[`'\"]? is (?:set|specified)\b")


def _declare(name: str) -> Declare:
    """The tag stands on the trigger, which the error names, and names the field of the error."""

    def declare(error: FieldError, new: Json, old: Json) -> Iterator[RuleDeclaration]:
        dependent = error.field.rpartition(".")[2]
        if (trigger := _TRIGGER.search(error.detail)) is not None and dependent.isidentifier():
            yield RuleDeclaration((f"+{name}({dependent})",), "sibling", trigger[1])

    return declare


def _schema_form(reason: Reason, words: str, condition: str) -> SchemaForm:
    def rules(check: Check, at: Operand) -> list[CelRule]:
        trigger, dependent = at.child(check.args[0]), at.child(check.args[1])
        same = " && ".join(f"{one.is_set} == {one.was_set}" for one in (trigger, dependent))
        expression = condition.format(trigger=trigger.is_set, dependent=dependent.is_set)
        message = f"{words} when {check.args[0]} is set"
        return [CelRule(expression, message, reason, ratchet=same, path=f".{check.args[1]}")]

    return SchemaForm(rules)


_UPDATE = "Skipped if the update sets and unsets neither field. A struct without an old value is validated in full."


DEPENDENT_REQUIRED = TagSpec(
    name="k8s:dependentRequired",
    traits=frozenset({Trait.STRUCT_RULE}),
    summary="Requires a sibling when this field is set.",
    describe=lambda check, subject: f"must be set when `{check.args[0]}` is set",
    constrained_member=lambda check: str(check.args[1]),
    update_note=_UPDATE,
    invalid_usages=(invalid_usage(_GO, "(nope)"), invalid_usage(_GO, "(a)")),
    scopes=FIELD_ONLY,
    args=(ArgSpec("", "<json name of the sibling>", required=True),),
    apply=_apply(dependent_required),
    schema={
        dependent_required: _schema_form("FieldValueRequired", "must be set", "!{trigger} || {dependent}"),
    },
    emits=(
        Emission(
            ErrorType.REQUIRED,
            "dependentRequired",
            texts=("must be set when <field> is set",),
            relative_path=_dependent_path,
        ),
    ),
    declaration="+k8s:dependentRequired(<field>)",
    declare=_declare("k8s:dependentRequired"),
    accepted_when="trigger-set",
    arguments=_arguments,
    examples=(accepts(_GO, {"in": {}}, "(b)"), rejects(_GO, {"in": {"a": "", "b": []}}, "(b)", "in.b")),
    stability="Alpha",
    since=37,
)
DEPENDENT_FORBIDDEN = TagSpec(
    name="k8s:dependentForbidden",
    traits=frozenset({Trait.STRUCT_RULE}),
    summary="Forbids a sibling when this field is set.",
    describe=lambda check, subject: f"must be absent when `{check.args[0]}` is set",
    constrained_member=lambda check: str(check.args[1]),
    update_note=_UPDATE,
    invalid_usages=(invalid_usage(_GO, "(nope)"), invalid_usage(_GO, "(a)")),
    scopes=FIELD_ONLY,
    args=(ArgSpec("", "<json name of the sibling>", required=True),),
    apply=_apply(dependent_forbidden),
    schema={
        dependent_forbidden: _schema_form("FieldValueForbidden", "may not be set", "!{trigger} || !{dependent}"),
    },
    emits=(
        Emission(
            ErrorType.FORBIDDEN,
            "dependentForbidden",
            texts=("may not be set when <field> is set",),
            relative_path=_dependent_path,
        ),
    ),
    declaration="+k8s:dependentForbidden(<field>)",
    declare=_declare("k8s:dependentForbidden"),
    accepted_when="trigger-alone",
    arguments=_arguments,
    examples=(accepts(_GO, {"in": {"a": ""}}, "(b)"), rejects(_GO, {"in": {"a": "", "b": ["x"]}}, "(b)", "in.b")),
    stability="Alpha",
    since=37,
)

SPECS = (DEPENDENT_REQUIRED, DEPENDENT_FORBIDDEN)
