"""Finds tags that refine how list items are compared, on a list whose items are not compared.

Source: semantics.md#5.6.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise, propose_deletion
from harness.lint.elements import path_of
from harness.lint.examples import S, field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import tag_text, tagged_elements, uses_on
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        found = uses_on(view, element)
        for use in found:
            semantics = {o.text for o in found if o.name in ("listType", "unique") and o.target == use.target}
            if use.name == "listMapKey" and not semantics:
                message = f"{tag_text(use.tag)} does nothing on {path_of(element)} without +k8s:listType"
                yield advise(use, message, "add +k8s:listType=map")
            elif use.name == "customUnique" and not semantics & {"set", "map"}:
                message = f"+k8s:customUnique does nothing on {path_of(element)}: no items are compared there"
                yield advise(use, message, "remove it, or add +k8s:unique", propose_deletion(view, use.tag))


RULE = LintRule(
    code="lone-list-tag",
    severity="error",
    summary="+k8s:listMapKey or +k8s:customUnique without +k8s:listType or +k8s:unique.",
    why=(
        "these only refine a list whose items another tag distinguishes; by themselves they are accepted and do nothing"
    ),
    good=field_of("+k8s:optional\n+k8s:listType=map\n+k8s:listMapKey=n\n+k8s:customUnique", "[]S", S),
    bad=field_of("+k8s:optional\n+k8s:listMapKey=n\n+k8s:customUnique", "[]S", S),
    find=find,
    fixes=True,
)
