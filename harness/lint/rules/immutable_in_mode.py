"""Finds +k8s:immutable under +k8s:ifMode.

Source: semantics.md#S11.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import path_of
from harness.lint.examples import mode_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import tag_text, tagged_elements, uses_on
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        for use in uses_on(view, element):
            if use.is_in_mode and use.name == "immutable" and not use.target:
                message = (
                    f"{tag_text(use.outer)} also rejects an update that only changes the mode, not {path_of(element)}"
                )
                yield advise(use, message, "make the discriminator immutable too, or check it by hand")


RULE = LintRule(
    code="immutable-in-mode",
    severity="note",
    summary="+k8s:immutable under +k8s:ifMode.",
    why="the rule never compares, and rules of a mode run whenever the discriminator or the field changed",
    good=mode_of('+k8s:ifMode("A")=+k8s:optional', "*string"),
    bad=mode_of('+k8s:ifMode("A")=+k8s:immutable', "*string"),
    find=find,
)
