"""Finds defaults that the field's own rules reject, whichever options are set.

Source: semantics.md#3.6, #5.2.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.field.facts import measured
from harness.lint.advice import advise
from harness.lint.elements import default_of
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import Use, governing_uses, group_by_target
from harness.lint.view import Element, PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in view.elements:
        text = default_of(element)
        if element.member is None or text is None:
            continue
        value: int | str | None = None
        if text.lstrip("-").isdigit():
            value = int(text)
        elif len(text) >= 2 and text[0] == text[-1] == '"' and "\\" not in text:
            value = text[1:-1]
        for use in group_by_target(governing_uses(view, element)).get((), ()):
            if value is not None and _rejects(view, element, use, value):
                subject = use if use.is_own else element
                yield advise(subject, f"{use.describe()} rejects +default={text}", "change the limit or the default")


def _rejects(view: PackageView, element: Element, use: Use, value: int | str) -> bool:
    """Whether a tag without conditions rejects a value."""
    if use.conditions:
        return False
    if use.name == "enum" and isinstance(value, str):
        ref = element.type.elem if element.type.kind == "pointer" and element.type.elem else element.type
        known = [const.value for const in view.types.consts_of(ref.name)]
        return bool(known) and value not in known
    what, least, most = use.bounds
    size = value if what == "value" and isinstance(value, int) else None
    if what == "length" and isinstance(value, str) and use.boundary is not None:
        size = measured(use.boundary.measure, value)
    return size is not None and ((least is not None and size < least) or (most is not None and size > most))


RULE = LintRule(
    code="default-rejected",
    severity="error",
    summary="The field's own rules reject its default.",
    why="an object that leaves the field out gets the default, and is then rejected for it",
    good=field_of("+k8s:optional\n+default=5\n+k8s:maximum=9", "*int32"),
    bad=field_of("+k8s:optional\n+default=10\n+k8s:maximum=9", "*int32"),
    find=find,
)
