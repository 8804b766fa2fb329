"""What a run tells while it goes on, as lines of JSON for programs: each an object with its `event` and `time`.

Its content follows from the run; only `time` and what counts seconds differ from one run to the next, and with several
processes the order of lines. Everything that is not ASCII is escaped: no line can repaint a terminal that follows them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from harness import __version__, events
from harness.compare.finding import Severity
from harness.reporting.document import Report, kind_name

SCHEMA_ID = "urn:equivalence-harness:events:2"
SCHEMA = Path(__file__).parent / "schema" / "events.schema.json"
"""The published JSON Schema of one line."""


class _Line(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    """What every line says: when (ISO 8601, UTC), and about which subject; empty for the run as a whole."""

    time: str
    subject: str = ""


class StartedLine(_Line, frozen=True, kw_only=True, tag="started"):
    """A part of the run begins. `kinds` counts kinds and operations."""

    target: str
    release: str
    gates: dict[str, bool]
    kinds: int
    seed: int
    max_time: float | None = None
    max_cases: int | None = None
    schema: str = SCHEMA_ID
    harness_version: str = __version__


class ProgressLine(_Line, frozen=True, kw_only=True, tag="progress"):
    """How far it is, every few seconds. `fraction` is of the budget, 0 to 1; `current` what is searched just now."""

    cases: int
    seconds: float
    findings: int
    fraction: float
    current: str


class MetLine(_Line, frozen=True, kw_only=True, tag="met"):
    """A new difference, as it was met: it will be reduced and explained, and then told as a finding."""

    kind: str
    operation: str
    mismatch: str
    path: str
    type: str
    origin: str
    side: str
    phase: str = ""


class FindingLine(_Line, frozen=True, kw_only=True, tag="finding"):
    """A difference, reduced and explained. The report has the object. Exceptions are applied at the end of the run."""

    fingerprint: str
    cause: str
    severity: Severity
    kind: str
    operation: str
    mismatch: str
    path: str
    type: str
    origin: str
    side: str
    detail: str
    fix: str
    source: str
    phase: str = ""


class NoteLine(_Line, frozen=True, kw_only=True, tag="note"):
    """Something a person should read: a worker was restarted, a build begins."""

    text: str


class KindLine(_Line, frozen=True, kw_only=True, tag="kind"):
    """What was done for one kind and operation; kinds are searched in turns, so all of them end with their part."""

    kind: str
    operation: str
    cases: int
    accepted: int
    failures: int
    has_seed: bool
    error: str


class PartLine(_Line, frozen=True, kw_only=True, tag="part"):
    """A part of the run is done."""

    part: str
    stopped: str
    stopped_detail: str
    cases: int
    compared: int
    findings: int
    restarts: int
    seconds: float


class FailedLine(_Line, frozen=True, kw_only=True, tag="failed"):
    """A subject could not be searched, or not to the end."""

    message: str


class FinishedLine(_Line, frozen=True, kw_only=True, tag="finished"):
    """The last line: the verdict after exceptions and ratchets. `exit_code` follows from it."""

    verdict: str
    exit_code: int
    findings: int
    tolerated: int
    cases: int
    seconds: float


Line: TypeAlias = (
    StartedLine | ProgressLine | MetLine | FindingLine | NoteLine | KindLine | PartLine | FailedLine | FinishedLine
)


def lines_of(event: events.Event, subject: str, time: str) -> Iterator[Line]:
    """Yield the lines of one event of the engine."""
    match event:
        case events.Started():
            yield StartedLine(
                time=time, subject=subject, target=event.target.name, release=event.target.release,
                gates=dict(event.target.gates), kinds=event.kinds, seed=event.seed, max_time=event.budget.max_time,
                max_cases=event.budget.max_cases,
            )  # fmt: skip
        case events.Progress():
            yield ProgressLine(
                time=time, subject=subject, cases=event.cases, seconds=round(event.seconds, 3),
                findings=event.findings, fraction=round(event.fraction, 4), current=event.current,
            )  # fmt: skip
        case events.Met():
            yield MetLine(time=time, subject=subject, **msgspec.structs.asdict(event))
        case events.Found():
            yield _finding(event, subject, time)
        case events.Noted():
            yield NoteLine(time=time, subject=subject, text=event.text)
        case events.Finished():
            yield from _finished(event.result, subject, time)


def _finding(event: events.Found, subject: str, time: str) -> Line:
    one = event.finding
    same = ("fingerprint", "cause", "severity", "operation", "mismatch", "path", "type", "origin", "side", "detail",
            "fix", "source", "phase")  # fmt: skip
    kind = kind_name(one.group, one.version, one.resource, one.subresource)
    return FindingLine(time=time, subject=subject, kind=kind, **{name: getattr(one, name) for name in same})


def _finished(result: events.Result, subject: str, time: str) -> Iterator[Line]:
    for one in result.kinds:
        yield KindLine(
            time=time, subject=subject, kind=one.kind.name, operation=one.operation, cases=one.cases,
            accepted=one.accepted, failures=one.failures, has_seed=one.has_seed, error=one.error,
        )  # fmt: skip
    yield PartLine(
        time=time, subject=subject, part=result.part or result.subject, stopped=result.stopped,
        stopped_detail=result.stopped_detail, cases=result.cases, compared=result.compared,
        findings=len(result.findings), restarts=result.restarts, seconds=round(result.seconds, 3),
    )  # fmt: skip


def finished(report: Report, exit_code: int, time: str) -> Line:
    """Return the line that ends a run."""
    return FinishedLine(
        time=time, verdict=report.verdict, exit_code=exit_code, findings=report.totals.findings,
        tolerated=report.totals.tolerated, cases=report.cases, seconds=report.seconds,
    )  # fmt: skip


def encode_line(line: Line) -> bytes:
    """Write a line, with its end. Control characters and lone surrogates are escapes."""
    return json.dumps(msgspec.to_builtins(line), separators=(",", ":")).encode("ascii") + b"\n"


def schema() -> dict[str, Any]:
    """Return the JSON Schema of one line, as published in `SCHEMA`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "One line of the events of a run of the equivalence harness",
        **msgspec.json.schema(Line),
    }
