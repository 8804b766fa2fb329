"""Finds levels under another wrapper, where upstream drops them for rules without arguments.

Source: semantics.md#3.5, #3.8, #S8.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import tag_text, tagged_elements, uses_on
from harness.lint.view import PackageView
from harness.tags.families.levels import LEVELS
from harness.tags.spec import Trait


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        for use in uses_on(view, element):
            for before, tag in zip(use.wrappers, use.wrappers[1:], strict=False):
                lost = tag.name in LEVELS and before.name not in LEVELS and use.has_trait(Trait.FUNCTION_REFERENCE)
                if lost and before.name != "k8s:ifMode":
                    message = f"the level is lost: under +{before.name}, {tag_text(use.tag)} counts as standard"
                    yield advise(tag, message, f"start the line with +{tag.name}")


RULE = LintRule(
    code="lost-level",
    severity="error",
    summary="A level below another wrapper, where it is lost.",
    why="upstream calls rules without arguments by name there, and a name carries no level: the rule is enforced",
    good=field_of("+k8s:optional\n+k8s:alpha=+k8s:eachVal=+k8s:format=k8s-uuid", "[]string"),
    bad=field_of("+k8s:optional\n+k8s:eachVal=+k8s:alpha=+k8s:format=k8s-uuid", "[]string"),
    find=find,
)
