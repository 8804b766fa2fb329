"""Finds roots that have a status with rules and do not declare the subresource, while other roots do.

Source: semantics.md#1.6.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.gotypes.model import Struct
from harness.lint.advice import advise
from harness.lint.elements import reachable_types, types_of
from harness.lint.examples import ROOTS, STATUS_TAG
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import subresource_tags, tagged_elements, uses_on
from harness.lint.view import PackageView
from harness.objectmodel import STATUS


def find(view: PackageView) -> Iterator[Advice]:
    roots = [(e, d) for e, d in types_of(view) if d.name in view.roots and isinstance(d, Struct)]
    declaring = [d for e, d in roots if any(t.scalar and t.scalar.text == "/status" for t in subresource_tags(e))]
    for element, declaration in roots if declaring else ():
        if any(tag.name == "k8s:isSubresource" for tag in subresource_tags(element)):
            continue
        status = next((f for f in declaration.fields if f.json_name == STATUS), None) \
            if isinstance(declaration, Struct) and declaration not in declaring else None  # fmt: skip
        if status is not None and _has_rules(view, declaration.qualified):
            message = f'{declaration.name} has a status but no +k8s:supportsSubresource="/status"'
            fix = f"if {declaration.name} is served with /status, declare it as {declaring[0].name} does"
            yield advise(element, message, fix)


def _has_rules(view: PackageView, qualified: str) -> bool:
    """Whether a type, or a type of this package that it reaches, has a rule."""
    reached = reachable_types(view, [qualified])
    return any(
        use.can_reject
        for element in tagged_elements(view)
        if f"{view.path}.{element.declaration.name}" in reached
        for use in uses_on(view, element)
    )


RULE = LintRule(
    code="subresource-undeclared",
    severity="note",
    summary="A root type with a status that does not declare the subresource, although others do.",
    why="a request for a subresource that the type does not declare is answered with an internal error",
    good=ROOTS.format(STATUS_TAG, '"/status"'),
    bad=ROOTS.format("", '"/status"'),
    find=find,
)
