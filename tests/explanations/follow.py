"""Follows a fix of a suite to the letter, as a reader would who knows nothing but the sentence and the files."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias

from harness.compare.finding import Finding
from harness.field import make
from harness.jsonpath import canonical_path
from harness.subject import SubjectSpec
from harness.subject.openers.suite import open_suite

_SOURCE = re.compile(r" \(([^() ]+\.go):(\d+)\)$")
_CALL = r"(\w+)\(\.\.\.\) for (\S+)"
_DECLARE = re.compile(
    r"^declare (?:the rule in \S+ as in \S+: |the same rule, at the same level, in every version: )?"
    r"(\+.+?) on (?!its type)\S+?(?:, or .*| in every version.*)?$"
)
_REMOVE = re.compile(r"^remove (\+.+?) from \S+, or ")
_LIMIT = re.compile(r"^give (\+\S+) on \S+ the limit of the handwritten check, (-?\d+)")
_UNIT = re.compile(r"^let both sides at \S+ count characters, or both bytes: (\+.+) is the rule")
_OPEN = ("<", " on each member", " with what the check has", " or +")
"""What in a declaration leaves something for the reader to decide."""
_MARK = re.compile(rf"^add (covered=True) to {_CALL} in (\S+)$")
_UNMARK = re.compile(rf"^take (covered=True) from {_CALL} in ([^\s;]+)")
_ORIGIN = re.compile(rf'^give (origin="[^"]*") to {_CALL} in (\S+)$')
_NO_ORIGIN = re.compile(rf'^take (origin="[^"]*") from {_CALL} in ([^\s:]+): the rule has none$')


Edit: TypeAlias = Callable[[str, ast.Call, str], str]
"""Returns the text of a module with an argument of a call changed."""


class NotMechanicalError(Exception):
    """The fix wants somebody who thinks."""


def follow(folder: Path, finding: Finding) -> str:
    """Do what the fix of a finding says in the files of a suite. Returns: the sort of fix. Raises: NotMechanicalError.

    A fix that says `A, or B` is followed as far as A.
    """
    source = _SOURCE.search(finding.fix)
    fix = _SOURCE.sub("", finding.fix)
    for name, pattern, write in _OF_TAGS:
        if (found := pattern.search(fix)) is not None:
            if (
                source is None
                or "<" in found[1]
                or found[1].endswith((" on each member", " with what the check has,"))
                or " or +" in found[1]
            ):
                raise NotMechanicalError(fix)
            file = _types(folder, source[1], finding)
            write(file, _declared_below(file, int(source[2])), "=".join(found.groups()))
            return name
    for name, pattern, edit in _OF_CODE:
        if (found := pattern.search(fix)) is not None:
            _edit_call(folder, finding, found.groups(), edit)
            return name
    raise NotMechanicalError(fix)


# types.go


def _types(folder: Path, file: str, finding: Finding) -> Path:
    """Find the file that a fix names by the import path of its package, or by its path in the current folder."""
    change = getattr(finding, "change", None)
    version = (change.version if change is not None else "") or finding.version
    found = sorted(folder.rglob(Path(file).name))
    return next((one for one in found if one.parent.name == version), found[0])


def _declared_below(file: Path, line: int) -> int:
    """Return the line that a comment is about, for a line of the comment: a fix names the line of a tag that goes."""
    lines = file.read_text(encoding="utf-8").split("\n")
    return next(n for n in range(line, len(lines) + 1) if not lines[n - 1].strip().startswith("//"))


def _block(lines: list[str], line: int) -> tuple[int, int]:
    """Return where the comment of the declaration in a line (from 1) begins and ends."""
    first = line - 1
    while first > 0 and lines[first - 1].strip().startswith("//"):
        first -= 1
    return first, line - 1


def _declare(file: Path, line: int, text: str) -> None:
    """Write tags above a field, or above the type that the field has; perhaps in the place of one that is there."""
    text, _, before = text.partition(" in place of ")
    if before:
        _remove(file, line, before)
        line -= 1
    lines = file.read_text(encoding="utf-8").split("\n")
    tags = text.removesuffix(" on its type").split(" with ")
    line = _line_of_type(lines, line) if text.endswith(" on its type") else line
    indent = re.match(r"\s*", lines[line - 1])
    assert indent is not None
    lines[line - 1 : line - 1] = [f"{indent[0]}// {tag}" for tag in tags]
    file.write_text("\n".join(lines), encoding="utf-8")


def _line_of_type(lines: list[str], line: int) -> int:
    """Return the line that declares the type of the field in a line, or that is in a line itself."""
    if lines[line - 1].startswith("type "):
        return line
    named = re.search(r"(\w+)\s+`", lines[line - 1])
    assert named is not None
    return 1 + next(number for number, text in enumerate(lines) if text.startswith(f"type {named[1]} "))


def _remove(file: Path, line: int, tag: str) -> None:
    """Remove a tag from the comment of a field."""
    lines = file.read_text(encoding="utf-8").split("\n")
    first, last = _block(lines, _line_of_type(lines, line) if tag.endswith(" on its type") else line)
    tag = tag.removesuffix(" on its type")
    del lines[next(n for n in range(first, last) if lines[n].strip().removeprefix("//").strip() == tag)]
    file.write_text("\n".join(lines), encoding="utf-8")


def _exchange(file: Path, line: int, tag: str) -> None:
    """Write another tag in the place of the one with its name, or of one that limits the same type."""
    lines = file.read_text(encoding="utf-8").split("\n")
    first, last = _block(lines, line)
    tag = tag.partition(" in place of ")[0]
    name = re.findall(r"\+(k8s:\w+)", tag)[-1]
    names = {"k8s:maxBytes", "k8s:maxLength"} if name in ("k8s:maxBytes", "k8s:maxLength") else {name}
    number = next(n for n in range(first, last) if any(f"+{one}=" in lines[n] for one in names))
    kept = re.split(rf"\+(?:{'|'.join(names)})=", lines[number])[0] if name == tag.lstrip("+").split("=")[0] else ""
    lines[number] = f"{kept or lines[number].partition('//')[0] + '// '}{tag}"
    file.write_text("\n".join(lines), encoding="utf-8")


# handwritten.py


def _edit_call(folder: Path, finding: Finding, found: Sequence[str], edit: Edit) -> None:
    """Change the call that makes the error at a path."""
    argument, name, path, file = found
    lines = lines_that_report(folder, finding, name, path)
    if not lines:
        raise AssertionError(f"{name} makes no error for {path}: {finding.fix}")
    place = folder / file
    text = place.read_text(encoding="utf-8")
    calls = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == name
        and node.lineno <= lines[0] <= (node.end_lineno or 0)
    ]
    place.write_text(edit(text, calls[-1], argument), encoding="utf-8")


def lines_that_report(folder: Path, finding: Finding, name: str, path: str) -> list[int]:
    """Return the lines from which a function of `harness.field.make` made an error for a path, in a finding's case."""
    found: list[int] = []

    def watch(frame: FrameType, event: str, value: Any) -> None:
        if event == "return" and frame.f_code.co_filename == make.__file__ and frame.f_code.co_name == name:
            caller = frame.f_back
            if caller is not None and canonical_path(getattr(value, "field", "")) == path:
                found.append(caller.f_lineno)

    spec = replace(SubjectSpec("suite", str(folder)), in_process=True)
    with open_suite(spec) as subject:
        before = sys.getprofile()
        sys.setprofile(watch)
        try:
            subject.target.ask([finding.case])
        finally:
            sys.setprofile(before)
    return found


def _span(text: str, node: ast.AST) -> tuple[int, int]:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    assert isinstance(node, ast.expr | ast.keyword)
    encoded = text.split("\n")

    def at(line: int, column: int) -> int:
        return starts[line - 1] + len(encoded[line - 1].encode()[:column].decode())

    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)


def _give(text: str, call: ast.Call, argument: str) -> str:
    name = argument.partition("=")[0]
    for keyword in call.keywords:
        if keyword.arg == name:
            begin, end = _span(text, keyword)
            return f"{text[:begin]}{argument}{text[end:]}"
    _, end = _span(text, call)
    inside = text[: end - 1].rstrip().removesuffix(",")
    return f"{inside}, {argument}{text[end - 1 :]}"


def _take(text: str, call: ast.Call, argument: str) -> str:
    name = argument.partition("=")[0]
    keyword = next(one for one in call.keywords if one.arg == name)
    begin, end = _span(text, keyword)
    return f"{text[:begin].rstrip().removesuffix(',')}{text[end:]}"


_OF_TAGS: tuple[tuple[str, re.Pattern[str], Callable[[Path, int, str], None]], ...] = (
    ("declare", _DECLARE, _declare),
    ("remove", _REMOVE, _remove),
    ("limit", _LIMIT, _exchange),
    ("unit", _UNIT, _exchange),
)
OF_TAGS = frozenset(name for name, _, _ in _OF_TAGS)
"""The sorts of fixes that change tags."""

_OF_CODE: tuple[tuple[str, re.Pattern[str], Edit], ...] = (
    ("mark", _MARK, _give),
    ("unmark", _UNMARK, _take),
    ("origin", _ORIGIN, _give),
    ("no origin", _NO_ORIGIN, _take),
)
