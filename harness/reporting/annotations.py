"""Findings as annotations of a pull request, in the commands that GitHub reads from a job's output.

GitHub shows ten errors, ten warnings and ten notices of a step, fifty of a job, and drops the rest in silence; here a
last notice says how many were left out. Source: GitHub's documentation of workflow commands and limits, and its
toolkit's escaping (2026-07).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from harness.reporting.sarif import Level, SarifResult
from harness.reporting.text import count, cut

LIMIT = 10
LONGEST = 4000
"""Characters of a message: GitHub cuts annotations at some 4 KB, in the middle of a word."""
_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = _DATA | {":": "%3A", ",": "%2C"}


def commands(results: Iterable[SarifResult]) -> Iterator[str]:
    """Yield one line for each finding that GitHub would show, and one for those it would not."""
    every = list(results)
    levels = Counter(result.level for result in every)
    # The notice about what is left out takes the place of a note.
    crowded = any(number > LIMIT for number in levels.values())
    limits: dict[Level, int] = {"error": LIMIT, "warning": LIMIT, "note": LIMIT - crowded}
    shown: Counter[str] = Counter()
    for result in every:
        shown[result.level] += 1
        if shown[result.level] <= limits[result.level]:
            yield _command(result)
    left = [count(levels[level] - most, level) for level, most in limits.items() if levels[level] > most]
    if left:
        words = f"{', '.join(left)} left out: GitHub shows {LIMIT} annotations of a level for each step"
        yield _command(SarifResult("harness", "note", words, ""))


def _command(result: SarifResult) -> str:
    properties = {"file": result.file} if result.file else {}
    if result.file and result.line:
        properties["line"] = str(result.line)
        if result.column:
            properties["col"] = str(result.column)
            properties["endColumn"] = str(result.column + max(1, result.width))
    properties["title"] = result.rule
    inside = ",".join(f"{name}={_escaped(value, _PROPERTY)}" for name, value in properties.items())
    return f"::{_COMMANDS[result.level]} {inside}::{_escaped(cut(result.message, LONGEST), _DATA)}"


def _escaped(text: str, table: dict[str, str]) -> str:
    return "".join(table.get(char, char) for char in text)
