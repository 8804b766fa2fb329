"""Renders a report as annotations of a pull request: workflow commands that GitHub reads from a job's output.

GitHub shows ten errors, ten warnings and ten notices of a step, fifty of a job, and drops the rest silently. So there
is one annotation for each group of findings, and a last notice with the number of those that were left out.
Source: GitHub's documentation of workflow commands and limits, and its toolkit's escaping (2026-07).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from harness.report.escaping import count, cut, visible
from harness.report.model.document import Report
from harness.report.model.grouping import Group, group
from harness.report.text.alerts import Alert, alerts_of_change, level_of, notices
from harness.report.text.finding import describe_briefly, describe_location, locate_source
from harness.report.words import Level, meaning_of

MAX_PER_LEVEL = 10
"""At most this many annotations of a level for each step are shown by GitHub."""
MAX_MESSAGE = 4000
"""At most this many characters of a message: GitHub cuts annotations at about 4 KB, in the middle of a word."""
_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}
_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_PROPERTY = _DATA | {":": "%3A", ",": "%2C"}


def render_annotations(report: Report) -> str:
    """Render a report as workflow commands, within GitHub's limits."""
    alerts = [Alert("harness", notice.level, notice.text, "") for notice in notices(report)]
    alerts += [one for one in alerts_of_change(report) if not one.tolerated]
    alerts += [_annotation(report, one) for one in group(report.open_findings)]
    return "".join(f"{line}\n" for line in workflow_commands(alerts))


def _annotation(report: Report, one: Group) -> Alert:
    finding = one.first
    file, line = locate_source(report, finding)
    more = f" and {one.size - 1:,} like it" if one.size > 1 else ""
    message = f"{describe_location(finding)}{more}: {meaning_of(finding)}\n{describe_briefly(finding)}"
    title = f"{one.severity}, {visible(one.cause)}: {visible(one.title)}"
    return Alert(title, level_of(report, one.severity), message, file if line else "", line)


def workflow_commands(results: Iterable[Alert]) -> Iterator[str]:
    """Yield a command for each alert that GitHub would show, and a notice about the others."""
    alerts = list(results)
    levels = Counter(alert.level for alert in alerts)
    # The notice about the others is a note too, so it leaves room for one note less.
    is_over_limit = any(number > MAX_PER_LEVEL for number in levels.values())
    limits: dict[Level, int] = {"error": MAX_PER_LEVEL, "warning": MAX_PER_LEVEL, "note": MAX_PER_LEVEL - is_over_limit}
    shown: Counter[str] = Counter()
    for alert in alerts:
        shown[alert.level] += 1
        if shown[alert.level] <= limits[alert.level]:
            yield _command(alert)
    left_out = [count(levels[level] - most, level) for level, most in limits.items() if levels[level] > most]
    if left_out:
        text = f"{', '.join(left_out)} left out: GitHub shows {MAX_PER_LEVEL} annotations of a level for each step"
        yield _command(Alert("harness", "note", text, ""))


def _command(result: Alert) -> str:
    properties = {"file": result.file} if result.file else {}
    if result.file and result.line:
        properties["line"] = str(result.line)
        if result.column:
            properties["col"] = str(result.column)
            properties["endColumn"] = str(result.column + max(1, result.width))
    properties["title"] = result.rule
    encoded = ",".join(f"{name}={_escape(value, _PROPERTY)}" for name, value in properties.items())
    return f"::{_COMMANDS[result.level]} {encoded}::{_escape(cut(result.message, MAX_MESSAGE), _DATA)}"


def _escape(text: str, table: dict[str, str]) -> str:
    return "".join(table.get(char, char) for char in text)
