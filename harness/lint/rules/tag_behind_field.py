"""Finds tags in a trailing comment, which Go attaches to the next element.

Source: semantics.md#1.1, #S1.
"""

from __future__ import annotations

from collections.abc import Iterator

from harness.lint.advice import advise
from harness.lint.elements import path_of
from harness.lint.rule import Advice, LineEdit, LintRule
from harness.lint.uses import tag_text, tagged_elements, uses_on
from harness.lint.view import Element, PackageView
from harness.tags.grammar import Tag


def find(view: PackageView) -> Iterator[Advice]:
    for element in tagged_elements(view):
        for tag in (use.outer for use in uses_on(view, element)):
            line = view.line(tag.position)
            code, found, _ = line.partition("//")
            if found and code.strip() and tag.position.line == _line_of(element) - 1:
                message = f"{tag_text(tag)} belongs to {path_of(element)}, in the next line, not to the code before it"
                yield advise(tag, message, "write it above its element", _propose_move(tag, line))


def _line_of(element: Element) -> int:
    return (element.member or element.declaration).position.line


def _propose_move(tag: Tag, line: str) -> LineEdit | None:
    code, _, comment = line.partition("//")
    if comment.strip() != tag.source.strip() or "{" in code or "`" in comment:
        return None
    indent = code[: len(code) - len(code.lstrip())]
    above = f"{indent}// {comment.strip()}\n{code.rstrip()}"
    return LineEdit(tag.position.file, tag.position.line, line, above)


RULE = LintRule(
    code="tag-behind-field",
    severity="error",
    summary="A tag in a trailing comment of a field or constant, which belongs to the next one.",
    why="a comment belongs to the element in the line below its last line, also if it is a trailing comment",
    good='type T struct {\n\t// +k8s:required\n\tA string `json:"a"`\n\tB string `json:"b"`\n}\n',
    bad='type T struct {\n\tA string `json:"a"` // +k8s:required\n\tB string `json:"b"`\n}\n',
    find=find,
    fixes=True,
)
