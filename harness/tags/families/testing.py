"""Tags for testing validation itself: rules that always accept or always reject. Source: semantics.md#5.13."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.case import Operation
from harness.field import ErrorType, FieldError, Path
from harness.tags.grammar import Tag
from harness.tags.rules import Check, Contribution, Rule, Show
from harness.tags.spec import (
    VALUE_SCOPES,
    ArgSpec,
    Emission,
    Payload,
    TagContext,
    TagError,
    TagSpec,
    accepts,
    invalid_usage,
    rejects,
)


def validate_false(
    op: Operation, path: Path, new: Any, old: Any, detail: str, show: Callable[[Any], str]
) -> list[FieldError]:
    """Reject every value. Returns: one Invalid error, origin `validateFalse`."""
    shown = "null" if new is None else show(new)
    return [FieldError(ErrorType.INVALID, str(path), f"forced failure: {detail}", "validateFalse", value=shown)]


def validate_true(op: Operation, path: Path, new: Any, old: Any) -> list[FieldError]:
    """Accept every value."""
    return []


def _apply(context: TagContext, tag: Tag) -> Contribution:
    flags, cohort = tag.arg("flags"), tag.arg("cohort")
    names = [name.strip() for name in flags.text.split(",")] if flags else []
    for name in names:
        if name not in ("ShortCircuit", "NonError"):
            raise TagError(f'unknown flag: "{name}"', tag, fix="one of: ShortCircuit, NonError")
    detail = tag.scalar.text if tag.scalar else ""
    fails = Check(validate_false, (detail, Show(context.type, quoted=False)))
    body = fails if tag.name.endswith("False") else Check(validate_true)
    return Contribution(
        [Rule(body, "ShortCircuit" in names, "NonError" in names, cohort.text if cohort else "", tag=tag.name)]
    )


def _error(context: TagContext, tag: Tag) -> Contribution:
    raise TagError(f'forced error: "{tag.scalar.text if tag.scalar else ""}"', tag)


_ARGS = (ArgSpec("flags", "<ShortCircuit, NonError>"), ArgSpec("typeArg", "<Go type>"), ArgSpec("cohort", "<name>"))


def _spec(word: str, summary: str, stability: str = "Alpha", since: int = 33) -> TagSpec:
    fails = word == "False"
    return TagSpec(
        name=f"k8s:validate{word}",
        summary=summary,
        scopes=VALUE_SCOPES,
        args=_ARGS,
        payload=Payload("string", "<message>", required=False),
        apply=_apply,
        emits=(Emission(ErrorType.INVALID, "validateFalse", texts=("forced failure: <message>",)),) if fails else (),
        examples=(rejects("string", "a", '="no"'),) if fails else (accepts("string", "a"),),
        stability=stability,
        describe=lambda check, subject: f"always {'rejected' if fails else 'accepted'}",
        since=since,
    )


VALIDATE_ERROR = TagSpec(
    name="k8s:validateError",
    summary="Fails to compile.",
    scopes=VALUE_SCOPES,
    payload=Payload("string", "<message>", required=False),
    apply=_error,
    invalid_usages=(invalid_usage("string", '="no"'),),
    stability="Alpha",
)

SPECS = (
    _spec("True", "Accepts every value."),
    _spec("TrueAlpha", "Accepts every value.", since=36),
    _spec("TrueBeta", "Accepts every value.", "Beta", since=36),
    _spec("False", "Rejects every value."),
    VALIDATE_ERROR,
)
