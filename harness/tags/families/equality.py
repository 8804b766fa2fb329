"""One value that may not be. Source: semantics.md#5.12; apimachinery pkg/api/validate/equality.go (2026-07)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.case import Operation
from harness.field import ErrorType, FieldError, Path, quote
from harness.tags.grammar import Tag, int_trouble
from harness.tags.rules import Contribution, Show
from harness.tags.spec import (
    VALUE_SCOPES,
    Emission,
    Payload,
    TagContext,
    TagError,
    TagSpec,
    accepts,
    refuses,
    rejects,
)


def neq(
    op: Operation, path: Path, new: Any, old: Any, refused: str | int | bool, show: Callable[[Any], str]
) -> list[FieldError]:
    """Reject one value. None is accepted. Returns: at most one Invalid error, origin `neq`."""
    if new is None or new != refused:
        return []
    return [FieldError(ErrorType.INVALID, str(path), f"must not be equal to {_shown(refused)}", "neq", value=show(new))]


def _shown(value: str | int | bool) -> str:
    return quote(value) if isinstance(value, str) else str(value).lower()


_PAYLOADS = {"string": "string", "bool": "bool", "integer": "int"}


def _apply(context: TagContext, tag: Tag) -> Contribution:
    assert tag.scalar is not None
    kind = context.kind
    if kind not in _PAYLOADS and context.types.is_comparable(context.type):
        name = context.types.value(context.type).name.rpartition(".")[2]
        raise TagError(f"unsupported type for 'neq' tag: {name}", tag)
    if kind not in _PAYLOADS:
        shown = context.types.describe(context.type)
        raise TagError(f"can only be used on comparable types (e.g. string, int, bool), but got {shown}", tag)
    if tag.scalar.kind != _PAYLOADS[kind]:
        what = "an integer" if kind == "integer" else f"a {kind}"
        raise TagError(f"type mismatch: field is {what}, but payload is of type {tag.scalar.kind}", tag)
    if kind == "integer" and (trouble := int_trouble(tag.scalar)) and context.release.canonical_ints:
        raise TagError(f"invalid integer value for payload: {trouble}", tag)
    return NEQ.simple((tag.scalar.value, Show(context.type)))


NEQ = TagSpec(
    name="k8s:neq",
    summary="Rejects one value.",
    words=lambda check, on: f"not {_shown(check.args[0])}",
    misuses=(refuses("[]string", '="a"'), refuses("int32", '="a"')),
    scopes=VALUE_SCOPES,
    payload=Payload("any", "<value>"),
    check=neq,
    apply=_apply,
    emits=(Emission(ErrorType.INVALID, "neq", texts=("must not be equal to <value>",)),),
    fix="+k8s:neq=<value>",
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
