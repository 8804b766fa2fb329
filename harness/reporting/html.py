"""The report as one page: no request leaves it, and no text in it can act.

Everything shown was written by others. It is escaped by the template engine, control characters become visible, and a
content security policy allows only the page's own style and script, by their hashes. The first findings of a page, and
so all of most pages, are read without a script too: some viewers of CI artifacts allow none.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup

from harness.compare.finding import SEVERITIES
from harness.explain import pages_of
from harness.reporting.changes import changes
from harness.reporting.coverage import RuleEntry
from harness.reporting.document import ExceptionEntry, KindEntry, Report, ReportedFinding
from harness.reporting.grouping import SEVERITY_MEANING, Group, group
from harness.reporting.overview import by_cause
from harness.reporting.pages import environment, marked
from harness.reporting.paired import by_version, paired
from harness.reporting.ruletext import rule_rows
from harness.reporting.shelf import Shelf, embedded
from harness.reporting.sidebyside import beside, view
from harness.reporting.story import TWO_SIDES, Sides, noticed, request, served, sides_of, what
from harness.reporting.terminal import HEADLINES, effort
from harness.reporting.text import count, cut

AT_ONCE = 100
"""Findings whose details stand on the page; those of others are unpacked when they are opened."""
SCRIPTS = ("report.js", "rules.js")


class Cause(NamedTuple):
    """The findings of one cause: its sentence, its whole page, its groups."""

    name: str
    sentence: str
    more: str
    groups: list[Group]

    @property
    def severities(self) -> dict[str, int]:
        """How many findings there are of each severity, worst first."""
        found = Counter(finding.severity for one in self.groups for finding in one.findings)
        return {name: found[name] for name in SEVERITIES if found[name]}

    @property
    def size(self) -> int:
        """How many findings it has."""
        return sum(one.size for one in self.groups)


class Body(NamedTuple):
    """The details of a finding: as they stand on the page, or where they lie packed."""

    html: Markup
    packed: str


def render_html(report: Report) -> str:
    """Write a report as one self-contained page."""
    made = _environment()
    assert made.loader is not None
    read = made.loader.get_source
    style = read(made, "report.css")[0]
    script = "\n".join(read(made, name)[0] for name in SCRIPTS)
    groups = group(report.open_findings)
    tolerated = group(f for f in report.findings if f.exception is not None)
    shelf = Shelf()
    bodies = _bodies(report, [*groups, *tolerated], shelf)
    causes, excused = ([_cause(*one) for one in by_cause(which).items()] for which in (groups, tolerated))
    order = [f for cause in (*causes, *excused) for one in cause.groups for f in one.findings]
    return made.get_template("report.html.j2").render(
        report=report,
        headline=HEADLINES[report.verdict][0],
        lead=_lead(report, groups),
        budget=_budget(report),
        at_once=AT_ONCE,
        causes=causes,
        tolerated=excused,
        meaning=SEVERITY_MEANING,
        severities=SEVERITIES,
        bodies=bodies,
        chunks=shelf.chunks,
        index=embedded(_index(order)),
        index_size=len(order),
        kind_names=sorted({bounded(finding.name, 200) for finding in order}),
        cause_names=list(dict.fromkeys(finding.cause for finding in order)),
        severity_names=[name for name in SEVERITIES if any(finding.severity == name for finding in order)],
        mismatch_words=_mismatch_words(order),
        effort=effort(report),
        subjects=len(report.parts),
        style=Markup(style),
        script=Markup(script),
        policy=(
            f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
            "base-uri 'none'; form-action 'none'"
        ),
    )


@cache
def _environment() -> jinja2.Environment:
    functions = {
        "state": _state, "rule_rows": rule_rows, "rules_by_kind": _rules_by_kind, "rule_state": _rule_state,
        "fired": _fired, "bounded": bounded, "upper": _upper,
    }  # fmt: skip
    return environment("harness.reporting", {"prose": marked}, functions)


def _lead(report: Report, groups: Sequence[Group]) -> str:
    """Say in a sentence or two what was compared and what came out."""
    sides = next(iter(sides_of(report).values()), TWO_SIDES)
    who = (
        f"Users of {sides.left} and users of {sides.right} were"
        if sides.releases
        else "The handwritten validators (the old code) and the declarative ones (new, made from rules on types) were"
    )
    asked = f"{who} asked the same {count(report.cases, 'question')}."
    if not groups:
        return asked
    causes = len({one.cause for one in groups})
    return (
        f"{asked} They do not always give the same answer: {count(report.totals.findings, 'difference')}, "
        f"from {count(causes, 'cause')}, in {count(len(groups), 'place')}."
    )


def _budget(report: Report) -> str:
    cases, seconds = report.budget.max_cases, report.budget.max_time
    told = [count(cases, "question")] if cases else []
    told += [f"{seconds:,.0f} s"] if seconds else []
    return " and ".join(told) or "none"


def _mismatch_words(findings: Iterable[ReportedFinding]) -> list[tuple[str, str]]:
    """Explain each kind of mismatch that occurs."""
    seen = {finding.mismatch for finding in findings}
    return [
        (page.code, page.summary) for code in sorted(seen) for page in pages_of(code) if page.category == "mismatches"
    ]


def bounded(text: str, most: int) -> str:
    """Show the beginning of a long text, and say how much of it."""
    return text if len(text) <= most else f"{text[:most]} … (shown: the first {most:,} of {len(text):,} characters)"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _cause(name: str, groups: list[Group]) -> Cause:
    page = next(page for page in pages_of(name) if page.category == "causes")
    return Cause(name, page.summary, page.text, groups)


def _bodies(report: Report, groups: Sequence[Group], shelf: Shelf) -> dict[str, Body]:
    """Write the details of every finding. Those that stand for a group come first: they are read first."""
    sides = sides_of(report)
    exceptions = {entry.id: entry for entry in (*report.exceptions.used, *report.exceptions.expired)}
    template = _environment().get_template("finding.html.j2")
    found = {}
    for number, finding in enumerate(_representatives_first(groups)):
        html = template.render(
            **_told(finding, sides.get(finding.subject, TWO_SIDES), exceptions), many=len(report.parts) > 1
        )
        found[finding.fingerprint] = Body(Markup(html), "") if number < AT_ONCE else Body(Markup(), shelf.put(html))
    return found


def _representatives_first(groups: Sequence[Group]) -> Iterator[ReportedFinding]:
    yield from (one.first for one in groups)
    yield from (finding for one in groups for finding in one.findings[1:])


def _told(finding: ReportedFinding, sides: Sides, exceptions: Mapping[str, ExceptionEntry]) -> dict[str, Any]:
    """Everything that the details of a finding are written from."""
    rows, case = paired(finding), finding.case
    versions = by_version(finding)
    tables = [(sides, rows), *((Sides(finding.version, name), table) for name, table in versions)]
    about = [
        (name, side[0])
        for names, table in tables
        for row in table
        if row.odd
        for name, side in zip(names, (row.left, row.right), strict=True)
        if side is not None
    ]
    named = [error.field for _, error in about]
    moved = changes(case.old, case.object) if case.old is not None else None
    old, new = (
        beside(case.old, case.object, moved or (), named) if case.old is not None else (None, view(case.object, named))
    )
    answer = finding.answer
    return {
        "finding": finding,
        "sides": sides,
        "request": request(finding),
        "what": what(finding, sides),
        "about": about[:4],
        "noticed": noticed(finding, SEVERITY_MEANING, sides),
        "because": next(page for page in pages_of(finding.cause) if page.category == "causes").summary,
        "exception": exceptions.get(finding.exception or ""),
        "failure": answer.failure,
        "pairs": [row for row in rows if not row.expected],
        "expected": [row for row in rows if row.expected],
        "versions": versions,
        "old": old,
        "new": new,
        "changes": moved,
        "served": served(finding, sides),
    }


def _index(order: Iterable[ReportedFinding]) -> list[tuple[str, ...]]:
    """What the filters look at, in the order of the page."""
    return [
        (
            f.fingerprint,
            f.severity,
            f.cause,
            bounded(f.name, 200),
            "open" if f.exception is None else "tolerated",
            _words(f),
        )
        for f in order
    ]


def _words(finding: ReportedFinding) -> str:
    """What the search field looks through, besides the names that stand in the index anyway."""
    parts = (
        finding.kind, finding.operation, finding.path, finding.type, finding.origin, finding.owner, finding.mismatch,
        finding.detail, finding.exception or "",
    )  # fmt: skip
    return " ".join(cut(part, 600) for part in parts if part).lower()


def _state(kind: KindEntry) -> str:
    if kind.error:
        return "search stopped"
    if not kind.cases:
        return "not reached"
    return "accepted object found" if kind.base else "errors remained"


def _rules_by_kind(rules: Sequence[RuleEntry]) -> list[tuple[str, list[RuleEntry]]]:
    return [(name, list(own)) for name, own in groupby(rules, lambda rule: rule.name)]


def _fired(rules: Sequence[RuleEntry]) -> int:
    return sum(bool(rule.declarative) for rule in rules)


def _rule_state(rule: RuleEntry) -> str:
    """What the filter of rules looks at: a letter for everything that was not seen."""
    flags = {
        "F": not rule.declarative, "H": not rule.handwritten, "A": not rule.accepted, "R": not rule.rejected,
        "U": rule.unserved, "N": not rule.asked,
    }  # fmt: skip
    return "".join(letter for letter, holds in flags.items() if holds)


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
