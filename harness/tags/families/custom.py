"""Handwritten Go functions called as rules. Source: semantics.md#5.8."""

from __future__ import annotations

from harness.tags.grammar import Tag
from harness.tags.rules import Check, Contribution, Rule
from harness.tags.spec import Scope, TagContext, TagError, TagSpec, Trait


def _apply(context: TagContext, tag: Tag) -> Contribution:
    owner = (context.parent_path or context.path).rpartition(".")[2]
    name = f"ValidateCustom_{owner}" + (f"_{context.member.name}" if context.member else "")
    function = context.custom.get(name)
    if function is None:
        raise TagError(
            f"calls the Go function {name}, for which no Python function was given", tag, "tag-not-supported",
            why="the function is handwritten Go code, which is not part of the types",
            fix=f"pass custom={{'{name}': function}}, or compare with a target that runs Go",
        )  # fmt: skip
    return Contribution([Rule(Check(function, custom=name), tag=tag.name)])


CUSTOM_VALIDATION = TagSpec(
    name="k8s:customValidation",
    traits=frozenset({Trait.FUNCTION_REFERENCE}),
    summary="Calls the handwritten function `ValidateCustom_<Type>` or `ValidateCustom_<Type>_<Field>`.",
    describe=lambda check, subject: f"checked by the handwritten function `{check.custom}`",
    update_note="On a field, skipped if the field is unchanged; on a type, never skipped.",
    scopes=frozenset({Scope.TYPE, Scope.FIELD}),
    apply=_apply,
    note="The compiler is given the function in Python: (operation, path, new, old) to errors.",
    since=37,
)

SPECS = (CUSTOM_VALIDATION,)
