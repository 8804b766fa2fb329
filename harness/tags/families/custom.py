"""Handwritten checks among the rules. Known by name and refused: the function is Go, and not in types.go."""

from __future__ import annotations

from harness.tags.spec import Scope, TagSpec

CUSTOM_VALIDATION = TagSpec(
    name="k8s:customValidation",
    summary="Calls a handwritten Go function of the generated package.",
    scopes=frozenset({Scope.TYPE, Scope.FIELD}),
    supported=False,
    note="The function is Go code of the generated package; only a target that runs Go can call it.",
)

SPECS = (CUSTOM_VALIDATION,)
