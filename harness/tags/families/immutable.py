"""Values that may not change. Source: apimachinery pkg/api/validate/immutable.go (2026-07); DV 4.4."""

from __future__ import annotations

from typing import Any

from harness.case import Operation
from harness.field import ErrorType, FieldError, Path
from harness.tags.spec import VALUE_SCOPES, Change, Emission, Scope, TagSpec, accepts, rejects


def immutable(op: Operation, path: Path, new: Any, old: Any) -> list[FieldError]:
    """Reject every update that gets here: unchanged values are forgiven before (DV S4).

    Returns: one Invalid error on update, origin `immutable`.
    """
    if op is not Operation.UPDATE:
        return []
    return [FieldError(ErrorType.INVALID, str(path), "field is immutable", "immutable", value="null")]


IMMUTABLE = TagSpec(
    name="k8s:immutable",
    summary="Refuses any change of a value, setting and clearing included.",
    scopes=VALUE_SCOPES - {Scope.MAP_KEY},
    check=immutable,
    short_circuit=True,
    emits=(Emission(ErrorType.INVALID, "immutable"),),
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
        Change(
            35,
            "Fails for every update that reaches it, as Invalid with an origin; before, it compared and was Forbidden.",
        ),
        Change(35, "Stops the other rules of its field."),
    ),
)

SPECS = (IMMUTABLE,)
