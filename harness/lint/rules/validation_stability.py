"""Finds tags that are less stable than the API that uses them, as upstream's linter does.

Source: semantics.md#8.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.compiler.lintwalk import Problem
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.upstream import advise_as_upstream, visits_from_roots
from harness.lint.view import PackageView
from harness.tags.families.levels import LEVELS
from harness.tags.grammar import Tag
from harness.tags.registry import specs_of

_OPTIONS = ("k8s:ifEnabled", "k8s:ifDisabled")
_ORDER = ("Alpha", "Beta", "Stable")
_FIX = "put +k8s:beta= or +k8s:alpha= in front, as the tag's own stability allows"


def find(view: PackageView) -> Iterator[Advice]:
    known = {name: spec.stability for name, spec in specs_of(view.release).items()}
    for visit in visits_from_roots(view):
        context = _context_of(visit.package)
        found = next(
            (found for tag in visit.tags if (found := _find_unstable_tag(tag, context, known)) is not None), None
        )
        if found is not None:
            yield advise_as_upstream(visit, found, _FIX)


def _context_of(package: str) -> str:
    last = package.rpartition("/")[2]
    return "Alpha" if "alpha" in last else "Beta" if "beta" in last else "Stable"


def _find_unstable_tag(top: Tag, context: str, known: dict[str, str]) -> Problem | None:
    tag: Tag | None = top
    if top.name in LEVELS:
        context, tag = top.name.removeprefix("k8s:").capitalize(), top.payload
    if tag is not None and tag.name in _OPTIONS and context == "Stable":
        context = "Beta"
    while tag is not None and tag.name in known:
        level = known[tag.name]
        if _ORDER.index(level) < _ORDER.index(context):
            message = f'tag "{tag.name}" with stability level "{level}" cannot be used in {context} validation'
            return message, tag
        tag = tag.payload
    return None


RULE = LintRule(
    code="validationStability",
    severity="error",
    summary="A tag is as stable as the API, or is wrapped in its level.",
    why=(
        "what an unfinished tag does may change, and a stable API must not change with it; "
        "upstream's generator stops at this"
    ),
    good=field_of('+k8s:optional\n+k8s:alpha=+k8s:neq="none"', "string"),
    bad=field_of('+k8s:optional\n+k8s:neq="none"', "string"),
    find=find,
    upstream=True,
)
