"""Numbers that may only grow. Source: semantics.md#5.12; apimachinery pkg/api/validate/monotonic.go (2026-07)."""

from __future__ import annotations

from harness.case import Operation
from harness.field import ErrorType, FieldError, Path
from harness.field.make import invalid
from harness.tags.grammar import Tag
from harness.tags.rules import Check
from harness.tags.spec import (
    Emission,
    Scope,
    TagContext,
    TagSpec,
    Trait,
    accepts,
    invalid_usage,
    rejects,
)
from harness.tags.translation import CelRule, Operand, SchemaForm


def monotonic(op: Operation, path: Path, new: int | None, old: int | None) -> list[FieldError]:
    """Reject an update to a smaller number. Returns: at most one Invalid error, origin `monotonic`."""
    if op is not Operation.UPDATE or new is None or old is None or new >= old:
        return []
    return [invalid(path, new, f"may not be decreased from {old}", origin="monotonic")]


def _an_integer(context: TagContext, tag: Tag) -> str | None:
    if context.kind == "integer":
        return None
    return f"must be an integer type (got {context.types.describe(context.type)})"


def _rule(check: Check, at: Operand) -> list[CelRule]:
    return [CelRule(f"{at.new} >= {at.old}", "may not be decreased", transition=True)]


MONOTONIC = TagSpec(
    name="k8s:monotonic",
    traits=frozenset({Trait.FUNCTION_REFERENCE}),
    summary="Rejects an update that decreases a number.",
    describe=lambda check, subject: "may not become smaller",
    only_updates=True,
    update_note="Compares with the old number when both are there; setting and clearing are free.",
    invalid_usages=(invalid_usage("string"),),
    scopes=frozenset({Scope.TYPE, Scope.FIELD}),
    requires=(_an_integer,),
    check=monotonic,
    schema={monotonic: SchemaForm(_rule)},
    emits=(Emission(ErrorType.INVALID, "monotonic", declared=False, texts=("may not be decreased from <old>",)),),
    declaration="+k8s:monotonic",
    examples=(accepts("int64", 2, old=1), rejects("int64", 1, old=2), accepts("*int64", None, old=2)),
    stability="Alpha",
    since=37,
)

SPECS = (MONOTONIC,)
