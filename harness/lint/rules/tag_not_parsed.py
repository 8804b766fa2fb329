"""Finds tags that do not parse. Lists with commas and remarks after `//` can be fixed.

Source: semantics.md#1.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.diagnostics import InputError
from harness.lint.advice import is_comment_line, propose_rewrite
from harness.lint.elements import is_tag, tag_lines_of
from harness.lint.examples import field_of
from harness.lint.rule import Advice, LineEdit, LintRule
from harness.lint.view import PackageView
from harness.tags.grammar import TagLine, parse_line
from harness.tags.registry import SPECS

_COMMA_LIST = re.compile(r"(?P<head>.*=)(?P<values>\w+(?:,\w+)+)\s*")


def find(view: PackageView) -> Iterator[Advice]:
    for line in tag_lines_of(view):
        if line.name not in SPECS:
            continue
        try:
            parse_line(line)
        except InputError as error:
            for diagnostic in error.diagnostics:
                edit = _propose_remark(view, line) or _propose_split(view, line)
                yield Advice(diagnostic.position, 1, diagnostic.message, diagnostic.fix, edit)


def _propose_remark(view: PackageView, line: TagLine) -> LineEdit | None:
    tag, slashes, remark = line.text.partition("//")
    if not slashes or not is_tag(tag):
        return None
    return propose_rewrite(view, line.position, len(line.text), f"{tag.rstrip()} # {remark.strip()}")


def _propose_split(view: PackageView, line: TagLine) -> LineEdit | None:
    found = _COMMA_LIST.fullmatch(line.text)
    line_text = view.line(line.position)
    if not found or not is_comment_line(line_text):
        return None
    start = line_text[: line.position.column - 1]
    tags = [found["head"] + value for value in found["values"].split(",")]
    if not all(map(is_tag, tags)):
        return None
    return LineEdit(line.position.file, line.position.line, line_text, "\n".join(start + tag for tag in tags))


RULE = LintRule(
    code="tag-not-parsed",
    severity="error",
    summary="A tag whose text does not parse.",
    why=(
        "upstream generates nothing; a tag is +name, +name(argument) or +name(name: value, ...), "
        "each perhaps with =value or =+another-tag"
    ),
    good=field_of("+k8s:update=NoSet # set once\n+k8s:update=NoModify\n+k8s:optional", "*string"),
    bad=field_of("+k8s:update=NoSet,NoModify\n+k8s:optional", "*string"),
    find=find,
    supersedes=("tag-syntax",),
    fixes=True,
)
