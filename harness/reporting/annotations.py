"""Findings as annotations of a pull request, in the commands that GitHub reads from a job's output.

GitHub shows ten errors, ten warnings and ten notices of a step and drops the rest in silence; here a last line says
how many were left out. Source: GitHub's documentation of workflow commands and its toolkit's escaping (2026-07).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from harness.reporting.sarif import Result
from harness.reporting.text import count

LIMIT = 10
_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = _DATA | {":": "%3A", ",": "%2C"}


def commands(results: Iterable[Result]) -> Iterator[str]:
    """Yield one line for each finding that GitHub would show, and one for those it would not."""
    shown: Counter[str] = Counter()
    left: Counter[str] = Counter()
    for result in results:
        if shown[result.level] < LIMIT:
            shown[result.level] += 1
            yield _command(result)
        else:
            left[result.level] += 1
    if left:
        levels = ", ".join(count(number, level) for level, number in sorted(left.items()))
        yield f"{levels} left out: GitHub shows {LIMIT} annotations of a level for each step"


def _command(result: Result) -> str:
    properties = {"file": result.file}
    if result.line:
        properties["line"] = str(result.line)
        if result.column:
            properties["col"] = str(result.column)
            properties["endColumn"] = str(result.column + max(1, result.width))
    properties["title"] = result.rule
    inside = ",".join(f"{name}={_escaped(value, _PROPERTY)}" for name, value in properties.items())
    return f"::{_COMMANDS[result.level]} {inside}::{_escaped(result.message, _DATA)}"


def _escaped(text: str, table: dict[str, str]) -> str:
    return "".join(table.get(char, char) for char in text)
