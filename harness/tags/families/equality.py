"""A value that is not allowed. Source: semantics.md#5.12; apimachinery pkg/api/validate/equality.go (2026-07)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from harness.case import Json, Operation
from harness.field import ErrorType, FieldError, Path, quote
from harness.field.facts import RuleDeclaration
from harness.tags.grammar import Tag, int_error
from harness.tags.rules import Check, Contribution, Show
from harness.tags.spec import (
    VALUE_SCOPES,
    Emission,
    Payload,
    TagContext,
    TagError,
    TagSpec,
    accepts,
    contribute_call,
    invalid_usage,
    rejects,
)
from harness.tags.translation import CelRule, Operand, SchemaForm, cel_literal


def neq(
    op: Operation, path: Path, new: Any, old: Any, rejected: str | int | bool, show: Callable[[Any], str]
) -> list[FieldError]:
    """Reject one value. None is accepted. Returns: at most one Invalid error, origin `neq`."""
    if new is None or new != rejected:
        return []
    return [
        FieldError(ErrorType.INVALID, str(path), f"must not be equal to {_literal(rejected)}", "neq", value=show(new))
    ]


def _literal(value: str | int | bool) -> str:
    return quote(value) if isinstance(value, str) else str(value).lower()


def _declare(error: FieldError, new: Json, old: Json) -> Iterator[RuleDeclaration]:
    """The value that is rejected is the one of the error; the zero value of a type may be left out."""
    if isinstance(new, str | int):
        yield RuleDeclaration((f"+k8s:neq={_literal(new)}",))


_PAYLOADS = {"string": "string", "bool": "bool", "integer": "int"}


def _apply(context: TagContext, tag: Tag) -> Contribution:
    assert tag.scalar is not None
    kind = context.kind
    if kind not in _PAYLOADS and context.types.is_comparable(context.type):
        name = context.types.value(context.type).name.rpartition(".")[2]
        raise TagError(f"unsupported type for 'neq' tag: {name}", tag)
    if kind not in _PAYLOADS:
        described = context.types.describe(context.type)
        raise TagError(f"can only be used on comparable types (e.g. string, int, bool), but got {described}", tag)
    if tag.scalar.kind != _PAYLOADS[kind]:
        expected = "an integer" if kind == "integer" else f"a {kind}"
        raise TagError(f"type mismatch: field is {expected}, but payload is of type {tag.scalar.kind}", tag)
    if kind == "integer" and (error := int_error(tag.scalar)) and context.release.canonical_ints:
        raise TagError(f"invalid integer value for payload: {error}", tag)
    return contribute_call(tag.name, neq, (tag.scalar.value, Show(context.type)))


def _rule(check: Check, at: Operand) -> list[CelRule]:
    rejected = _literal(check.args[0])
    return [CelRule(f"{at.new} != {cel_literal(check.args[0])}", f"must not be equal to {rejected}")]


NEQ = TagSpec(
    name="k8s:neq",
    summary="Rejects one value.",
    describe=lambda check, subject: f"not {_literal(check.args[0])}",
    invalid_usages=(invalid_usage("[]string", '="a"'), invalid_usage("int32", '="a"')),
    scopes=VALUE_SCOPES,
    payload=Payload("any", "<value>"),
    check=neq,
    apply=_apply,
    schema={neq: SchemaForm(_rule)},
    emits=(Emission(ErrorType.INVALID, "neq", texts=("must not be equal to <value>",)),),
    declaration="+k8s:neq=<value>",
    declare=_declare,
    arguments=lambda check: {"value": check.args[0]},
    examples=(
        accepts("string", "a", '="b"'),
        rejects("string", "b", '="b"'),
        rejects("*int32", 0, "=0"),
        rejects("bool", True, "=true"),
        accepts("*bool", None, "=false"),
    ),
    probes=lambda value: (value,),
    stability="Alpha",
    since=34,
)

SPECS = (NEQ,)
