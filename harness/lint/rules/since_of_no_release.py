"""Finds levels whose `since` is a release that there is not: before tags had levels, or later than the types' own.

Source: semantics.md#3.5, #5.8.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.uses import tag_text, tagged_elements, uses_on
from harness.lint.view import PackageView
from harness.tags.families.levels import LEVELS
from harness.tags.release import OLDEST

_VERSION = re.compile(r"([0-9]+)\.([0-9]+)")


def find(view: PackageView) -> Iterator[Advice]:
    # Types whose release is not known may be written for the one that comes next.
    own = view.release.minor if view.minor is None else view.minor
    newest = own + 1 if view.minor is None else own
    for element in tagged_elements(view):
        for use in uses_on(view, element):
            for tag in (one for one in use.wrappers if one.name in LEVELS):
                since = tag.arg("since")
                found = _VERSION.fullmatch(since.text) if since is not None else None
                if found is None or (found[1] == "1" and OLDEST <= int(found[2]) <= newest):
                    continue
                message = (
                    f"+{tag.name} of {tag_text(use.tag)} is since {found[0]}, which is no release of 1.{OLDEST} to "
                )
                fix = f'name the release that first has the rule at this level: since: "1.{own}"'
                yield advise(tag, f"{message}1.{newest}", fix)


RULE = LintRule(
    code="since-of-no-release",
    severity="warning",
    summary="A level since a release that does not exist.",
    why=(
        "since says when a rule may rise to the next level, one release later; nothing checks it, and who reads it "
        "next raises the rule too early or never"
    ),
    good=field_of('+k8s:optional\n+k8s:alpha(since: "1.37")=+k8s:maxLength=5', "*string"),
    bad=field_of('+k8s:optional\n+k8s:alpha(since: "1.73")=+k8s:maxLength=5', "*string"),
    find=find,
)
