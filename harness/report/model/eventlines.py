"""Progress events of a run, as JSON Lines: one JSON object a line, each with its `event` and `time`.

In one process the same seed and number of cases give the same lines, except for `time`, `seconds` and the `progress`
lines; with several processes their order differs. Every character that is not printable ASCII is escaped, because
objects and error details are arbitrary text, and a control sequence in one would act on the terminal of `tail -f`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from harness import __version__, events
from harness.case import kind_name
from harness.compare.finding import Finding, Severity
from harness.report.model.assembly import common_fields
from harness.report.model.document import Report

SCHEMA_ID = "urn:equivalence-harness:events:2"
SCHEMA = Path(__file__).parent / "schema" / "events.schema.json"
"""The published JSON Schema of one line."""


class _Line(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    """The fields of every line: the time (ISO 8601, UTC) and the subject, empty for the run as a whole."""

    time: str
    subject: str = ""


class StartedLine(_Line, frozen=True, kw_only=True, tag="started"):
    """A part of the run begins: one subject with one choice of feature gates.

    `kinds` counts pairs of a kind and an operation. `max_time` (seconds) and `max_cases` are the budget.
    """

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
    """The progress of a part, at most every two seconds.

    `fraction` is the share of the budget that is used, 0 to 1, `current` the kind and operation being searched.
    `findings` counts distinct findings, including those that an exception will tolerate.
    """

    cases: int
    seconds: float
    findings: int
    fraction: float
    current: str


class MetLine(_Line, frozen=True, kw_only=True, tag="met"):
    """A new difference, not yet shrunk or explained; the `finding` line of the same difference follows.

    `mismatch` is the kind of mismatch (docs/reference/mismatches.md). `path`, `type` and `origin` are those of the
    error concerned, `side` is the validator that reported it: `handwritten`, `declarative`, `both`, or empty where the
    mismatch belongs to neither. `phase` is the phase of the search, as `aim` or `random`.
    """

    kind: str
    operation: str
    mismatch: str
    path: str
    type: str
    origin: str
    side: str
    phase: str = ""


class FindingLine(_Line, frozen=True, kw_only=True, tag="finding"):
    """A finding: a difference, shrunk and explained. The report, not the line, has the object.

    `cause`, `severity` and `mismatch` are words of docs/reference. `path`, `type`, `origin`, `side` and `phase` are as
    in a `met` line. `detail` describes the difference, `fix` proposes a remedy, `source` is the `file.go:line` that
    declares the field, empty where the types are not known. `fix_tried` says what came of trying the fix: `gone`,
    `differs: ` with what still differs, or nothing. Exceptions are applied only at the end of the run, so a
    finding here may be tolerated in the report.
    """

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
    fix_tried: str = ""


class NoteLine(_Line, frozen=True, kw_only=True, tag="note"):
    """A message for people, such as that a worker was restarted or a build begins."""

    text: str


class KindLine(_Line, frozen=True, kw_only=True, tag="kind"):
    """The result for one kind and operation. Kinds are interleaved, so all these lines come at the end of the part.

    `accepted` counts the cases that both validators accept, `failures` the cases whose answer was a failure, as a
    panic or a timeout. `has_seed` says whether a seed object (for update: a pair) was found, which both accept.
    `error` is set when an internal error ended the search of this kind.
    """

    kind: str
    operation: str
    cases: int
    accepted: int
    failures: int
    has_seed: bool
    error: str


class PartLine(_Line, frozen=True, kw_only=True, tag="part"):
    """The last line of a part.

    `stopped` is why the part ended (docs/reference/report.md), `stopped_detail` explains a failure. `compared` counts
    cases that both validators answered, `restarts` the restarts of the target's worker.
    """

    part: str
    stopped: str
    stopped_detail: str
    cases: int
    compared: int
    findings: int
    restarts: int
    seconds: float


class FailedLine(_Line, frozen=True, kw_only=True, tag="failed"):
    """A subject could not be opened or searched, or its search was aborted. Other subjects are still searched."""

    message: str


class FinishedLine(_Line, frozen=True, kw_only=True, tag="finished"):
    """The last line of a run that wrote a report.

    `verdict` and `exit_code` take the exceptions file and the coverage ratchets into account. `findings` counts the
    findings that no exception tolerates, `tolerated` the others.
    """

    verdict: str
    exit_code: int
    findings: int
    tolerated: int
    cases: int
    seconds: float


Line: TypeAlias = (
    StartedLine | ProgressLine | MetLine | FindingLine | NoteLine | KindLine | PartLine | FailedLine | FinishedLine
)


def event_lines(event: events.Event, subject: str, time: str) -> Iterator[Line]:
    """Convert one event of the engine to its lines."""
    match event:
        case events.Started():
            yield StartedLine(
                time=time, subject=subject, target=event.target.name, release=event.target.release,
                gates=dict(event.target.gates), kinds=event.kinds, seed=event.seed, max_time=event.budget.max_time,
                max_cases=event.budget.max_cases,
            )  # fmt: skip
        case events.Progress():
            fields = msgspec.structs.asdict(event)
            fields |= {"seconds": round(event.seconds, 3), "fraction": round(event.fraction, 4)}
            yield ProgressLine(time=time, subject=subject, **fields)
        case events.Met():
            yield MetLine(time=time, subject=subject, **msgspec.structs.asdict(event))
        case events.Found():
            yield _finding_line(event.finding, subject, time)
        case events.Noted():
            yield NoteLine(time=time, subject=subject, text=event.text)
        case events.Finished():
            yield from _result_lines(event.result, subject, time)


def _finding_line(finding: Finding, subject: str, time: str) -> Line:
    kind = kind_name(finding.group, finding.version, finding.resource, finding.subresource)
    return FindingLine(time=time, subject=subject, **(common_fields(FindingLine, finding) | {"kind": kind}))


def _result_lines(result: events.Result, subject: str, time: str) -> Iterator[Line]:
    for report in result.kinds:
        yield KindLine(time=time, subject=subject, **(common_fields(KindLine, report) | {"kind": report.kind.name}))
    fields = common_fields(PartLine, result) | {
        "subject": subject, "part": result.part or result.subject, "findings": len(result.findings),
        "seconds": round(result.seconds, 3),
    }  # fmt: skip
    yield PartLine(time=time, **fields)


def finished_line(report: Report, exit_code: int, time: str) -> Line:
    """Return the last line of a run."""
    return FinishedLine(
        time=time, verdict=report.verdict, exit_code=exit_code, findings=report.totals.findings,
        tolerated=report.totals.tolerated, cases=report.cases, seconds=report.seconds,
    )  # fmt: skip


def encode_line(line: Line) -> bytes:
    """Encode a line as ASCII JSON with its newline; control characters and lone surrogates become escapes."""
    return json.dumps(msgspec.to_builtins(line), separators=(",", ":")).encode("ascii") + b"\n"


def schema() -> dict[str, Any]:
    """Return the JSON Schema of one line, as published in `SCHEMA`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "One line of the events of a run of the equivalence harness",
        **msgspec.json.schema(Line),
    }
