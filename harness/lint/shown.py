"""Findings as people and programs read them: text, JSON, and the results that SARIF and annotations are made of."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import __version__
from harness.lint.rule import LintFinding, LintRule
from harness.lint.rules import page_of
from harness.reporting.sarif import SarifResult, SarifRule, fingerprints
from harness.reporting.text import count, lines, visible

FORMAT = 1


@dataclass(frozen=True, slots=True)
class ShownFinding:
    """A finding with the path that people see and its lasting name."""

    finding: LintFinding
    file: str
    fingerprint: str


def prepare(findings: Sequence[LintFinding], named: Iterable[Path] = ()) -> list[ShownFinding]:
    """Give findings their paths and fingerprints. `named` are the paths that were asked for."""
    root = _module_cache()
    if any(path.resolve().is_relative_to(root) for path in named):
        root = Path()
    files = {found.diagnostic.position.file: "" for found in findings}
    files = {file: path_of(file, root) for file in files}
    shown = [files[found.diagnostic.position.file] for found in findings]
    keys = [
        (found.diagnostic.code, file, found.diagnostic.source.strip(), found.diagnostic.message)
        for found, file in zip(findings, shown, strict=True)
    ]
    return [ShownFinding(*one) for one in zip(findings, shown, fingerprints(keys), strict=True)]


def path_of(file: str, cache: Path) -> str:
    """Relative to the current folder inside it, by module below the module cache, else as it is."""
    path = Path(file)
    here = Path.cwd()
    if path.is_absolute() and path.is_relative_to(here):
        return path.relative_to(here).as_posix()
    if path.is_absolute() and cache.parts and path.is_relative_to(cache):
        return path.relative_to(cache).as_posix()
    return file


def is_cached(file: str) -> bool:
    """Whether a file belongs to a module that was downloaded, so that nobody should edit it."""
    return Path(file).resolve().is_relative_to(_module_cache())


def _module_cache() -> Path:
    named = os.environ.get("GOMODCACHE")
    return Path(named or Path(os.environ.get("GOPATH") or Path.home() / "go") / "pkg" / "mod").resolve()


# Text


def text(shown: Sequence[ShownFinding], packages: int) -> Iterator[str]:
    """Yield lines for people: by file, each finding with its line, why and fix; the totals last."""
    file = ""
    for one in shown:
        if one.file != file:
            file = one.file
            yield visible(file)
        yield from _finding(one.finding)
    if shown:
        yield ""
    yield from _totals(shown, packages)


def _finding(found: LintFinding) -> Iterator[str]:
    said = found.diagnostic
    where = f"{said.position.line}:{said.position.column}" if said.position.column else str(said.position.line)
    yield f"  {where:<8} {found.severity:<8} {visible(said.code)}: {lines(said.message)}"
    if said.source.strip():
        source = said.source.rstrip().replace("\t", " ")
        cut = len(source) - len(source.lstrip())
        yield f"           | {visible(source[cut:])}"
        start = said.position.column - 1 - cut
        if said.position.column and 0 <= start < len(source):
            yield f"           | {' ' * start}{'^' * max(1, min(said.width, len(source) - cut - start))}"
    if said.why:
        yield f"           why: {lines(said.why)}"
    if said.fix:
        yield f"           fix: {lines(said.fix)}" + (" (--fix does it)" if found.edit else "")


def _totals(shown: Sequence[ShownFinding], packages: int) -> Iterator[str]:
    if not shown:
        yield f"nothing found in {count(packages, 'package')}"
        return
    levels = Counter(one.finding.severity for one in shown)
    by_level = ", ".join(count(levels[level], level) for level in ("error", "warning", "note") if levels[level])
    files = len({one.file for one in shown})
    yield f"{count(len(shown), 'finding')} in {count(files, 'file')} of {count(packages, 'package')}: {by_level}"
    by_code = Counter(one.finding.diagnostic.code for one in shown)
    for code, number in sorted(by_code.items(), key=lambda item: (-item[1], item[0])):
        yield f"  {number:>5,}  {code}"
    if fixes := sum(one.finding.edit is not None for one in shown):
        yield f"{count(fixes, 'finding')} can be repaired: --diff shows how, --fix does it"
    yield f"harness explain {next(iter(by_code.most_common(1)))[0]} has more, with examples"


# JSON


def document(shown: Sequence[ShownFinding], api: str, release: str, packages: int) -> dict[str, Any]:
    """Return the findings as data; docs/reference/commands.md says what each member means."""
    levels = Counter(one.finding.severity for one in shown)
    return {
        "format": FORMAT,
        "tool": {"name": "harness", "version": __version__},
        "api": api,
        "release": release,
        "packages": packages,
        "totals": {level: levels[level] for level in ("error", "warning", "note")},
        "findings": [_record(one) for one in shown],
    }


def _record(one: ShownFinding) -> dict[str, Any]:
    said, edit = one.finding.diagnostic, one.finding.edit
    return {
        "code": said.code,
        "severity": one.finding.severity,
        "message": said.message,
        "why": said.why,
        "fix": said.fix,
        "file": one.file,
        "line": said.position.line,
        "column": said.position.column,
        "width": said.width,
        "source": said.source,
        "fingerprint": one.fingerprint,
        "edit": None if edit is None else {"line": edit.line, "old": edit.old, "new": edit.new},
    }


# SARIF and annotations


def results(shown: Iterable[ShownFinding]) -> list[SarifResult]:
    """Return what SARIF and annotations are written from."""
    made = []
    for one in shown:
        said = one.finding.diagnostic
        words = said.message + (f"\nwhy: {said.why}" if said.why else "") + (f"\nfix: {said.fix}" if said.fix else "")
        at = said.position
        made.append(
            SarifResult(
                said.code, one.finding.severity, words, one.file, at.line, at.column, said.width, one.fingerprint
            )
        )
    return made


def rules_of(rules: Iterable[LintRule], shown: Iterable[ShownFinding]) -> list[SarifRule]:
    """Return every rule, and the compiler's codes among the findings."""
    listed = [SarifRule(rule.code, rule.summary, page_of(rule), rule.severity) for rule in rules]
    known = {rule.id for rule in listed}
    others = {one.finding.diagnostic.code: one.finding for one in shown}
    for code in sorted(others.keys() - known):
        words = f"`harness explain {code}` says what it means."
        listed.append(SarifRule(code, words, words, others[code].severity))
    return listed
