"""Finds values of +k8s:neq that another rule rejects, or that are short-circuited first.

Source: semantics.md#5.2, #3.6.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise, propose_deletion
from harness.lint.elements import default_of, is_zero_unset, target_type
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import Use, limited_values, tag_text
from harness.lint.view import Element, PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element, target, found in limited_values(view):
        for use in (use for use in found if use.is_own and use.name == "neq" and use.tag.scalar):
            reason = _why_unreachable(view, element, target, use, found)
            if reason:
                message = f"{tag_text(use.tag)} never rejects anything: {reason}"
                edit = propose_deletion(view, use.tag)
                yield advise(use, message, "remove it, or correct the value", edit)


def _why_unreachable(view: PackageView, element: Element, target: tuple[str, ...], use: Use, found: list[Use]) -> str:
    ref = target_type(view, element.type, target)
    if ref is None or use.tag.scalar is None:
        return ""
    value = use.tag.scalar.value
    short_circuits = [one for one in found if one.name in ("optional", "required") and one.applies_whenever(use)]
    if short_circuits and default_of(element) is None and is_zero_unset(view, ref) and value in ("", 0, False):
        return f"{short_circuits[0].describe()} ends the field before an empty value gets here"
    for other in found:
        if other.name == "enum" and other.applies_whenever(use):
            name = ref.elem.name if ref.kind == "pointer" and ref.elem else ref.name
            known = [const.value for const in view.types.consts_of(name)]
            if known and value not in known:
                return f"{value!r} is none of the enum's values, so it is rejected anyway"
        what, least, most = other.bounds
        outside = (
            what == "value"
            and isinstance(value, int)
            and ((least is not None and value < least) or (most is not None and value > most))
        )
        if outside and other.applies_whenever(use):
            return f"{other.describe()} rejects {value} anyway"
    return ""


RULE = LintRule(
    code="value-never-met",
    severity="warning",
    summary="+k8s:neq names a value that another rule rejects or that never gets that far.",
    why="a rule that cannot fire reads like a promise; perhaps another value was meant",
    good=field_of('+k8s:required\n+k8s:neq="default"', "string"),
    bad=field_of('+k8s:required\n+k8s:neq=""', "string"),
    find=find,
    fixes=True,
)
