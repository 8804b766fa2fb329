"""Finds tag names that the release does not know, at the start of a line and inside chains.

Source: semantics.md#1.2, #S34.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache

from harness.diagnostics import InputError, Position
from harness.lint.advice import propose_rewrite
from harness.lint.elements import OPENAPI_PREFIX, tag_lines_of
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LintRule
from harness.lint.view import PackageView
from harness.tags.grammar import Tag, parse_line, tag_lines
from harness.tags.registry import ALL_SPECS, OLDER_NAMES, SPECS, is_foreign, specs_of, suggestion
from harness.tags.release import PROPOSED


def find(view: PackageView) -> Iterator[Advice]:
    known = specs_of(view.release)
    detached = (line for e in view.elements for line in e.second_comments if "+k8s:" in line.text)
    for line in (*tag_lines_of(view), *tag_lines(detached)):
        if line.name not in known and not is_foreign(line.name) and not line.name.startswith(OPENAPI_PREFIX):
            yield _advise_on_name(view, line.name, line.position, "nothing is checked")
        if line.name in known:
            try:
                tag: Tag | None = parse_line(line).payload
            except InputError:
                continue
            while tag is not None:
                if tag.name not in known:
                    yield _advise_on_name(view, tag.name, tag.position, "upstream's generator crashes")
                tag = tag.payload


@lru_cache(maxsize=1024)
def find_meant_tag(name: str) -> str:
    """Return the tag that a misspelt name most likely means; empty if no tag, or more than one, is similar enough."""
    if name in OLDER_NAMES:
        return OLDER_NAMES[name]
    same = [known for known in SPECS if known.lower() == name.lower()]
    near = sorted(((SequenceMatcher(None, name, known).ratio(), known) for known in SPECS), reverse=True)
    clear = near[0][0] >= 0.85 and near[0][0] - near[1][0] > 0.02
    return same[0] if same else near[0][1] if clear else ""


def _advise_on_name(view: PackageView, name: str, position: Position, result: str) -> Advice:
    if name in ALL_SPECS and name not in OLDER_NAMES:
        message = f"release {view.release} does not know +{name}, so {result}"
        if proposal := ALL_SPECS[name].proposal:
            return Advice(position, len(name) + 1, message, f"{proposal} proposes it: --release {PROPOSED} reads it")
        return Advice(position, len(name) + 1, message, f"it came with 1.{ALL_SPECS[name].since}")
    meant = find_meant_tag(name) or find_meant_tag(f"k8s:{name}")
    edit = propose_rewrite(view, position, len(name) + 1, f"+{meant}") if meant else None
    fix = f"did you mean +{meant}?" if meant else suggestion(name) or "remove it, or correct the name"
    return Advice(position, len(name) + 1, f"there is no tag +{name}, so {result}", fix, edit)


RULE = LintRule(
    code="unknown-tag",
    severity="error",
    summary="A +k8s: tag that does not exist.",
    why=(
        "upstream ignores unknown names silently, which turns a typing mistake into a missing rule; "
        "under another tag they crash its generator"
    ),
    good=field_of("+k8s:optional\n+k8s:maxLength=3", "string"),
    bad=field_of("+k8s:optional\n+k8s:maxLenght=3", "string"),
    find=find,
    supersedes=("unknown-tag", "tag-release"),
    fixes=True,
)
