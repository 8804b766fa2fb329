"""Finds tags in comments that belong to no element: not directly above one, after the last field, in functions.

Source: semantics.md#1.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.diagnostics import Position
from harness.lint.advice import propose_joining
from harness.lint.rule import Advice, LintRule
from harness.lint.view import PackageView
from harness.tags.registry import SPECS

_TAG = re.compile(r"(?P<code>.*?)//\s?(?P<tag>\+(?P<name>k8s:[\w.:-]+).*)")


def find(view: PackageView) -> Iterator[Advice]:
    known = {
        (line.position.file, line.position.line)
        for element in view.elements
        for line in (*element.comments, *(element.second_comments if propose_joining(view, element) else ()))
    }
    package = view.universe.package(view.path)
    known |= {(line.position.file, line.position.line) for line in package.comments}
    for file, lines in view.sources.items():
        for number, line in enumerate(lines, 1):
            found = _TAG.fullmatch(line) if "+k8s:" in line else None
            if found and found["name"] in SPECS and (file, number) not in known and '"' not in found["code"]:
                column = found.start("tag") + 1
                message = f"{found['tag'].strip()} belongs to no type, field or constant, so it is ignored"
                fix = "write it directly above its element"
                yield Advice(Position(file, number, column), len(found["name"]) + 1, message, fix)


RULE = LintRule(
    code="tag-orphaned",
    severity="error",
    summary="A tag in a comment that belongs to nothing.",
    why="only a comment that ends directly above a type, field or constant is read",
    good='type T struct {\n\t// +k8s:required\n\tA string `json:"a"`\n}\n',
    bad='type T struct {\n\tA string `json:"a"`\n\t// +k8s:required\n}\n',
    find=find,
)
