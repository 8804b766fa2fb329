"""Required, optional and forbidden values. Source: semantics.md#3.6, #5.3."""

from __future__ import annotations

import json
from typing import Any

from harness.case import Operation
from harness.field import ErrorType, FieldError, Path
from harness.field.make import forbidden, required
from harness.gotypes.model import Comments
from harness.tags.grammar import Tag
from harness.tags.rules import Check, Contribution, Rule
from harness.tags.spec import (
    FIELD_ONLY,
    Emission,
    TagContext,
    TagError,
    TagSpec,
    TagSubject,
    Trait,
    accepts,
    invalid_usage,
    rejects,
)
from harness.tags.translation import CelRule, Operand, SchemaForm


def required_value(op: Operation, path: Path, new: Any, old: Any) -> list[FieldError]:
    """Reject a zero value, an empty list or map. Returns: at most one Required error, no detail, no origin."""
    return [] if new else [required(path)]


def required_pointer(op: Operation, path: Path, new: Any, old: Any) -> list[FieldError]:
    """Reject a nil pointer; what it points to does not matter. Returns: at most one Required error."""
    return [] if new is not None else [required(path)]


def optional_value(op: Operation, path: Path, new: Any, old: Any) -> list[FieldError]:
    """Short-circuit on a zero value, an empty list or map. Returns: an error that is hidden, see semantics.md#5.3."""
    return [] if new else [required(path, "optional value was not specified")]


def optional_pointer(op: Operation, path: Path, new: Any, old: Any) -> list[FieldError]:
    """Short-circuit on a nil pointer. Returns: an error that is hidden."""
    return [] if new is not None else [required(path, "optional value was not specified")]


def forbidden_value(op: Operation, path: Path, new: Any, old: Any) -> list[FieldError]:
    """Reject anything but a zero value, an empty list or map. Returns: at most one Forbidden error."""
    return [forbidden(path)] if new else []


def forbidden_pointer(op: Operation, path: Path, new: Any, old: Any) -> list[FieldError]:
    """Reject a pointer that is set. Returns: at most one Forbidden error."""
    return [forbidden(path)] if new is not None else []


def is_nilable(context: TagContext) -> bool:
    """Whether the type is a pointer, a list or a map."""
    return context.is_pointer or context.kind in ("list", "map")


def no_plain_struct(context: TagContext, tag: Tag) -> str | None:
    """Require a type that can be unset, which structs without pointer and interfaces cannot."""
    if context.is_pointer:
        return None
    if context.kind == "struct":
        return f'non-pointer structs cannot use the "{tag.name}" tag'
    if context.kind == "interface":
        return f'interfaces cannot use the "{tag.name}" tag'
    return None


def _rule(context: TagContext, tag: str, value: Any, pointer: Any, hidden: bool = False) -> Rule:
    return Rule(Check(pointer if context.is_pointer else value), short_circuits=True, hidden=hidden, tag=tag)


def _required(context: TagContext, tag: Tag) -> Contribution:
    return Contribution([_rule(context, tag.name, required_value, required_pointer)])


def _optional(context: TagContext, tag: Tag) -> Contribution:
    if (default := _default(context, tag)) is not None:
        # The API server sets defaults before validation, so a value that is still unset is an error.
        # Source: semantics.md#3.6, #S26, #S27.
        is_zero = not is_nilable(context) and default[0] == _zero(context)
        return Contribution() if is_zero else _required(context, tag)
    return Contribution([_rule(context, tag.name, optional_value, optional_pointer, hidden=True)])


def _forbidden(context: TagContext, tag: Tag) -> Contribution:
    return Contribution(
        [
            _rule(context, tag.name, forbidden_value, forbidden_pointer),
            _rule(context, tag.name, optional_value, optional_pointer, hidden=True),
        ]
    )


def _zero(context: TagContext) -> Any:
    return {"string": "", "bool": False}.get(context.kind, 0)


def _default(context: TagContext, tag: Tag) -> tuple[Any] | None:
    """Return the value of the field's `+default=...` as a one-tuple; None if the field has no default."""
    comments: Comments = context.member.comments if context.member else ()
    texts = [line.text.strip()[9:] for line in comments if line.text.strip().startswith("+default=")]
    if not texts:
        return None
    if len(texts) > 1:
        raise TagError(f"+default tag with multiple values: {texts}", tag)
    try:
        value = json.loads(texts[0])
    except (ValueError, RecursionError) as error:
        raise TagError(f"failed to parse default value {texts[0]!r}: {error}", tag) from None
    if value is None:
        raise TagError('failed to parse default value "null": unmarshalled to nil', tag)
    return (value,)


def _is_required_check(check: Check) -> bool:
    return check.function in (required_value, required_pointer)


def _is_forbidden_check(check: Check) -> bool:
    return check.function in (forbidden_value, forbidden_pointer)


_EMPTY = {
    "string": ", not empty", "bool": " to be true", "integer": ", not 0", "float": ", not 0",
    "list": ", with at least one item", "map": ", with at least one key",
}  # fmt: skip


def _describe_required(check: Check, subject: TagSubject) -> str:
    return "required" + ("" if subject.is_pointer else _EMPTY.get(subject.kind, ""))


def _describe_optional(check: Check, subject: TagSubject) -> str:
    if _is_required_check(check):
        return f"{_describe_required(check, subject)}; the server fills in its default before"
    return "may be absent"


def _required_rule(check: Check, at: Operand) -> list[CelRule]:
    return [CelRule(at.is_set, "is required", "FieldValueRequired", ratchet=f"!{at.was_set}")]


def _forbidden_rule(check: Check, at: Operand) -> list[CelRule]:
    same = f"{at.was_set} && {at.new} == {at.old}"
    return [CelRule(f"!{at.is_set}", "is forbidden", "FieldValueForbidden", ratchet=same)]


_REQUIRED_FORM = SchemaForm(_required_rule, of_member=True)
_OPTIONAL_FORM = SchemaForm(lambda check, at: (), of_member=True)
_FORBIDDEN_FORM = SchemaForm(_forbidden_rule, of_member=True)

REQUIRED = TagSpec(
    name="k8s:required",
    traits=frozenset({Trait.FUNCTION_REFERENCE}),
    summary="Requires a value that is not zero, empty or nil. `false` and `0` only count behind a pointer.",
    describe=_describe_required,
    invalid_usages=(invalid_usage('type T struct {\n\t// @\n\tF S `json:"f"`\n}\n\ntype S struct{}'),),
    caveats=(
        "For a bool without pointer, `false` counts as absent; for a number, `0`.",
        "For a pointer, only nil counts as absent: a pointer to an empty string is a value.",
        "Short-circuit rules run even after one of them failed, so +k8s:required with +k8s:update=NoUnset gives two "
        "errors when the field is cleared.",
        "A level between another wrapper and this tag is lost: the rule is standard.",
    ),
    scopes=FIELD_ONLY,
    requires=(no_plain_struct,),
    apply=_required,
    short_circuit=True,
    schema={required_value: _REQUIRED_FORM, required_pointer: _REQUIRED_FORM},
    emits=(Emission(ErrorType.REQUIRED, texts=("",)),),
    declaration="+k8s:required",
    matches_without_origin=True,
    examples=(
        accepts("string", "a"),
        rejects("string", ""),
        rejects("bool", False),
        accepts("*bool", False),
        rejects("*bool", None),
        rejects("[]string", []),
        rejects("map[string]string", None),
        rejects("int32", 0),
    ),
    probes=lambda _: (None,),
    since=33,
)
OPTIONAL = TagSpec(
    name="k8s:optional",
    traits=frozenset({Trait.FUNCTION_REFERENCE}),
    summary="Allows the field to be unset, and then skips its other rules. With `+default` it is required.",
    describe=_describe_optional,
    invalid_usages=(
        invalid_usage('type T struct {\n\t// @\n\tF S `json:"f"`\n}\n\ntype S struct{}'),
        invalid_usage('type T struct {\n\t// @\n\t// +default=ref(X)\n\tF string `json:"f"`\n}'),
    ),
    caveats=(
        "With a default that is the zero value, it does nothing: the other rules see the zero value.",
        "With any other default, or any default on a pointer, list or map, it is +k8s:required.",
        "A pointer to a type with rules needs it (or +k8s:required): an absent value ends the "
        "whole validation in an internal error.",
        "Under an undefined option, it swallows the internal error and short-circuits the field.",
    ),
    scopes=FIELD_ONLY,
    requires=(no_plain_struct,),
    apply=_optional,
    short_circuit=True,
    schema={optional_value: _OPTIONAL_FORM, optional_pointer: _OPTIONAL_FORM},
    emits=(Emission(ErrorType.REQUIRED, texts=("",), when=_is_required_check),),
    examples=(
        accepts("string", None),
        accepts("*int32", None),
        accepts("[]string", []),
        rejects('type T struct {\n\t// @\n\t// +default=5\n\tF *int32 `json:"f"`\n}', {}),
        accepts('type T struct {\n\t// @\n\t// +default=0\n\tF int32 `json:"f"`\n}', {}),
    ),
    probes=lambda _: (None,),
    since=33,
)
FORBIDDEN = TagSpec(
    name="k8s:forbidden",
    traits=frozenset({Trait.FUNCTION_REFERENCE}),
    summary="Rejects any value. Mostly used under +k8s:ifDisabled or +k8s:ifMode.",
    describe=lambda check, subject: "must be absent" if subject.is_pointer else "must be absent or empty",
    invalid_usages=(invalid_usage('type T struct {\n\t// @\n\tF S `json:"f"`\n}\n\ntype S struct{}'),),
    caveats=("Like +k8s:optional, it short-circuits on an absent value: the field's other rules do not run.",),
    scopes=FIELD_ONLY,
    requires=(no_plain_struct,),
    apply=_forbidden,
    short_circuit=True,
    schema={forbidden_value: _FORBIDDEN_FORM, forbidden_pointer: _FORBIDDEN_FORM},
    emits=(Emission(ErrorType.FORBIDDEN, texts=("",), when=_is_forbidden_check),),
    declaration="+k8s:forbidden",
    matches_without_origin=True,
    accepted_when="absent",
    examples=(accepts("string", ""), rejects("string", "a"), rejects("*int32", 0), accepts("int32", 0)),
    probes=lambda _: (None,),
    stability="Beta",
    since=33,
)

SPECS = (REQUIRED, OPTIONAL, FORBIDDEN)
