"""Finds limits of a mode that run before the short-circuit for an unset field.

Source: semantics.md#S10.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.examples import mode_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import PRESENCE, tag_text, tagged_elements, uses_on
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        ordered = sorted((use for use in uses_on(view, element) if use.is_in_mode), key=lambda use: use.outer.name)
        for index, stop in enumerate(ordered):
            before = [use for use in ordered[:index] if use.can_reject and not use.short_circuits]
            early = next((use for use in before if use.conditions == stop.conditions), None)
            if stop.name in PRESENCE and early is not None:
                message = f"{tag_text(early.tag)} runs before {tag_text(stop.tag)}, so on an unset field too"
                yield advise(stop.outer, message, f"write this line before {tag_text(early.outer)}")


RULE = LintRule(
    code="mode-order",
    severity="warning",
    summary="In a mode, a limit precedes the short-circuit for an unset field.",
    why="rules of a mode run in the order of their lines; elsewhere short-circuits come first",
    good=mode_of('+k8s:ifMode("A")=+k8s:required\n+k8s:ifMode("A")=+k8s:minItems=2', "[]string"),
    bad=mode_of('+k8s:ifMode("A")=+k8s:minItems=2\n+k8s:ifMode("A")=+k8s:required', "[]string"),
    find=find,
)
