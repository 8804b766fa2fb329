"""The report for people at a terminal: one screen at the end of a run, and one finding at length.

Lines are rich Text, never markup, because what they show was written by others. Written to a pipe they are plain.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from typing import IO

from rich.console import Console
from rich.text import Text

from harness.compare.ends import served_after, served_before
from harness.events import LONGER
from harness.field import FieldError
from harness.reporting.document import KindEntry, Report, ReportedFinding
from harness.reporting.gaps import allowance_rows, gaps, open_gaps
from harness.reporting.grouping import SEVERITY_MEANING, Group, group
from harness.reporting.headline import also, headline
from harness.reporting.linewrap import fold
from harness.reporting.moverows import move_rows
from harness.reporting.overview import STYLES, by_cause, overview, place_row
from harness.reporting.ruletext import lost_rows, rule_rows
from harness.reporting.text import compact, count, cut, flat, lines, visible
from harness.reporting.tolerance import must_go
from harness.reporting.verdicts import verdict_rows, verdict_screen

SHORT = 800
"""Characters of an object or a text of a finding that is told at length; the document has it whole."""
AT_LENGTH = 3
"""Groups that are told at length: on the screen of a run, and for each item of pytest."""
SCREEN = 60
"""Lines of the one screen."""
MOST_GAPS, MOST_BLOCKING = 4, 4
"""Kinds that were not reached, and errors of each, that are told there."""


class Loudness(IntEnum):
    """How much is told: the verdict and a row for each mistake, one screen, or everything at length."""

    QUIET = 0
    NORMAL = 1
    VERBOSE = 2


def console(stream: IO[str] | None = None) -> Console:
    """Return a console that colours on a terminal only and never reads text as markup."""
    return Console(file=stream or sys.stdout, markup=False, highlight=False, emoji=False, soft_wrap=True)


def show(rows: Iterable[Text], stream: IO[str] | None = None) -> None:
    """Print lines: on a terminal folded between words, elsewhere whole, so that what looks for one finds it."""
    out = console(stream)
    for row in rows:
        for line in fold(row, out.width) if out.is_terminal else (row,):
            out.print(line, soft_wrap=True)


def render(rows: Iterable[Text]) -> str:
    """Return lines as plain text."""
    return "".join(row.plain + "\n" for row in rows)


def summary(report: Report, written: Sequence[str] = (), loudness: Loudness = Loudness.NORMAL) -> list[Text]:
    """Tell the run on one screen: the verdict, how bad it is, the worst at length, the rest, how hard was tried.

    A quiet screen has the verdict and a row for each mistake, a verbose one every mistake at length, and timings.
    """
    if report.verification is not None:
        if loudness is Loudness.QUIET:
            return verdict_rows(report, report.verification)
        return verdict_screen(report, report.verification, written)
    groups = group(report.open_findings)
    why = [Text(f"  {row}", style="bold red") for row in [also(report)] if row] + _gaps(report)
    if loudness is Loudness.QUIET:
        return [_headline(report, groups), *why, *_exceptions(report), *(place_row(one, one.cause) for one in groups)]
    head = [_headline(report, groups), *_severities(report), *why]
    foot = [Text(), *_effort(report), *_exceptions(report)]
    foot += _timings(report) if loudness is Loudness.VERBOSE else []
    foot += [Text(f"written: {visible(name)}") for name in written]
    if report.moves:
        told = move_rows(report.moves, SCREEN - len(head) - len(foot) - 1)
        told += [Text(f"one at length: {visible(groups[0].first.replay)}")] if groups and groups[0].first.replay else []
    elif loudness is Loudness.VERBOSE:
        told = at_length(groups, SHORT)
    else:
        told = at_length(groups[:AT_LENGTH], SHORT)
        rest = groups[AT_LENGTH:]
        room = SCREEN - len(head) - len(told) - len(foot) - 1
        told += [Text(), *overview(rest, room)] if rest else []
    return head + told + foot


def at_length(groups: Sequence[Group], limit: int, ids: bool = True) -> list[Text]:
    """Tell groups by the finding that stands for each: one way for a screen and for the text of a failed test."""
    return [row for number, one in enumerate(groups, 1) for row in (Text(), *_group(number, one, limit, ids))]


def _headline(report: Report, groups: Sequence[Group]) -> Text:
    words, style = headline(report)
    row = Text()
    row.append(words, style=style)
    row.append(f": {visible(report.target.name)}")
    if report.target.release:
        row.append(f" {visible(report.target.release)}")
    row.append(f", {count(report.totals.findings, 'finding')}")
    row.append(tolerated_words(report))
    if report.coverage is not None and report.coverage.lost:
        row.append(f", {count(len(report.coverage.lost), 'rule')} lost coverage", style="bold red")
    if groups:
        causes = count(len(by_cause(groups)), "cause")
        row.append(f", {causes} in {count(len(groups), 'group')}")
    return row


def tolerated_words(report: Report) -> str:
    """Say how many findings are tolerated, and how many of them change a verdict; nothing where none is."""
    tolerated = [finding for finding in report.findings if finding.exception is not None]
    if not tolerated:
        return ""
    worst = sum(finding.severity == "verdict" for finding in tolerated)
    told = f" beyond {count(len(tolerated), 'tolerated finding')}"
    return f"{told}, {worst:,} of which {'changes' if worst == 1 else 'change'} a verdict" if worst else told


def _gaps(report: Report) -> list[Text]:
    """Tell what was not reached, what blocks it and what to do: without that a silent run proves nothing."""
    found, advice = open_gaps(report), ""
    rows = []
    for gap in found[:MOST_GAPS]:
        row = Text("  ")
        row.append("not reached  ", style="bold yellow")
        row.append(cut(f"{gap.title}: {gap.sentence}", SHORT))
        rows += [row, *(Text(cut(f"               {text}", SHORT)) for text in gap.blocking(MOST_BLOCKING))]
        rows += [Text(f"               fix: {gap.advice}")] * (gap.advice != advice)
        advice = gap.advice
    if len(found) > MOST_GAPS:
        others = ", ".join(gap.title for gap in found[MOST_GAPS : MOST_GAPS + 4])
        rows.append(Text(cut(f"  … {count(len(found) - MOST_GAPS, 'more kind')} not reached: {others}", SHORT)))
    rows += [Text(f"  {row}", style="yellow") for row in allowance_rows(report)]
    return rows


def _severities(report: Report) -> list[Text]:
    rows = []
    for name, number in report.totals.by_severity.items():
        row = Text(f"  {number:>5,} ")
        row.append(f"{name:<12}", style=STYLES[name])
        row.append(SEVERITY_MEANING[name], style="dim")
        rows.append(row)
    return rows


def _group(number: int, one: Group, limit: int, ids: bool) -> list[Text]:
    finding = one.first
    row = Text(f"{number}. ")
    row.append(finding.severity, style=STYLES[finding.severity])
    row.append(f"  {visible(one.cause)}  {where(finding)}")
    if ids:
        row.append(f"  [{one.id}]", style="dim")
    if one.size > 1:
        row.append(f"  (and {one.size - 1:,} like it on {visible(one.title)})", style="dim")
    return [row, *body(finding, limit)]


def where(finding: ReportedFinding) -> str:
    """Say on which kind, operation and field."""
    return visible(f"{finding.name} {finding.operation}  {finding.path or '(the object itself)'}")


def full(finding: ReportedFinding) -> list[Text]:
    """Tell one finding at length."""
    row = Text()
    row.append(finding.severity, style=STYLES[finding.severity])
    row.append(f"  {visible(finding.cause)}  {where(finding)}  [{visible(finding.fingerprint)}]")
    rows = [row, *body(finding, 4000)]
    for served in finding.answer.served if not finding.between else ():
        verdict = "rejected" if served.errors else "accepted"
        rows += _labelled(f"served {visible(served.setting)}", verdict)
        rows += _errors("", served.errors, 1000)
    if finding.exception:
        rows += _labelled("tolerated by", visible(finding.exception))
    return rows


def body(finding: ReportedFinding, limit: int) -> list[Text]:
    """The lines under a finding's title: what, the smallest object, both lists, the fix, the command."""
    rows = _labelled("what", cut(lines(finding.detail), limit)) if finding.detail else []
    rows += _labelled("object", compact(finding.case.object, limit))
    if finding.case.old is not None:
        same = finding.case.old == finding.case.object
        rows += _labelled("old", "the same" if same else compact(finding.case.old, limit))
    if finding.between:
        before, after = finding.between
        rows += _errors(visible(before), served_before(finding.answer), limit)
        rows += _errors(visible(after), served_after(finding.answer), limit)
    else:
        rows += _errors("handwritten", finding.answer.handwritten, limit)
        rows += _errors("declarative", finding.answer.declarative, limit)
    if finding.answer.failure is not None:
        failure = finding.answer.failure
        rows += _labelled("failure", cut(lines(f"{failure.stage}: {failure.message}"), limit))
        rows += _labelled("at", visible(failure.at)) if failure.at else []
    if finding.fix:
        rows += _labelled("fix", lines(finding.fix))
    if finding.replay:
        rows += _labelled("replay", visible(finding.replay))
    return rows


def _errors(label: str, errors: Sequence[FieldError], limit: int) -> list[Text]:
    if not errors:
        return _labelled(label, "no errors", "dim") if label else []
    told = counted(errors)
    rows = []
    for index, (error, times) in enumerate(told[:8]):
        text = describe(error, limit) + (f"  ×{times}" if times > 1 else "")
        rows += _labelled("" if index else label, text)
    if len(told) > 8:
        rows += _labelled("", f"… {len(told) - 8} more", "dim")
    return rows


def counted(errors: Sequence[FieldError]) -> list[tuple[FieldError, int]]:
    """Tell equal errors once, with how often they came."""
    return list(Counter(errors).items())


def describe(error: FieldError, limit: int = 1000) -> str:
    """Write one error as users read it, with what only we see behind it: origin, level, covered."""
    notes = [f"origin {error.origin}"] if error.origin else []
    notes += [error.level] if error.level else []
    notes += ["covered"] if error.covered else []
    return cut(lines(error.text), limit) + (f"  ({visible(', '.join(notes))})" if notes else "")


def _labelled(label: str, text: str, style: str = "") -> list[Text]:
    """Write a text behind its label; one of several lines keeps them, each below the first."""
    rows = []
    for number, line in enumerate(text.split("\n")):
        row = Text("   ")
        row.append(f"{label if not number else '':<12} ", style="dim")
        row.append(line, style=style)
        rows.append(row)
    return rows


def effort(report: Report) -> list[str]:
    """Say how hard was tried, so that a clean result can be weighed."""
    kinds = report.kinds
    reached = [k for k in kinds if k.cases]
    based = [k for k in kinds if k.has_accepted]
    rows = [
        f"{count(report.cases, 'case')} in {report.seconds:,.1f} s ({report.totals.cases_per_second:,.0f} a second), "
        f"seed {report.seed}, mode {report.mode}, ended by: {report.stopped}"
    ]
    if report.stopped_detail:
        rows.append(f"stopped because {flat(report.stopped_detail)}")
    rows.append(
        f"{len(reached)} of {count(len(kinds), 'kind and operation', 'kinds and operations')} searched"
        f"{_settings(report)}, {len(based)} with an accepted object"
    )
    recordings = sorted({part.reach.handwritten for part in report.parts if part.reach.handwritten})
    rows += [
        f"the handwritten side is a recording ({visible(', '.join(recordings))}): only its cases were asked; findings "
        "are not shrunk, and causes may be less precise"
    ] * bool(recordings)
    told = (_fullness(kinds), *_without(report), _composition(report), _failures(report), _left_out(report))
    rows += [row for row in (*told, *rule_rows(report), *(() if recordings else _discovery(report))) if row]
    rows += _examples(report)
    rows += [f"{k.name} {k.operation}: the search stopped: {flat(k.error)}" for k in kinds if k.error]
    return rows


def _settings(report: Report) -> str:
    """Say how many different kinds and operations there are, where some were asked under several settings."""
    different = len({(kind.name, kind.operation) for kind in report.kinds})
    if different == len(report.kinds):
        return ""
    return f" ({different:,} different ones, under {count(len(report.parts), 'setting')} of the feature gates)"


def _examples(report: Report) -> list[str]:
    """Say how many of the user's own objects are accepted; the report has the errors of the others."""
    if not report.examples:
        return []
    sources = {(one.subject, one.source) for one in report.examples}
    odd = dict.fromkeys(one.source for one in report.examples if not one.is_as_expected)
    shown = ", ".join(visible(source) for source in list(odd)[:4]) + (
        f" and {len(odd) - 4} more" if len(odd) > 4 else ""
    )
    return [
        f"{count(len(sources), 'example')} replayed first, "
        + (f"not as expected: {shown}" if odd else "all as expected")
    ]


def _fullness(kinds: Sequence[KindEntry]) -> str:
    """Say how full the accepted objects are: a difference deep in an object shows only where there is something."""
    names = ("paths", "accepted_paths", "rejected_paths")
    paths, accepted, rejected = (sum(getattr(k, name) for k in kinds) for name in names)
    if not paths:
        return ""
    updates = [k for k in kinds if k.operation == "update" and k.has_seed]
    changing = sum(bool(k.changed_paths) for k in updates)
    share = 100 * accepted // paths
    return (
        f"{accepted:,} of {count(paths, 'field path')} of their types are set in an accepted object ({share} %), "
        f"{rejected:,} were rejected, {paths - accepted - rejected:,} were not tried; "
        f"{changing} of {count(len(updates), 'update')} change something and are accepted"
    )


def _discovery(report: Report) -> list[str]:
    """Say when the search stopped finding, part by part: silence at the end weighs more than silence."""
    rows = []
    for part in report.parts:
        new = part.discovery
        if not new.signatures:
            continue
        name = f"{visible(part.subject)}: " if len(report.parts) > 1 else ""
        left = (
            "the rate has not dropped"
            if new.further is None
            else f"a run {LONGER} times as long would find about {new.further:,} more"
        )
        rows.append(
            f"{name}{count(new.signatures, 'difference')} found, {new.quarters[3]:,} of them in the last quarter, "
            f"the last new one after {new.last:.0f} s; {left}"
        )
    return rows


def _without(report: Report) -> Iterator[str]:
    """Name the kinds of which no object was accepted, and why that is nothing to fail for."""
    missed = {id(kind) for gap in gaps(report) for kind in gap.kinds}
    rest = [kind for kind in report.kinds if not kind.has_accepted and id(kind) not in missed]
    late = [kind for kind in rest if not kind.seed_search_complete]
    yield _named("not searched: time ran out before an object was accepted:", late)
    yield _named("without rules and without an accepted object:", [kind for kind in rest if kind.seed_search_complete])


def _named(words: str, kinds: Sequence[KindEntry]) -> str:
    names = list(dict.fromkeys(f"{kind.name} {kind.operation}" for kind in kinds))
    more = f" and {len(names) - 4:,} more" if len(names) > 4 else ""
    return f"{words} {', '.join(visible(name) for name in names[:4])}{more}" if names else ""


def _composition(report: Report) -> str:
    if not report.composition_checked:
        return ""
    return (
        f"composition: {report.composition_differences:,} differences from the target's own "
        f"in {report.composition_checked:,} checked"
    )


def _failures(report: Report) -> str:
    """Say what an answer that failed is, and where there were the most."""
    if not report.totals.failures:
        return ""
    worst = sorted((kind for kind in report.kinds if kind.failures), key=lambda kind: -kind.failures)
    named = [f"{visible(kind.name)} {kind.operation} ({kind.failures:,} of {kind.cases:,})" for kind in worst[:3]]
    more = f" and {count(len(worst) - 3, 'other')}" if len(worst) > 3 else ""
    return (
        f"{count(report.totals.failures, 'answer')} failed, and were not compared: the object could not "
        f"be decoded or handled, or a validator crashed; {', '.join(named)}{more}"
    )


def _left_out(report: Report) -> str:
    restarts = sum(p.restarts for p in report.parts)
    texts = [f"{count(restarts, 'restart')} of the worker"] if restarts else []
    excluded = len({(entry.group, entry.version, entry.resource) for entry in report.excluded})
    texts += [f"{count(excluded, 'resource')} excluded (see harness kinds)"] if excluded else []
    return ", ".join(texts)


def _effort(report: Report) -> list[Text]:
    first, *rest = effort(report)
    return [Text(f"tried: {first}"), *(Text(f"       {row}") for row in rest)]


def _timings(report: Report) -> Iterator[Text]:
    """Say where the time of the harness went, part by part: generating, encoding, waiting and comparing may overlap."""
    for part in report.parts:
        spent = part.timings
        yield Text(
            f"timings: {flat(part.subject)}: {part.seconds:,.1f} s; generating {spent.generate:,.1f} s, encoding "
            f"{spent.encode:,.1f} s, waiting for the target {spent.wait:,.1f} s, comparing {spent.compare:,.1f} s; "
            f"{count(part.cases, 'case')}, {part.compared:,} compared, {count(part.restarts, 'restart')} of the worker"
        )


def _exceptions(report: Report) -> list[Text]:
    rows = []
    for word, entry in report.exceptions.failing:
        rows.append(Text(lines(must_go(word, entry)), style="red"))
    for ratchet in report.coverage.ratchets if report.coverage is not None else ():
        rows += [Text(row, style="red") for row in lost_rows(ratchet)]
    return rows
