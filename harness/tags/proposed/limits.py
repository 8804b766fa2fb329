"""Limits that a value may not reach. Source: KEP-5073, "Catalog of Supported Validation Rules" (2026-11)."""

from __future__ import annotations

from harness.case import Operation
from harness.field import ErrorType, FieldError, Path
from harness.field.make import invalid
from harness.tags.boundary import Boundary
from harness.tags.families.limits import an_integer, in_range
from harness.tags.grammar import Tag
from harness.tags.rules import Check, Contribution
from harness.tags.spec import (
    VALUE_SCOPES,
    Emission,
    Payload,
    TagContext,
    TagSpec,
    accepts,
    contribute_call,
    invalid_usage,
    rejects,
)
from harness.tags.translation import CelRule, Operand, SchemaForm


def exclusive_minimum(op: Operation, path: Path, new: int | None, old: int | None, least: int) -> list[FieldError]:
    """Reject an integer that is not greater than the tag's number.

    `least` is the least integer that is accepted, one more than that number. None is accepted.
    Returns: at most one Invalid error, origin `exclusiveMinimum`.
    """
    if new is None or new >= least:
        return []
    return [invalid(path, new, f"must be greater than {least - 1}", origin="exclusiveMinimum")]


def exclusive_maximum(op: Operation, path: Path, new: int | None, old: int | None, most: int) -> list[FieldError]:
    """Reject an integer that is not less than the tag's number.

    `most` is the greatest integer that is accepted, one less than that number. None is accepted.
    Returns: at most one Invalid error, origin `exclusiveMaximum`.
    """
    if new is None or new <= most:
        return []
    return [invalid(path, new, f"must be less than {most + 1}", origin="exclusiveMaximum")]


def _accepted(tag: Tag, step: int) -> int:
    assert tag.scalar is not None
    return int(tag.scalar.value) + step


def _minimum(context: TagContext, tag: Tag) -> Contribution:
    return contribute_call(tag.name, exclusive_minimum, (_accepted(tag, 1),))


def _maximum(context: TagContext, tag: Tag) -> Contribution:
    return contribute_call(tag.name, exclusive_maximum, (_accepted(tag, -1),))


def _form(word: str, sign: str, step: int) -> SchemaForm:
    def rules(check: Check, at: Operand) -> list[CelRule]:
        limit = check.args[0] - step
        words = "greater" if step > 0 else "less"
        return [CelRule(f"{at.new} {sign} {limit}", f"must be {words} than {limit}")]

    exclusive = f"exclusive{word[0].upper()}{word[1:]}"
    return SchemaForm(rules, lambda check: {word: check.args[0] - step, exclusive: True})


EXCLUSIVE_MINIMUM = TagSpec(
    name="k8s:exclusiveMinimum",
    summary="Requires an integer of more than N.",
    describe=lambda check, subject: f"more than {check.args[0] - 1:,}",
    invalid_usages=(invalid_usage("string", "=1"), invalid_usage("uint8", "=256")),
    scopes=VALUE_SCOPES,
    payload=Payload("int", "<integer>"),
    requires=(an_integer, in_range),
    check=exclusive_minimum,
    apply=_minimum,
    schema={exclusive_minimum: _form("minimum", ">", 1)},
    emits=(Emission(ErrorType.INVALID, "exclusiveMinimum", texts=("must be greater than <N>",)),),
    examples=(accepts("int32", 2, "=1"), rejects("int32", 1, "=1"), accepts("*int64", None, "=0")),
    boundary=Boundary("value", upper=False, offset=1),
    proposal="KEP-5073",
)
EXCLUSIVE_MAXIMUM = TagSpec(
    name="k8s:exclusiveMaximum",
    summary="Requires an integer of less than N.",
    describe=lambda check, subject: f"less than {check.args[0] + 1:,}",
    invalid_usages=(invalid_usage("string", "=1"), invalid_usage("uint8", "=256")),
    scopes=VALUE_SCOPES,
    payload=Payload("int", "<integer>"),
    requires=(an_integer, in_range),
    check=exclusive_maximum,
    apply=_maximum,
    schema={exclusive_maximum: _form("maximum", "<", -1)},
    emits=(Emission(ErrorType.INVALID, "exclusiveMaximum", texts=("must be less than <N>",)),),
    examples=(accepts("int32", 0, "=1"), rejects("int32", 1, "=1"), rejects("*uint8", 255, "=255")),
    boundary=Boundary("value", upper=True, offset=-1),
    proposal="KEP-5073",
)

SPECS = (EXCLUSIVE_MINIMUM, EXCLUSIVE_MAXIMUM)
