"""Finds rules that upstream drops silently under +k8s:ifMode.

Source: semantics.md#5.10, #S9.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.examples import mode_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import tagged_elements
from harness.lint.view import PackageView
from harness.tags.grammar import Tag
from harness.tags.registry import ALL_SPECS
from harness.tags.spec import Trait

_DROPPED = frozenset({Trait.DEFERRED, Trait.STRUCT_RULE})
"""Upstream emits the rules of these tags after the others, and does not do so under +k8s:ifMode."""


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        for tag, _ in element.find_tags("k8s:ifMode"):
            inner = tag.payload
            while inner is not None and not _is_dropped(inner) and inner.payload is not None:
                inner = inner.payload
            if inner is not None and _is_dropped(inner):
                message = f"+{inner.name} under +k8s:ifMode is dropped: it only forbids the field in other modes"
                yield advise(inner, message, "put the rule on the type of the field, or check it by hand")


def _is_dropped(tag: Tag) -> bool:
    return tag.name in ALL_SPECS and not _DROPPED.isdisjoint(ALL_SPECS[tag.name].traits)


RULE = LintRule(
    code="mode-drops-rule",
    severity="error",
    summary="A rule under +k8s:ifMode that is dropped silently.",
    why="only rules that are made at once survive there; those of items, members, lists and updates come later",
    good=mode_of('+k8s:ifMode("A")=+k8s:maxItems=1', "[]string"),
    bad=mode_of('+k8s:ifMode("A")=+k8s:eachVal=+k8s:minLength=1', "[]string"),
    find=find,
)
