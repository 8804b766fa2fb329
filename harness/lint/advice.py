"""Builds the advice of a lint rule, and the edits of one line that `--fix` can apply safely."""

from __future__ import annotations

from harness.diagnostics import Position
from harness.lint.rule import Advice, LineEdit
from harness.lint.uses import Use
from harness.lint.view import Element, PackageView
from harness.tags.grammar import Tag


def advise(subject: Tag | Use | Element, message: str, fix: str = "", edit: LineEdit | None = None) -> Advice:
    """Return advice that points at a tag, or at the name of an element."""
    if isinstance(subject, Use):
        subject = subject.tag
    if isinstance(subject, Tag):
        return Advice(subject.position, subject.width, message, fix, edit)
    position = subject.member.position if subject.member else subject.declaration.position
    return Advice(position, len(subject.name), message, fix, edit)


def propose_deletion(view: PackageView, tag: Tag) -> LineEdit | None:
    """Return the edit that deletes a tag's line; None if the line has more than the tag, or the tag has an effect."""
    line = view.line(tag.position)
    # Without its +k8s:ifMode a field would no longer be forbidden in the other modes.
    is_deletable = is_comment_line(line) and "+k8s:ifMode" not in line
    return LineEdit(tag.position.file, tag.position.line, line, None) if is_deletable else None


def propose_rewrite(view: PackageView, position: Position, width: int, text: str) -> LineEdit | None:
    """Return the edit that replaces `width` characters of a line; None if the line is not a `//` comment alone."""
    line = view.line(position)
    start = position.column - 1
    if not is_comment_line(line) or start < 0:
        return None
    return LineEdit(position.file, position.line, line, line[:start] + text + line[start + width :])


def is_comment_line(line: str) -> bool:
    """Whether a line is a `//` comment without code before it."""
    return line.lstrip().startswith("//")


def propose_joining(view: PackageView, element: Element) -> LineEdit | None:
    """Return the edit that deletes the blank line between an element's comment and the block before it.

    Returns: None if that block is followed by another field, which it belongs to.
    """
    if not element.second_comments:
        return None
    last = element.second_comments[-1].position
    lines = view.sources.get(last.file, ())
    number = last.line + 1
    while number <= len(lines) and is_comment_line(lines[number - 1]):
        number += 1
    is_blank = number <= len(lines) and not lines[number - 1].strip()
    return (
        LineEdit(last.file, number, lines[number - 1], None) if is_blank and is_comment_line(view.line(last)) else None
    )
