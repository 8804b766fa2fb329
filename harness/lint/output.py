"""Renders findings as text and JSON, and converts them to the alerts that SARIF and annotations are written from."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import __version__
from harness.lint.pages import page_of
from harness.lint.rule import LintFinding, LintRule
from harness.report.escaping import count, lines, visible
from harness.report.text.alerts import Alert, AlertRule, fingerprints

FORMAT = 1


@dataclass(frozen=True, slots=True)
class LocatedFinding:
    """A finding with the path of its file for users, and its fingerprint, which stays the same when lines move."""

    finding: LintFinding
    file: str
    fingerprint: str


def locate(findings: Sequence[LintFinding], arguments: Iterable[Path] = ()) -> list[LocatedFinding]:
    """Add paths and fingerprints to findings. `arguments` are the paths that the user asked to lint."""
    cache = _module_cache()
    if any(path.resolve().is_relative_to(cache) for path in arguments):
        cache = Path()
    files = {found.diagnostic.position.file: "" for found in findings}
    files = {file: display_path(file, cache) for file in files}
    paths = [files[found.diagnostic.position.file] for found in findings]
    keys = [
        (found.diagnostic.code, file, found.diagnostic.source.strip(), found.diagnostic.message)
        for found, file in zip(findings, paths, strict=True)
    ]
    return [LocatedFinding(*one) for one in zip(findings, paths, fingerprints(keys), strict=True)]


def display_path(file: str, cache: Path) -> str:
    """Return a path relative to the current folder, or to the module cache, if it is inside; else unchanged."""
    path = Path(file)
    current = Path.cwd()
    if path.is_absolute() and path.is_relative_to(current):
        return path.relative_to(current).as_posix()
    if path.is_absolute() and cache.parts and path.is_relative_to(cache):
        return path.relative_to(cache).as_posix()
    return file


def is_cached(file: str) -> bool:
    """Whether a file is in the Go module cache, where it must not be edited."""
    return Path(file).resolve().is_relative_to(_module_cache())


def _module_cache() -> Path:
    configured = os.environ.get("GOMODCACHE")
    return Path(configured or Path(os.environ.get("GOPATH") or Path.home() / "go") / "pkg" / "mod").resolve()


# Text


def render_text(findings: Sequence[LocatedFinding], packages: int) -> Iterator[str]:
    """Yield lines for the terminal: the findings by file, each with its source line, why and fix; then the totals."""
    file = ""
    for one in findings:
        if one.file != file:
            file = one.file
            yield visible(file)
        yield from _render_finding(one.finding)
    if findings:
        yield ""
    yield from _render_totals(findings, packages)


def _render_finding(found: LintFinding) -> Iterator[str]:
    diagnostic = found.diagnostic
    line, column = diagnostic.position.line, diagnostic.position.column
    position = f"{line}:{column}" if column else str(line)
    yield f"  {position:<8} {found.severity:<8} {visible(diagnostic.code)}: {lines(diagnostic.message)}"
    if diagnostic.source.strip():
        source = diagnostic.source.rstrip().replace("\t", " ")
        indent = len(source) - len(source.lstrip())
        yield f"           | {visible(source[indent:])}"
        start = column - 1 - indent
        if column and 0 <= start < len(source):
            yield f"           | {' ' * start}{'^' * max(1, min(diagnostic.width, len(source) - indent - start))}"
    if diagnostic.why:
        yield f"           why: {lines(diagnostic.why)}"
    if diagnostic.fix:
        yield f"           fix: {lines(diagnostic.fix)}" + (" (--fix does it)" if found.edit else "")


def _render_totals(findings: Sequence[LocatedFinding], packages: int) -> Iterator[str]:
    if not findings:
        yield f"nothing found in {count(packages, 'package')}"
        return
    levels = Counter(one.finding.severity for one in findings)
    by_level = ", ".join(count(levels[level], level) for level in ("error", "warning", "note") if levels[level])
    files = len({one.file for one in findings})
    yield f"{count(len(findings), 'finding')} in {count(files, 'file')} of {count(packages, 'package')}: {by_level}"
    by_code = Counter(one.finding.diagnostic.code for one in findings)
    for code, number in sorted(by_code.items(), key=lambda item: (-item[1], item[0])):
        yield f"  {number:>5,}  {code}"
    if fixes := sum(one.finding.edit is not None for one in findings):
        yield f"{count(fixes, 'finding')} can be repaired: --diff shows how, --fix does it"
    yield f"harness explain {next(iter(by_code.most_common(1)))[0]} has more, with examples"


# JSON


def to_json(findings: Sequence[LocatedFinding], api: str, release: str, packages: int) -> dict[str, Any]:
    """Return the findings as JSON data; docs/reference/commands.md describes its members."""
    levels = Counter(one.finding.severity for one in findings)
    return {
        "format": FORMAT,
        "tool": {"name": "harness", "version": __version__},
        "api": api,
        "release": release,
        "packages": packages,
        "totals": {level: levels[level] for level in ("error", "warning", "note")},
        "findings": [_finding_to_json(one) for one in findings],
    }


def _finding_to_json(one: LocatedFinding) -> dict[str, Any]:
    diagnostic, edit = one.finding.diagnostic, one.finding.edit
    return {
        "code": diagnostic.code,
        "severity": one.finding.severity,
        "message": diagnostic.message,
        "why": diagnostic.why,
        "fix": diagnostic.fix,
        "file": one.file,
        "line": diagnostic.position.line,
        "column": diagnostic.position.column,
        "width": diagnostic.width,
        "source": diagnostic.source,
        "fingerprint": one.fingerprint,
        "edit": None if edit is None else {"line": edit.line, "old": edit.old, "new": edit.new},
    }


# SARIF and annotations


def to_alerts(findings: Iterable[LocatedFinding]) -> list[Alert]:
    """Convert findings to alerts."""
    alerts = []
    for one in findings:
        diagnostic, position = one.finding.diagnostic, one.finding.diagnostic.position
        message = diagnostic.message
        message += f"\nwhy: {diagnostic.why}" if diagnostic.why else ""
        message += f"\nfix: {diagnostic.fix}" if diagnostic.fix else ""
        alerts.append(
            Alert(
                diagnostic.code, one.finding.severity, message, one.file, position.line, position.column,
                diagnostic.width, one.fingerprint,
            )
        )  # fmt: skip
    return alerts


def to_alert_rules(rules: Iterable[LintRule], findings: Iterable[LocatedFinding]) -> list[AlertRule]:
    """Convert all rules, and the compiler's codes that are among the findings, to rules of alerts."""
    converted = [AlertRule(rule.code, rule.summary, page_of(rule), rule.severity) for rule in rules]
    known = {rule.id for rule in converted}
    others = {one.finding.diagnostic.code: one.finding for one in findings}
    for code in sorted(others.keys() - known):
        summary = f"`harness explain {code}` says what it means."
        converted.append(AlertRule(code, summary, summary, others[code].severity))
    return converted
