"""Finds +k8s:opaqueType under a level or an option, which have no effect on it.

Source: semantics.md#S18.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise, propose_rewrite
from harness.lint.examples import S, field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import tag_text, tagged_elements, targets_other_value, uses_on
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        for use in uses_on(view, element):
            lost = [tag for tag in use.wrappers if not targets_other_value(tag)]
            if use.name == "opaqueType" and lost:
                kept = "=".join(str(tag).partition("=")[0] for tag in (*use.wrappers, use.tag) if tag not in lost)
                message = f"+{lost[0].name} around +k8s:opaqueType has no effect: the type's rules are left out always"
                edit = propose_rewrite(view, use.outer.position, len(tag_text(use.outer)), kept)
                yield advise(lost[0], message, f"write {kept}", edit)


RULE = LintRule(
    code="opaque-always",
    severity="note",
    summary="+k8s:opaqueType under a level or an option.",
    why="what a type's rules are is decided when code is generated, so no gate can change it",
    good=field_of("+k8s:required\n+k8s:opaqueType", "*S", S),
    bad=field_of("+k8s:required\n+k8s:alpha=+k8s:opaqueType", "*S", S),
    find=find,
    fixes=True,
)
