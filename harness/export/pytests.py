"""Renders rows and findings as a pytest module that requires only the harness, for any target."""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from harness.case import Json, KindInfo
from harness.compare.comparator import Comparator
from harness.compare.finding import Finding
from harness.diagnostics import UsageError
from harness.errormatch.trusted import all_wordings, own_wordings
from harness.export.rendering import template
from harness.export.rows import Table, TableRow
from harness.field import FieldError
from harness.jsonpath import canonical_path
from harness.report.escaping import visible
from harness.subject import Subject, SubjectSpec

_WORD = re.compile(r"[A-Za-z0-9]+")
_RUN = re.compile(r"(?s)(.{0,40}?)((.{1,4}?)\3{23,})(.{0,40})")
_WIDTH = 100


def render_rows(subject: Subject, tables: Sequence[Table], notes: Sequence[str], output: Path | None) -> str:
    """Render the rows of one kind, a table for each version. Rows on which the validators differ are marked xfail.

    Raises: UsageError when `harness.ask` cannot name the kind unambiguously.
    """
    info = tables[0].info
    trusted = all_wordings(own_wordings())  # as in `differences`, which the tests will ask
    checker = {table.info.version: subject.comparator(table.info, trusted) for table in tables}
    rows = [_row(row, checker[table.info.version], subject) for table in tables for row in table.rows if row.answers]
    about = tables[0].about or "every rule"
    shown = [*notes, *(f"Not shown in {t.info.version}: {visible(str(one))}" for t in tables for one in t.missing)]
    return template("module.py.j2").render(
        title=f"What both sides say of {_safe(about)} of {info.kind}.",
        notes=[line for text in shown for line in _wrapped(_safe(text))],
        header=_header(subject.spec, output, rows=True),
        target=_target(subject.spec, output), kind=literal(_kind(subject, info)), rows=rows,
        name=f"test_{_name(tables[0].about or 'every_rule')}",
    )  # fmt: skip


def render_findings(subject: Subject, findings: Sequence[Finding], notes: Sequence[str], output: Path | None) -> str:
    """Render findings as tests that fail until the findings are fixed. Raises: UsageError as `render_rows`."""
    tests = []
    for finding in findings:
        info = next((one for one in subject.target.info.kinds if one.key == _key(finding)), None)
        if info is None:
            raise UsageError(f"{subject.name} no longer serves the kind of {finding.fingerprint}")
        tests.append({
            "name": f"test_{_name(finding.path or finding.kind)}_{finding.fingerprint}",
            "says": _safe(f"{finding.fingerprint} ({finding.mismatch}, {finding.cause}) is fixed."),
            "old": literal(finding.case.old, 1), "new": literal(finding.case.object, 1),
            "kind": literal(_kind(subject, info)), "version": literal(finding.version),
            "subresource": literal(finding.subresource),
            "signature": _plain((finding.mismatch, _reported(finding), finding.type, finding.origin)),
        })  # fmt: skip
    return template("findings.py.j2").render(
        title="Findings of the equivalence harness: each test fails until its finding is fixed.",
        notes=[line for text in notes for line in _wrapped(_safe(text))],
        header=_header(subject.spec, output, rows=False), target=_target(subject.spec, output), findings=tests,
    )  # fmt: skip


def _key(finding: Finding) -> tuple[str, str, str, str]:
    return finding.group, finding.version, finding.resource, finding.subresource


def _reported(finding: Finding) -> str:
    """Return the path as reported for this object, because the path of the finding has [*] for subscripts."""
    errors = (*finding.answer.handwritten, *finding.answer.declarative)
    return next((error.field for error in errors if canonical_path(error.field) == finding.path), finding.path)


def _row(row: TableRow, comparator: Comparator, subject: Subject) -> dict[str, Any]:
    answer = row.answers[row.info.version]
    case_found = comparator.compare(row.info.case(row.operation, row.new, row.old), answer)
    differs = "; ".join(f"{one.kind} {one.path} {one.type} {one.origin}".rstrip() for one in case_found)
    return {
        "version": literal(row.info.version), "subresource": literal(row.info.subresource),
        "new": literal(row.new, 2), "old": literal(row.old, 2),
        "handwritten": literal(_signatures(answer.handwritten), 2),
        "declarative": literal(_signatures(answer.declarative), 2),
        "name": literal(visible(f"{row.info.version} {row.name}")),
        "differs": literal(visible(f"the two sides differ: {differs}")) if differs else "",
    }  # fmt: skip


def _signatures(errors: Sequence[FieldError]) -> list[tuple[str, str, str]]:
    return sorted((error.field, str(error.type), error.origin) for error in errors)


# Words


def literal(value: Json, depth: int = 0) -> str:
    """Write a value as Python, on several lines when it is long; a repetitive string as a product."""
    plain = _plain(value)
    if len(plain) + 4 * depth <= _WIDTH or not value or not isinstance(value, dict | list | tuple):
        return plain
    inner, end = "    " * (depth + 1), "    " * depth
    if isinstance(value, dict):
        lines = [f"{inner}{_plain(name)}: {literal(below, depth + 1)},\n" for name, below in value.items()]
        return "{\n" + "".join(lines) + end + "}"
    items = [f"{inner}{literal(item, depth + 1)},\n" for item in value]
    return "[\n" + "".join(items) + end + "]" if isinstance(value, list) else "(\n" + "".join(items) + end + ")"


def _plain(value: Json) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_plain(name)}: {_plain(below)}" for name, below in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_plain, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_plain, value)) + ("," if len(value) == 1 else "") + ")"
    found = _RUN.fullmatch(value) if isinstance(value, str) and len(value) > 40 else None
    if found is None:
        return _quoted(value) if isinstance(value, str) else repr(value)
    before, run, unit, after = found.groups()
    parts = [_quoted(before)] if before else []
    parts += [f"{_quoted(unit)} * {len(run) // len(unit)}", *([_quoted(after)] if after else [])]
    return " + ".join(parts)


def _quoted(text: str) -> str:
    """Quote with double quotes, as formatters do, unless the text has some."""
    written = ascii(text)
    return f'"{written[1:-1]}"' if written[0] == "'" and '"' not in written else written


def _safe(text: str) -> str:
    """Escape a text for a docstring or a comment."""
    return visible(text).replace("\\", "/").replace('"', "'")


def _name(text: str) -> str:
    return "_".join(_WORD.findall(text)).lower()


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH + 16, break_long_words=False, break_on_hyphens=False)


def _kind(subject: Subject, info: KindInfo) -> str:
    """Return the name of a kind for `harness.ask`. Raises: UsageError when several resources have it."""
    same = [
        one.name for one in subject.target.info.kinds
        if (one.group, one.version, one.kind) == (info.group, info.version, info.kind)
        and one.subresource == info.subresource
    ]  # fmt: skip
    if len(same) > 1:
        raise UsageError(
            f"{info.kind} is the kind of {', '.join(same)}, and `harness.ask` cannot tell them apart\n"
            "  fix: use `harness replay` in your test"
        )
    return f"{info.group}/{info.kind}" if info.group else info.kind


def _simple(spec: SubjectSpec) -> bool:
    """Whether the location of a subject is enough to open it."""
    plain = SubjectSpec(spec.kind, spec.location)
    return spec.kind in ("suite", "kubernetes") and replace(spec, in_process=False) == plain


def _target(spec: SubjectSpec, output: Path | None) -> str:
    if spec.kind == "suite" and output is not None:
        beside = os.path.relpath(Path(spec.location).resolve(), output.resolve().parent)
        location = f"Path(__file__).parent / {_quoted(Path(beside).as_posix())}"
    else:
        location = _quoted(spec.location)
    if _simple(spec):
        return location
    said = [_quoted(spec.kind), f"str({location})" if "Path(" in location else location]
    plain = SubjectSpec(spec.kind, spec.location)
    for one in fields(spec)[2:]:
        held = getattr(spec, one.name)
        if one.name != "in_process" and held != getattr(plain, one.name):
            said.append(f"{one.name}={_plain(dict(held) if isinstance(held, Mapping) else held)}")
    return f"SubjectSpec({', '.join(said)})"


def _header(spec: SubjectSpec, output: Path | None, *, rows: bool) -> str:
    """Return the imports of the module, sorted like formatters do."""
    standard = []
    own = ["import harness"]
    if rows:
        standard.append("from collections.abc import Iterable")
        own.append("from harness.field import FieldError")
    if spec.kind == "suite" and output is not None:
        standard.append("from pathlib import Path")
    if rows:
        standard.append("from typing import Any")
    if not _simple(spec):
        own.append("from harness.subject import SubjectSpec")
    others = ["import pytest"] if rows else []
    return "\n\n".join(
        "\n".join(group) for group in (["from __future__ import annotations"], standard, others, own) if group
    )
