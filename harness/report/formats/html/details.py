"""Renders the details of findings as pieces of the HTML page.

A page can have thousands of findings, so only the first ones are plain HTML. The others are compressed in chunks, which
a script unpacks when a finding is opened.
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
from harness.report.escaping import bounded, lines
from harness.report.formats.html.objects import FieldEdit, Line, View, find_edits, show_both, show_object
from harness.report.formats.html.pairs import pair_errors, pair_served, pair_versions
from harness.report.formats.html.story import (
    SideNames,
    describe_audience,
    describe_mismatch,
    group_settings,
    name_request,
    name_sides,
)
from harness.report.model.document import ExceptionEntry, Report, ReportedFinding
from harness.report.model.grouping import Group
from harness.report.model.verification import UserChange
from harness.report.text.confirmation import describe_outcome
from harness.report.text.finding import describe_certainty, places_of
from harness.report.text.verdict import change_title

CHUNK_SIZE = 40
"""The number of findings in one compressed chunk."""


class PackedPieces:
    """Collects pieces of HTML, which are escaped already, and compresses them in chunks."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def put(self, piece: str) -> str:
        """Add a piece. Returns: its location, `chunk:number`."""
        self._pieces.append(piece)
        return "{}:{}".format(*divmod(len(self._pieces) - 1, CHUNK_SIZE))

    @property
    def chunks(self) -> list[str]:
        """The chunks: each is a JSON list of pieces, deflated and encoded as base64."""
        return [_pack(self._pieces[start : start + CHUNK_SIZE]) for start in range(0, len(self._pieces), CHUNK_SIZE)]


def _pack(pieces: list[str]) -> str:
    return base64.b64encode(zlib.compress(json.dumps(pieces).encode(), 9)).decode()


def embed_json(value: Mapping[str, Any] | Iterable[Any]) -> Markup:
    """Return JSON that is safe inside a script element: it cannot end the element or begin a comment."""
    text = json.dumps(value, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


MAX_INLINE = 100
"""At most this many findings have their details as plain HTML."""


class PageBody(NamedTuple):
    """What an element shows when it is opened: as HTML, or as the location of it among the packed pieces."""

    html: Markup
    packed: str


def write_bodies(
    report: Report, groups: Sequence[Group], packed_pieces: PackedPieces, template: Template, at_once: int
) -> dict[str, PageBody]:
    """Render the details of every finding, by fingerprint.

    The first findings of groups come first, so that they are plain HTML: readers open these first.
    """
    exceptions = {entry.id: entry for entry in report.exceptions.all_entries}
    found = {}
    for number, finding in enumerate(_representatives_first(groups)):
        html = template.render(**_finding_variables(finding, exceptions), many=len(report.parts) > 1)
        found[finding.fingerprint] = (
            PageBody(Markup(html), "") if number < at_once else PageBody(Markup(), packed_pieces.put(html))
        )
    return found


def _representatives_first(groups: Sequence[Group]) -> Iterator[ReportedFinding]:
    yield from (one.first for one in groups)
    yield from (finding for one in groups for finding in one.findings[1:])


def _finding_variables(finding: ReportedFinding, exceptions: Mapping[str, ExceptionEntry]) -> dict[str, Any]:
    """Return the template variables for the details of a finding."""
    rows, names = pair_errors(finding), name_sides(finding.between)
    versions = pair_versions(finding)
    tables = [(names, rows), *((SideNames(finding.version, name), table) for name, table in versions)]
    marked = [
        (name, side[0])
        for side_names, table in tables
        for row in table
        if row.is_marked
        for name, side in zip(side_names, (row.left, row.right), strict=True)
        if side is not None
    ]
    fields = [error.field for _, error in marked]
    old, new, edits = show_objects(finding.case, fields)
    answer = finding.answer
    return {
        "finding": finding,
        "places": places_of(finding),
        "sides": names,
        "request": name_request(finding),
        "what": describe_mismatch(finding),
        "errors": marked[:4],
        "audience": describe_audience(finding),
        "certainty": describe_certainty(finding),
        "outcome": describe_outcome(finding),
        "cause_summary": next(page for page in pages_of(finding.cause) if page.category == "causes").summary,
        "exception": exceptions.get(finding.exception or ""),
        "failure": answer.failure,
        "pairs": [row for row in rows if names.releases or not row.is_expected],
        "expected": [row for row in rows if row.is_expected and not names.releases],
        "versions": versions,
        "old": old,
        "new": new,
        "changes": edits,
        "served": group_settings(finding),
    }


def change_variables(change: UserChange) -> dict[str, Any]:
    """Return the template variables for a change for users."""
    rows = pair_served(change.before, change.after)
    fields = [side[0].field for row in rows if not row.is_equal for side in (row.left, row.right) if side is not None]
    old, new, _ = show_objects(change.finding.case, fields)
    return {"change": change, "title": change_title(change), "pairs": rows, "old": old, "new": new}


def show_objects(case: Case, fields: Sequence[str]) -> tuple[View | None, View, list[FieldEdit] | None]:
    """Return views of the old and the new object of a case, and the edits between them.

    `fields` are the fields of errors, which are marked. Returns: None for the old object and the edits of a create; the
    edits are also None if the objects are too large to compare.
    """
    if case.old is None:
        return None, show_object(case.object, fields), None
    edits = find_edits(case.old, case.object)
    return *show_both(case.old, case.object, edits or (), fields), edits


# These are functions, not macros of the template engine, because a page has very many errors and lines.


def write_message(error: FieldError) -> Markup:
    """Render an error as the message that users read."""
    return Markup(f"<code>{escape(lines(bounded(error.text, 2000)))}</code>")


def write_error(one: tuple[FieldError, int] | None) -> Markup:
    """Render an error of one list with its count, origin, level and whether it is covered."""
    if one is None:
        return Markup('<span class="none">nothing</span>\n')
    error, times = one
    marks = [
        f"origin {bounded(error.origin, 200)}" if error.origin else "", f"level {error.level}" if error.level else "",
        "covered" if error.covered else "",
    ]  # fmt: skip
    text = escape(lines(" · ".join(filter(None, marks))))
    counted, small = f" <small>×{times}</small>" if times > 1 else "", f"<small>{text}</small>" if text else ""
    return Markup(f"{write_message(error)}{counted}{small}")


def write_lines(shown: Sequence[Line], side: str) -> Markup:
    """Render lines of an object; lines that differ are in the element `side`, `del` or `ins`."""
    return Markup("".join([_line(line, side) for line in shown]))


def _line(line: Line, side: str) -> str:
    if line.steps is None:
        return '<span class="gap"></span>'
    element, kind = side if line.differs else "span", "line named" if line.named else "line"
    return f'<{element} class="{kind}">{escape(line.text)}</{element}>'
