"""Findings that somebody silenced, on one element with a reason: `// +harness:nolint=<code>  # <reason>`.

Upstream's generators drop names they do not know without parsing them, so the comment means nothing to them. It stands
in the comment block of the type, field or constant, and silences what is found in that block and on that line; in
doc.go it holds for the package. `+k8s:validation-gen-nolint` silences upstream's own rules, as it does upstream.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from harness.diagnostics import Diagnostic, Position
from harness.lint.build import Prepared
from harness.lint.rule import LintFinding
from harness.tags.grammar import TagLine, tag_lines

TAG = "harness:nolint"
UNUSED = "nolint-unused"
_FORM = re.compile(r"\+harness:nolint=(?P<codes>[\w-]+(?:,[\w-]+)*)\s*(?:#\s*(?P<reason>\S.*))?")
_WHY = "a comment that silences nothing hides what is found there next"


@dataclass(slots=True)
class _Silence:
    """One code that one comment silences in a range of lines, both ends included."""

    line: TagLine
    code: str
    first: int
    last: int
    used: bool = False

    def covers(self, found: Diagnostic) -> bool:
        at = found.position
        return found.code == self.code and at.file == self.line.position.file and self.first <= at.line <= self.last


def suppress(
    prepared: Iterable[Prepared], findings: Iterable[LintFinding], skipped: Collection[str] = ()
) -> list[LintFinding]:
    """Return what is left, and a finding for each comment that silences nothing or gives no reason.

    Whether a rule that was `skipped` would have been silenced is not known, and not complained about.
    """
    silences: dict[tuple[str, str], list[_Silence]] = {}
    problems: list[LintFinding] = []
    for one in prepared:
        for line, first, last in _comments(one):
            form = _FORM.fullmatch(line.text.rstrip())
            if form is None or not form["reason"]:
                problems.append(_malformed(line))
                continue
            for code in form["codes"].split(","):
                silence = _Silence(line, code, first, last)
                files = (line.position.file,) if last else tuple(one.view.sources)
                for file in files:
                    silences.setdefault((file, code), []).append(silence)
    kept = [found for found in findings if not _is_silenced(found.diagnostic, silences)]
    all_of_them = {id(silence): silence for listed in silences.values() for silence in listed}
    problems += [_unused(silence) for silence in all_of_them.values() if not (silence.used or silence.code in skipped)]
    return sorted([*kept, *problems], key=lambda found: (found.diagnostic.position, found.diagnostic.code))


def _is_silenced(found: Diagnostic, silences: dict[tuple[str, str], list[_Silence]]) -> bool:
    hit = False
    for silence in silences.get((found.position.file, found.code), ()):
        if not silence.last or silence.covers(found):
            silence.used = hit = True
    return hit


def _comments(one: Prepared) -> Iterator[tuple[TagLine, int, int]]:
    """Every silencing comment with the lines it holds for; 0 for the whole package."""
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


def _unused(silence: _Silence) -> LintFinding:
    message = f"+{TAG}={silence.code} suppresses nothing: {silence.code} is not found here"
    return LintFinding(_diagnostic(silence.line, message, _WHY, "remove it"), "warning")


def _diagnostic(line: TagLine, message: str, why: str, fix: str) -> Diagnostic:
    source = " " * max(line.position.column - 4, 0) + "// " + line.text.strip()
    return Diagnostic(line.position, UNUSED, message, why, fix, source, len(line.name) + 1)
