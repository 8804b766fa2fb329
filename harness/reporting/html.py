"""The report as one page: no request leaves it, and no text in it can act.

Everything shown was written by others. It is escaped by the template engine, control characters become visible, and a
content security policy allows only the page's own style and script, by their hashes. The first findings of a page, and
so all of most pages, are read without a script too: some viewers of CI artifacts allow none.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

import jinja2
from markupsafe import Markup, escape

from harness.compare.ends import DIRECTIONS, Ends, told
from harness.compare.finding import SEVERITIES
from harness.explain import pages_of
from harness.reporting import verified
from harness.reporting.costplot import plot, table, words
from harness.reporting.costtable import cost_method, cost_tables
from harness.reporting.coverage import RuleEntry
from harness.reporting.details import AT_ONCE, Shelf, bodies_of, changed, embedded, error_text, told_error, written
from harness.reporting.document import KindEntry, Report, ReportedFinding
from harness.reporting.gaps import allowance_rows, gaps, open_gaps
from harness.reporting.grouping import SEVERITY_MEANING, Group, group
from harness.reporting.headline import headline, reasons
from harness.reporting.moves import Move, Moves
from harness.reporting.overview import by_cause
from harness.reporting.pages import environment, marked
from harness.reporting.ruletext import rule_rows
from harness.reporting.story import sides
from harness.reporting.terminal import effort
from harness.reporting.text import bounded, count, cut, lines

ON_PAPER = 10
"""Places that are printed with their smallest object, so that a report of any size stays one to read."""
CHANGES = 200
"""Changes for users that are shown."""
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


def render_html(report: Report, at_once: int = AT_ONCE) -> str:
    """Write a report as one self-contained page; `at_once` findings have their details on it, the others packed."""
    made = _environment()
    assert made.loader is not None
    read = made.loader.get_source
    style = read(made, "report.css")[0]
    script = "\n".join(read(made, name)[0] for name in SCRIPTS)
    groups = group(report.open_findings)
    tolerated = group(f for f in report.findings if f.exception is not None)
    shelf = Shelf()
    bodies = bodies_of(report, [*groups, *tolerated], shelf, made.get_template("finding.html.j2"), at_once)
    causes, excused = ([_cause(*one) for one in by_cause(which).items()] for which in (groups, tolerated))
    order = [f for cause in (*causes, *excused) for one in cause.groups for f in one.findings]
    return made.get_template("report.html.j2").render(
        report=report,
        **_heading(report, groups),
        **_sections(report),
        budget=_budget(report),
        at_once=at_once,
        causes=causes,
        tolerated=excused,
        meaning=SEVERITY_MEANING,
        severities=SEVERITIES,
        bodies=bodies,
        on_paper={one.first.fingerprint for one in groups[:ON_PAPER]},
        paper_left=max(0, len(groups) - ON_PAPER),
        chunks=shelf.chunks,
        index=embedded(_index(order)),
        index_size=len(order),
        kind_names=sorted({bounded(finding.name, 200) for finding in order}),
        cause_names=list(dict.fromkeys(finding.cause for finding in order)),
        severity_names=[name for name in SEVERITIES if any(finding.severity == name for finding in order)],
        mismatch_words=_mismatch_words(order),
        effort=effort(report),
        gaps=open_gaps(report),
        allowances=list(allowance_rows(report)),
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
        "state": _state, "missed": _missed, "rule_rows": rule_rows, "rules_by_kind": _rules_by_kind,
        "rule_state": _rule_state, "fired": _fired, "bounded": bounded, "upper": _upper, "breakable": _breakable,
        "cut": cut, "count": count,
        "written": written, "error_text": error_text, "told": told_error,
        "cost_words": words, "verdicts": verified.VERDICTS, "directions": verified.DIRECTIONS,
        "effort_words": verified.effort_words, "rule_words": verified.rule_words, "change_title": verified.change_title,
    }  # fmt: skip
    return environment("harness.reporting", {"prose": marked}, functions)


def _heading(report: Report, groups: Sequence[Group]) -> dict[str, Any]:
    """What the page says first, and in which colour."""
    change = report.verification
    if change is not None:
        good = report.exit_code == 0
        tone = "equivalent" if good else "different" if report.exit_code == 1 else "incomplete"
        return {
            "headline": verified.headline(report, change),
            "lead": verified.lead(report, change),
            "tone": tone,
            "failing": [],
        }
    if report.cost is not None:  # nothing was judged: what differs was met on the way
        return {
            "headline": "What declarative validation costs",
            "lead": report.cost.answer,
            "tone": "plain",
            "failing": [],
        }
    tone = "different" if report.exit_code == 1 else report.verdict
    return {"headline": headline(report)[0], "lead": _lead(report, groups), "tone": tone, "failing": reasons(report)}


def _sections(report: Report) -> dict[str, Any]:
    """The verdict on a change and the cost of validation, where a report has them."""
    change, cost = report.verification, report.cost
    rows = table(cost) if cost is not None else []
    return {
        "verification": change,
        "nothing_touched": change is not None and bool(change.nothing_touched),
        "fields": list(verified.fields_worst_first(change)) if change is not None else [],
        "known_findings": {finding.fingerprint: finding for finding in report.findings},
        "known_changes": {one.fingerprint: one for one in change.changes[:CHANGES]} if change is not None else {},
        "user_changes": [changed(one) for one in change.changes[:CHANGES]] if change is not None else [],
        "moves": [(one, _directions(one)) for one in report.moves],
        "cost": cost,
        "plot": plot(rows),
        "cost_rows": rows,
        "cost_tables": list(cost_tables(cost)) if cost is not None else [],
        "cost_method": cost_method(cost) if cost is not None else [],
    }


def _directions(moves: Moves) -> list[tuple[str, list[Move]]]:
    """The changes between two targets by what happens to a request, worst first."""
    ends = Ends(moves.before, moves.after)
    by_direction = [(told(name, ends), [one for one in moves.changes if one.direction == name]) for name in DIRECTIONS]
    return [(words, some) for words, some in by_direction if some]


def _lead(report: Report, groups: Sequence[Group]) -> str:
    """Say in a sentence or two what was compared and what came out."""
    names = sides(report.parts[0].between if report.parts else ())
    who = (
        f"Users of {names.left} and users of {names.right} were"
        if names.releases
        else "The handwritten validators (the old code) and the declarative ones (new, made from rules on types) were"
    )
    asked = f"{who} asked the same {count(report.cases, 'question')}."
    if not groups:
        return asked
    causes = len({one.cause for one in groups})
    return (
        f"{asked} They do not always give the same answer: {count(report.totals.findings, 'difference')}, "
        f"from {count(causes, 'cause')}, in {count(len(groups), 'group')}."
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


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _breakable(path: str) -> Markup:
    """Let a narrow screen break a path behind a dot, and not within a name."""
    return Markup(escape(lines(path)).replace(".", Markup(".<wbr>")))


def _cause(name: str, groups: list[Group]) -> Cause:
    page = next(page for page in pages_of(name) if page.category == "causes")
    return Cause(name, page.summary, page.text, groups)


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
    if kind.has_accepted:
        return "accepted object found"
    return "errors remained" if kind.seed_search_complete else "not searched: time ran out"


def _missed(report: Report) -> dict[int, str]:
    """What to say of a kind that was not reached, by its place in the report."""
    missed = {id(kind): gap for gap in gaps(report) for kind in gap.kinds}
    return {
        number: f"incomplete, accepted by {gap.allowed}" if gap.allowed else f"incomplete: {gap.sentence}"
        for number, kind in enumerate(report.kinds)
        if (gap := missed.get(id(kind))) is not None
    }


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
