"""Finds unions of list items whose members are not sorted by key.

Source: semantics.md#S12.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from harness.lint.advice import advise
from harness.lint.examples import S, field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.unions import MEMBERS
from harness.lint.uses import tag_text, tagged_elements, uses_on
from harness.lint.view import PackageView


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        for name in MEMBERS:
            found = [use for use in uses_on(view, element) if use.name == name and use.target]
            items = [use for use in found if use.target[-1].startswith("item(")]
            for before, use in pairwise(items):
                if use.target < before.target and use.level == before.level:
                    message = (
                        f"{tag_text(use.outer)} follows {tag_text(before.outer)}: errors will name the wrong items"
                    )
                    yield advise(use.outer, message, "sort the lines by the item's key")


_LIST = "+k8s:optional\n+k8s:listType=map\n+k8s:listMapKey=n\n"
_ITEM = '+k8s:item(n: "{}")=+k8s:zeroOrOneOfMember'

RULE = LintRule(
    code="item-union-order",
    severity="warning",
    summary="Members of a union of items that are not sorted by key.",
    why="upstream sorts the tests of membership and not the names, so an error pairs them wrongly",
    good=field_of(_LIST + _ITEM.format("a") + "\n" + _ITEM.format("b"), "[]S", S),
    bad=field_of(_LIST + _ITEM.format("b") + "\n" + _ITEM.format("a"), "[]S", S),
    find=find,
)
