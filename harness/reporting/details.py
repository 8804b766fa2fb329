"""The details of findings, each as a piece of the page: written once, on the page or packed.

Packed is what a page with thousands of findings keeps folded away until somebody opens it.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from jinja2 import Template
from markupsafe import Markup, escape

from harness.case import Case
from harness.explain import pages_of
from harness.field import FieldError
from harness.reporting.changes import FieldEdit, changes
from harness.reporting.document import ExceptionEntry, Report, ReportedFinding
from harness.reporting.grouping import SEVERITY_MEANING, Group
from harness.reporting.paired import before_and_after, by_version, paired
from harness.reporting.sidebyside import Line, View, beside, view
from harness.reporting.story import SideNames, noticed, request, served, sides, what
from harness.reporting.text import bounded, lines
from harness.reporting.verification import UserChange
from harness.reporting.verified import change_title

CHUNK = 40
"""Findings of one chunk."""


class Shelf:
    """Takes pieces of a page, which were escaped before, and hands them out in packed chunks."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def put(self, piece: str) -> str:
        """Keep a piece. Returns: where it lies, `chunk:number`."""
        self._pieces.append(piece)
        return "{}:{}".format(*divmod(len(self._pieces) - 1, CHUNK))

    @property
    def chunks(self) -> list[str]:
        """Every chunk: a JSON list of pieces, deflated, in base64."""
        return [_packed(self._pieces[start : start + CHUNK]) for start in range(0, len(self._pieces), CHUNK)]


def _packed(pieces: list[str]) -> str:
    return base64.b64encode(zlib.compress(json.dumps(pieces).encode(), 9)).decode()


def embedded(value: Mapping[str, Any] | Iterable[Any]) -> Markup:
    """Write JSON that is safe inside a script element: nothing in it can end the element or begin a comment."""
    text = json.dumps(value, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


AT_ONCE = 100
"""Findings whose details stand on the page; those of others are unpacked when they are opened."""


class Body(NamedTuple):
    """The details of a finding: as they stand on the page, or where they lie packed."""

    html: Markup
    packed: str


def bodies_of(
    report: Report, groups: Sequence[Group], shelf: Shelf, template: Template, at_once: int
) -> dict[str, Body]:
    """Write the details of every finding. Those that stand for a group come first: they are read first."""
    exceptions = {entry.id: entry for entry in report.exceptions.every}
    found = {}
    for number, finding in enumerate(_representatives_first(groups)):
        html = template.render(**_told(finding, exceptions), many=len(report.parts) > 1)
        found[finding.fingerprint] = Body(Markup(html), "") if number < at_once else Body(Markup(), shelf.put(html))
    return found


def _representatives_first(groups: Sequence[Group]) -> Iterator[ReportedFinding]:
    yield from (one.first for one in groups)
    yield from (finding for one in groups for finding in one.findings[1:])


def _told(finding: ReportedFinding, exceptions: Mapping[str, ExceptionEntry]) -> dict[str, Any]:
    """Everything that the details of a finding are written from."""
    rows, names = paired(finding), sides(finding.between)
    versions = by_version(finding)
    tables = [(names, rows), *((SideNames(finding.version, name), table) for name, table in versions)]
    about = [
        (name, side[0])
        for both, table in tables
        for row in table
        if row.odd
        for name, side in zip(both, (row.left, row.right), strict=True)
        if side is not None
    ]
    named = [error.field for _, error in about]
    old, new, moved = objects(finding.case, named)
    answer = finding.answer
    return {
        "finding": finding,
        "sides": names,
        "request": request(finding),
        "what": what(finding),
        "about": about[:4],
        "noticed": noticed(finding, SEVERITY_MEANING),
        "because": next(page for page in pages_of(finding.cause) if page.category == "causes").summary,
        "exception": exceptions.get(finding.exception or ""),
        "failure": answer.failure,
        "pairs": [row for row in rows if names.releases or not row.expected],
        "expected": [row for row in rows if row.expected and not names.releases],
        "versions": versions,
        "old": old,
        "new": new,
        "changes": moved,
        "served": served(finding),
    }


def changed(change: UserChange) -> dict[str, Any]:
    """Everything that a change for users is written from."""
    rows = before_and_after(change.before, change.after)
    named = [side[0].field for row in rows if not row.agrees for side in (row.left, row.right) if side is not None]
    old, new, _ = objects(change.finding.case, named)
    return {"change": change, "title": change_title(change), "pairs": rows, "old": old, "new": new}


def objects(case: Case, named: Sequence[str]) -> tuple[View | None, View, list[FieldEdit] | None]:
    """Both objects of a case and what changed between them; `named` are fields that errors name."""
    if case.old is None:
        return None, view(case.object, named), None
    moved = changes(case.old, case.object)
    return *beside(case.old, case.object, moved or (), named), moved


# A page has very many errors and lines: functions write them in a fraction of the time that macros would take.


def error_text(error: FieldError) -> Markup:
    """Write an error as its message has it."""
    return Markup(f"<code>{escape(lines(bounded(error.text, 2000)))}</code>")


def told_error(one: tuple[FieldError, int] | None) -> Markup:
    """Write an error of one side, how often it is reported, and its marks."""
    if one is None:
        return Markup('<span class="none">nothing</span>\n')
    error, times = one
    marks = [
        f"origin {bounded(error.origin, 200)}" if error.origin else "", f"level {error.level}" if error.level else "",
        "covered" if error.covered else "",
    ]  # fmt: skip
    said = escape(lines(" · ".join(filter(None, marks))))
    often, small = f" <small>×{times}</small>" if times > 1 else "", f"<small>{said}</small>" if said else ""
    return Markup(f"{error_text(error)}{often}{small}")


def written(shown: Sequence[Line], side: str) -> Markup:
    """Write lines of an object; what differs is in an element `side`, del or ins."""
    return Markup("".join([_line(line, side) for line in shown]))


def _line(line: Line, side: str) -> str:
    if line.steps is None:
        return '<span class="gap"></span>'
    element, kind = side if line.differs else "span", "line named" if line.named else "line"
    return f'<{element} class="{kind}">{escape(line.text)}</{element}>'
