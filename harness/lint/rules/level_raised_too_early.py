"""Finds rules that a change raises by two levels, or a second time in one release.

Source: KEP-5073, on the lifecycle of a rule; semantics.md#3.5.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.changes import kept_elements
from harness.lint.elements import path_of
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import STRENGTH, Use, tag_text
from harness.lint.view import PackageView
from harness.tags.families.levels import LEVELS


def find(view: PackageView) -> Iterator[Advice]:
    for kept in kept_elements(view):
        for key, use in kept.rules.items():
            before = kept.before.get(key)
            if before is None or STRENGTH[use.level] <= STRENGTH[before.level]:
                continue
            what = f"{tag_text(use.tag)} of {path_of(kept.element)}"
            old, new = _minor_since(before), _minor_since(use) or view.minor
            if STRENGTH[use.level] - STRENGTH[before.level] > 1:
                message = f"{what} goes from {before.level} to standard at once"
                yield advise(use.outer, message, "raise it to beta first, and to standard one release later")
            elif old is not None and new is not None and new <= old:
                message = f"{what} is {before.level} since 1.{old}, and rises to {use.level or 'standard'} in 1.{new}"
                yield advise(use.outer, message, f"raise it one release later, since 1.{old + 1}")


def _minor_since(use: Use) -> int | None:
    """Return the minor number of the release since which a rule has its level, if its tag says so."""
    level = next((tag for tag in use.wrappers if tag.name in LEVELS), None)
    since = level.arg("since") if level is not None else None
    number = since.text.partition(".")[2] if since is not None else ""
    return int(number) if number.isdecimal() else None


RULE = LintRule(
    code="level-raised-too-early",
    severity="warning",
    summary="A change raises a rule by two levels, or twice in one release.",
    why=(
        "a level shows in one release whether the rule does what its check did; who skips it, or stays in it for less, "
        "learns that from users"
    ),
    good=field_of('+k8s:optional\n+k8s:beta(since: "1.37")=+k8s:maxLength=5', "*string"),
    bad=field_of("+k8s:optional\n+k8s:maxLength=5", "*string"),
    base=field_of('+k8s:optional\n+k8s:alpha(since: "1.36")=+k8s:maxLength=5', "*string"),
    find=find,
)
