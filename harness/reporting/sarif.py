"""Findings as SARIF 2.1.0, which code hosts and editors read. Knows no linter and no run: it gets rules and results.

A code host refuses a file that is too large, so a larger one is cut: the mildest results are left out, and a
notification says how many. Source: OASIS, Static Analysis Results Interchange Format 2.1.0; GitHub's documentation of
what it reads of it and of its limits (2026-07).
"""

from __future__ import annotations

import gzip
import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import quote

from harness import __version__
from harness.reporting.text import count, encode_json

Level: TypeAlias = Literal["error", "warning", "note"]

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
MOST_RESULTS = 25_000
"""GitHub refuses a run with more."""
SHOWN = 5_000
"""GitHub shows no more of a run, the most severe ones."""
MOST_BYTES = 10_000_000
"""GitHub refuses a file that is larger when it is compressed."""

_HOME = "%SRCROOT%"
_LEVELS: tuple[Level, ...] = ("error", "warning", "note")


@dataclass(frozen=True, slots=True)
class SarifRule:
    """What a result names: a stable id, one sentence, and a page in Markdown."""

    id: str
    summary: str
    help: str
    level: Level = "warning"


@dataclass(frozen=True, slots=True)
class SarifResult:
    """One finding. Units: lines and columns count from 1 in characters, 0 means unknown.

    `file` is relative to the current folder where it lies in it. `fingerprint` names the finding for as long as its
    line stays what it is, wherever it moves. `tolerated` says why nobody needs to look at it now. `name` is what it is
    about, where that is no line of a file. `is_new` says that the base of the change does not have it.
    `properties` are for programs.
    """

    rule: str
    level: Level
    message: str
    file: str
    line: int = 0
    column: int = 0
    width: int = 0
    fingerprint: str = ""
    tolerated: str = ""
    name: str = ""
    is_new: bool = False
    properties: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Notice:
    """Something about the run that is no finding in a file."""

    level: Level
    text: str


@dataclass(frozen=True, slots=True)
class Invocation:
    """The run itself: whether it could do its work, how it ended, when it began (ISO 8601), what else to say."""

    successful: bool
    exit_code: int
    started: str = ""
    notices: tuple[Notice, ...] = ()


def fingerprints(keys: Iterable[tuple[str, ...]]) -> list[str]:
    """Give each key a lasting name. Equal keys are told apart by their order alone."""
    seen: Counter[tuple[str, ...]] = Counter()
    names = []
    for key in keys:
        text = "\0".join((*key, str(seen[key])))
        seen[key] += 1
        names.append(hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:32])
    return names


def sarif(
    rules: Sequence[SarifRule],
    results: Sequence[SarifResult],
    *,
    home: str = "",
    invocation: Invocation | None = None,
    root: str = "the folder in which harness was started",
) -> dict[str, Any]:
    """Return the log with one run.

    `home` is where the rules' pages stand on the web, if anywhere; `root` says what paths are relative to.
    """
    most = min(len(results), MOST_RESULTS)
    while True:
        kept = _worst(results, most)
        log = _log(rules, kept, home, _told(invocation, len(results), len(kept)), root)
        if not _is_too_large(log) or not most:
            return log
        most //= 2


def _worst(results: Sequence[SarifResult], most: int) -> list[SarifResult]:
    """Keep so many: what is open before what is tolerated, the more severe before the milder; the order stays."""
    if len(results) <= most:
        return list(results)
    order = sorted(range(len(results)), key=lambda i: (bool(results[i].tolerated), _LEVELS.index(results[i].level), i))
    return [results[index] for index in sorted(order[:most])]


def _is_too_large(log: dict[str, Any]) -> bool:
    data = encode_json(log)
    return len(data) > MOST_BYTES and len(gzip.compress(data, 6)) > MOST_BYTES


def _told(invocation: Invocation | None, every: int, kept: int) -> Invocation | None:
    """Say how many results were left out, or will not be shown."""
    notices = []
    if kept < every:
        notices.append(Notice("warning", f"{count(every - kept, 'result')} left out: code hosts refuse larger files"))
    if kept > SHOWN:
        notices.append(Notice("note", f"GitHub shows {SHOWN:,} of these {kept:,} results, the most severe ones"))
    if not notices:
        return invocation
    invocation = invocation or Invocation(True, 0)
    told = (*invocation.notices, *notices)
    return Invocation(invocation.successful, invocation.exit_code, invocation.started, told)


def _log(
    rules: Sequence[SarifRule], results: Sequence[SarifResult], home: str, invocation: Invocation | None, root: str
) -> dict[str, Any]:
    index = {rule.id: number for number, rule in enumerate(rules)}
    driver: dict[str, Any] = {
        "name": "harness",
        "semanticVersion": __version__,
        "rules": [_rule(rule, home) for rule in rules],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_HOME: {"description": {"text": root}}},
        "results": [_result(result, index) for result in results],
    }
    if invocation is not None:
        run["invocations"] = [_invocation(invocation)]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _invocation(invocation: Invocation) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "executionSuccessful": invocation.successful,
        "exitCode": invocation.exit_code,
        "toolExecutionNotifications": [
            {"level": notice.level, "message": {"text": notice.text}} for notice in invocation.notices
        ],
    }
    return shown | ({"startTimeUtc": invocation.started} if invocation.started else {})


def _rule(rule: SarifRule, home: str) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": rule.id,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.summary},
        "help": {"text": rule.help, "markdown": rule.help},
        "defaultConfiguration": {"level": rule.level},
    }
    return shown | ({"helpUri": f"{home}#{rule.id.lower()}"} if home else {})


def _result(result: SarifResult, index: dict[str, int]) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(result.file)}
    if result.line:
        physical["region"] = _region(result)
    location: dict[str, Any] = {"physicalLocation": physical}
    if result.name:
        location["logicalLocations"] = [{"fullyQualifiedName": result.name}]
    shown: dict[str, Any] = {
        "ruleId": result.rule,
        "level": result.level,
        # What looks like a link in a message is one, and what others wrote shall not be.
        "message": {"text": result.message.replace("](", "] (")},
        "locations": [location],
    }
    if result.rule in index:
        shown["ruleIndex"] = index[result.rule]
    if result.fingerprint:
        shown["partialFingerprints"] = {"harness/v1": result.fingerprint}
    if result.tolerated:
        shown["suppressions"] = [{"kind": "external", "status": "accepted", "justification": result.tolerated}]
    if result.is_new:
        shown["baselineState"] = "new"
    if result.properties:
        shown["properties"] = dict(result.properties)
    return shown


def _region(result: SarifResult) -> dict[str, int]:
    region = {"startLine": result.line}
    if result.column:
        region["startColumn"] = result.column
        region["endColumn"] = result.column + max(1, result.width)
    return region


def _artifact(file: str) -> dict[str, str]:
    path = Path(file)
    if path.is_absolute():
        return {"uri": path.as_uri()}
    return {"uri": quote(path.as_posix(), errors="replace"), "uriBaseId": _HOME}
