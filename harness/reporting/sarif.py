"""Findings as SARIF 2.1.0, which code hosts and editors read. Knows no linter and no run: it gets rules and results.

Source: OASIS, Static Analysis Results Interchange Format 2.1.0; what GitHub reads of it (2026-07).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import quote

from harness import __version__

Level: TypeAlias = Literal["error", "warning", "note"]

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_HOME = "%SRCROOT%"


@dataclass(frozen=True, slots=True)
class Rule:
    """What a result names: a stable id, one sentence, and a page in Markdown."""

    id: str
    summary: str
    help: str
    level: Level = "warning"


@dataclass(frozen=True, slots=True)
class Result:
    """One finding. Units: lines and columns count from 1 in characters, 0 means unknown.

    `file` is relative to the current folder where it lies in it. `fingerprint` names the finding for as long as its
    line stays what it is, wherever it moves.
    """

    rule: str
    level: Level
    message: str
    file: str
    line: int = 0
    column: int = 0
    width: int = 0
    fingerprint: str = ""


def fingerprints(keys: Iterable[tuple[str, ...]]) -> list[str]:
    """Give each key a lasting name. Equal keys are told apart by their order alone."""
    seen: Counter[tuple[str, ...]] = Counter()
    names = []
    for key in keys:
        text = "\0".join((*key, str(seen[key])))
        seen[key] += 1
        names.append(hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:32])
    return names


def sarif(rules: Sequence[Rule], results: Sequence[Result], *, home: str = "") -> dict[str, Any]:
    """Return the log with one run. `home` is where the rules' pages stand on the web, if anywhere."""
    index = {rule.id: number for number, rule in enumerate(rules)}
    driver: dict[str, Any] = {
        "name": "harness",
        "semanticVersion": __version__,
        "rules": [_rule(rule, home) for rule in rules],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_HOME: {"description": {"text": "the folder in which harness was started"}}},
        "results": [_result(result, index) for result in results],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule, home: str) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": rule.id,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.summary},
        "help": {"text": rule.help, "markdown": rule.help},
        "defaultConfiguration": {"level": rule.level},
    }
    return shown | ({"helpUri": f"{home}#{rule.id.lower()}"} if home else {})


def _result(result: Result, index: dict[str, int]) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": _artifact(result.file)}
    if result.line:
        physical["region"] = _region(result)
    shown: dict[str, Any] = {
        "ruleId": result.rule,
        "level": result.level,
        "message": {"text": result.message},
        "locations": [{"physicalLocation": physical}],
    }
    if result.rule in index:
        shown["ruleIndex"] = index[result.rule]
    if result.fingerprint:
        shown["partialFingerprints"] = {"harness/v1": result.fingerprint}
    return shown


def _region(result: Result) -> dict[str, int]:
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
