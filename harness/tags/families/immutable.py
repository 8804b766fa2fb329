"""Values that may not change. Source: apimachinery pkg/api/validate/immutable.go (2026-07); semantics.md#4.4."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.case import Operation
from harness.field import ErrorType, FieldError, Path
from harness.field.make import forbidden
from harness.tags.grammar import Tag
from harness.tags.rules import Check, Contribution, Rule, Same
from harness.tags.spec import (
    VALUE_SCOPES,
    Emission,
    ReleaseChange,
    Scope,
    TagContext,
    TagSpec,
    Trait,
    accepts,
    contribute_call,
    invalid_usage,
    rejects,
)
from harness.tags.translation import CelRule, Operand, SchemaForm


def immutable(op: Operation, path: Path, new: Any, old: Any) -> list[FieldError]:
    """Reject every update without comparing: ratcheting skips the check for unchanged values (semantics.md#S4).

    Returns: one Invalid error on update, origin `immutable`.
    """
    if op is not Operation.UPDATE:
        return []
    # Upstream passes nil as the bad value, which is printed as null whatever the value is.
    return [FieldError(ErrorType.INVALID, str(path), "field is immutable", "immutable", value="null")]


def immutable_by_comparing(
    op: Operation, path: Path, new: Any, old: Any, same: Callable[[Any, Any], bool]
) -> list[FieldError]:
    """Reject an update that changes the value, as releases before 1.35 did. Returns: one Forbidden error, no origin."""
    if op is not Operation.UPDATE or new is old or (new is not None and old is not None and same(new, old)):
        return []
    return [forbidden(path, "field is immutable")]


def _apply(context: TagContext, tag: Tag) -> Contribution:
    if not context.release.immutable_compares:
        return contribute_call(tag.name, immutable, short_circuits=True)
    return Contribution([Rule(Check(immutable_by_comparing, (Same(context.type),)), tag=tag.name)])


def _unchanged_rule(check: Check, at: Operand) -> list[CelRule]:
    return [CelRule(at.unchanged, "field is immutable", transition=True)]


_DIFFERS = "a value in a new item, or in a struct that was absent, is accepted: there is no old value to compare with"

IMMUTABLE = TagSpec(
    name="k8s:immutable",
    traits=frozenset({Trait.FUNCTION_REFERENCE}),
    summary="Rejects any change of a value, including setting and clearing it.",
    describe=lambda check, subject: (
        "may be neither changed nor added" if subject.is_item else "may not change once created"
    ),
    only_updates=True,
    update_note=(
        "Rejects every change of its value: setting, changing, clearing; of a list or map also of any item or key."
    ),
    invalid_usages=(invalid_usage("map[string]string", "=1"),),
    caveats=(
        "It does not compare. Without an old value, as in a new item or a struct that "
        "was nil, every update fails, even if the field is absent.",
        "On a root type it fails every update, even one that changes nothing.",
        "Under +k8s:eachVal it rejects added items, and allows removing items.",
        "A level between another wrapper and this tag is lost: the rule is standard.",
    ),
    scopes=VALUE_SCOPES - {Scope.MAP_KEY},
    check=immutable,
    apply=_apply,
    short_circuit=True,
    schema={immutable: SchemaForm(_unchanged_rule, of_member=True, differs=_DIFFERS)},
    emits=(Emission(ErrorType.INVALID, "immutable", texts=("field is immutable",)),),
    declaration="+k8s:immutable",
    accepted_when="unchanged",
    examples=(
        accepts("string", "a"),
        accepts("string", "a", old="a"),
        rejects("string", "b", old="a"),
        rejects("*string", None, old="a"),
        rejects("[]string", ["a"], old=[]),
        accepts("map[string]string", {}, old=None),
    ),
    since=33,
    history=(
        ReleaseChange(
            35,
            "Fails for every update that reaches it, as Invalid with an origin; before, it compared and was Forbidden.",
        ),
        ReleaseChange(35, "Stops the other rules of its field."),
    ),
)

SPECS = (IMMUTABLE,)
