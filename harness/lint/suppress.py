"""Suppresses findings by comments that name a code and give a reason: `// +harness:nolint=<code>  # <reason>`.

Upstream's generators ignore the comment, because they do not parse tags whose names they do not know. In the comment
block of a type, field or constant, it suppresses findings in that block and on the line of the declaration; in doc.go,
those in the whole package. `+k8s:validation-gen-nolint` suppresses upstream's own rules, as it does upstream.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from harness.diagnostics import Diagnostic, Position
from harness.lint.build import PreparedPackage
from harness.lint.rule import LintFinding
from harness.tags.grammar import TagLine, tag_lines

TAG = "harness:nolint"
UNUSED = "nolint-unused"
_FORM = re.compile(r"\+harness:nolint=(?P<codes>[\w-]+(?:,[\w-]+)*)\s*(?:#\s*(?P<reason>\S.*))?")
_WHY = "a comment that silences nothing hides what is found there next"


@dataclass(slots=True)
class _Suppression:
    """One code that a comment suppresses, from the line `first` to the line `last`; 0 for the whole package."""

    line: TagLine
    code: str
    first: int
    last: int
    is_used: bool = False

    def covers(self, found: Diagnostic) -> bool:
        """Whether a finding is one that this comment suppresses; the comment is not one for a whole package."""
        position = found.position
        is_same_file = position.file == self.line.position.file
        return found.code == self.code and is_same_file and self.first <= position.line <= self.last


def suppress(
    prepared: Iterable[PreparedPackage], findings: Iterable[LintFinding], skipped: Collection[str] = ()
) -> list[LintFinding]:
    """Return the findings that are not suppressed, and one for each comment that is malformed or suppresses nothing.

    `skipped` are the codes of rules that did not run: comments for these are not reported as unused.
    """
    suppressions: dict[tuple[str, str], list[_Suppression]] = {}
    problems: list[LintFinding] = []
    for one in prepared:
        for line, first, last in _comments(one):
            form = _FORM.fullmatch(line.text.rstrip())
            if form is None or not form["reason"]:
                problems.append(_malformed(line))
                continue
            for code in form["codes"].split(","):
                suppression = _Suppression(line, code, first, last)
                files = (line.position.file,) if last else tuple(one.view.sources)
                for file in files:
                    suppressions.setdefault((file, code), []).append(suppression)
    kept = [found for found in findings if not _apply(found.diagnostic, suppressions)]
    distinct = {id(one): one for listed in suppressions.values() for one in listed}
    problems += [_unused(one) for one in distinct.values() if not (one.is_used or one.code in skipped)]
    return sorted([*kept, *problems], key=lambda found: (found.diagnostic.position, found.diagnostic.code))


def _apply(found: Diagnostic, suppressions: dict[tuple[str, str], list[_Suppression]]) -> bool:
    """Mark the comments that suppress a finding as used, and return whether there is one."""
    is_suppressed = False
    for suppression in suppressions.get((found.position.file, found.code), ()):
        if not suppression.last or suppression.covers(found):
            suppression.is_used = is_suppressed = True
    return is_suppressed


def _comments(one: PreparedPackage) -> Iterator[tuple[TagLine, int, int]]:
    """Yield the comments that suppress findings, with the first and last line that they apply to."""
    for line in tag_lines(one.view.universe.package(one.view.path).comments):
        if line.name == TAG:
            yield line, 0, 0
    seen: set[Position] = set()
    for element in one.view.elements:
        end = (element.member or element.declaration).position.line
        for line in tag_lines(line for line in element.comments if TAG in line.text):
            if line.name == TAG and line.position not in seen:
                seen.add(line.position)
                yield line, element.comments[0].position.line, end


def _malformed(line: TagLine) -> LintFinding:
    message = f"{line.text.strip()} suppresses nothing: it names no code, or gives no reason"
    fix = f"write +{TAG}=<code>  # <why this is right here>"
    why = "who reads it later must know which finding is meant and why it is none"
    return LintFinding(_diagnostic(line, message, why, fix), "warning")


def _unused(suppression: _Suppression) -> LintFinding:
    message = f"+{TAG}={suppression.code} suppresses nothing: {suppression.code} is not found here"
    return LintFinding(_diagnostic(suppression.line, message, _WHY, "remove it"), "warning")


def _diagnostic(line: TagLine, message: str, why: str, fix: str) -> Diagnostic:
    source = " " * max(line.position.column - 4, 0) + "// " + line.text.strip()
    return Diagnostic(line.position, UNUSED, message, why, fix, source, len(line.name) + 1)
