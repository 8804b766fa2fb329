"""Describes how thorough a run was, so that readers can judge a result without findings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.events import LONGER_RUN_FACTOR, LOST
from harness.report.escaping import count, flat, visible
from harness.report.model.document import KindEntry, Report
from harness.report.model.gaps import find_gaps
from harness.report.text.confirmation import summarize_outcomes
from harness.report.text.rules import rule_rows

_MAX_NAMES = 4
"""At most this many kinds or examples are listed by name."""


def describe_effort(report: Report) -> list[str]:
    """Return sentences on how thorough a run was: cases, accepted objects, rules that fired, failures, examples."""
    kinds = report.kinds
    searched = [k for k in kinds if k.cases]
    accepted = [k for k in kinds if k.has_accepted]
    rows = [
        f"{count(report.cases, 'case')} in {report.seconds:,.1f} s ({report.totals.cases_per_second:,.0f} a second), "
        f"seed {report.seed}, mode {report.mode}, ended by: {report.stopped}"
    ]
    if report.stopped_detail:
        rows.append(f"stopped because {flat(report.stopped_detail)}")
    rows.append(
        f"{len(searched)} of {count(len(kinds), 'kind and operation', 'kinds and operations')} searched"
        f"{_settings(report)}, {len(accepted)} with an accepted object"
    )
    recordings = sorted({part.reach.handwritten for part in report.parts if part.reach.handwritten})
    rows += [
        f"the handwritten side is a recording ({visible(', '.join(recordings))}): only its cases were asked; findings "
        "are not shrunk, and causes may be less precise"
    ] * bool(recordings)
    coverage = (_path_coverage(kinds), *_unaccepted_kinds(report))
    answers = (
        _composition(report),
        _generated(report),
        _round_trips(report),
        _failures(report),
        _restarts_and_exclusions(report),
    )
    discovery = () if recordings else _discovery(report)
    rows += [row for row in (*coverage, *answers, *rule_rows(report), *discovery) if row]
    rows += _examples(report)
    rows += [outcomes] if (outcomes := summarize_outcomes(report)) else []
    rows += [f"{k.name} {k.operation}: the search stopped: {flat(k.error)}" for k in kinds if k.error]
    return rows


def _settings(report: Report) -> str:
    """Return the number of different kinds and operations, if some were searched under several gate settings."""
    different = len({(kind.name, kind.operation) for kind in report.kinds})
    if different == len(report.kinds):
        return ""
    return f" ({different:,} different ones, under {count(len(report.parts), 'setting')} of the feature gates)"


def _examples(report: Report) -> list[str]:
    """Return how many of the user's own objects were replayed, and which of them not with the expected result."""
    if not report.examples:
        return []
    sources = {(one.subject, one.source) for one in report.examples}
    unexpected = dict.fromkeys(one.source for one in report.examples if not one.is_as_expected)
    names = ", ".join(visible(source) for source in list(unexpected)[:_MAX_NAMES])
    names += f" and {len(unexpected) - _MAX_NAMES} more" if len(unexpected) > _MAX_NAMES else ""
    return [
        f"{count(len(sources), 'example')} replayed first, "
        + (f"not as expected: {names}" if unexpected else "all as expected")
    ]


def _path_coverage(kinds: Sequence[KindEntry]) -> str:
    """Return how many paths are set in an accepted object: a difference at a path is only found if it is set."""
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
    """Return for each part how many differences were found, and when the last new one was found.

    If the last quarter of the run found none, a longer run is unlikely to find more.
    """
    rows = []
    for part in report.parts:
        new = part.discovery
        if not new.signatures:
            continue
        name = f"{visible(part.subject)}: " if len(report.parts) > 1 else ""
        outlook = (
            "the rate has not dropped"
            if new.further_differences is None
            else f"a run {LONGER_RUN_FACTOR} times as long would find about {new.further_differences:,} more"
        )
        rows.append(
            f"{name}{count(new.signatures, 'difference')} found, {new.quarters[3]:,} of them in the last quarter, "
            f"the last new one after {new.last:.0f} s; {outlook}"
        )
    return rows


def _unaccepted_kinds(report: Report) -> Iterator[str]:
    """Yield the kinds without an accepted object that do not make the run incomplete, with the reason."""
    incomplete = {id(kind) for gap in find_gaps(report) for kind in gap.kinds}
    rest = [kind for kind in report.kinds if not kind.has_accepted and id(kind) not in incomplete]
    late = [kind for kind in rest if not kind.seed_search_complete]
    ended = "the run ended" if any(part.stopped in LOST for part in report.parts) else "time ran out"
    yield _list_kinds(f"not searched: {ended} before an object was accepted:", late)
    yield _list_kinds(
        "without rules and without an accepted object:", [kind for kind in rest if kind.seed_search_complete]
    )


def _list_kinds(reason: str, kinds: Sequence[KindEntry]) -> str:
    names = list(dict.fromkeys(f"{kind.name} {kind.operation}" for kind in kinds))
    more = f" and {len(names) - _MAX_NAMES:,} more" if len(names) > _MAX_NAMES else ""
    return f"{reason} {', '.join(visible(name) for name in names[:_MAX_NAMES])}{more}" if names else ""


def _composition(report: Report) -> str:
    if not report.composition_checked:
        return ""
    return (
        f"composition: {report.composition_differences:,} differences from the target's own "
        f"in {report.composition_checked:,} checked"
    )


def _generated(report: Report) -> str:
    if not report.generated_checked:
        return ""
    found = sum(finding.mismatch == "generated" for finding in report.findings)
    return f"generated code: {count(found, 'difference')} from its tags in {report.generated_checked:,} cases checked"


def _round_trips(report: Report) -> str:
    if not report.round_trips_checked:
        return ""
    found = sum(finding.mismatch == "conversion" for finding in report.findings)
    return f"conversions: {count(found, 'loss', 'losses')} in {report.round_trips_checked:,} accepted objects checked"


def _failures(report: Report) -> str:
    """Return the number of failed answers, what a failure is, and the kinds with the most failures."""
    if not report.totals.failures:
        return ""
    worst = sorted((kind for kind in report.kinds if kind.failures), key=lambda kind: -kind.failures)
    named = [f"{visible(kind.name)} {kind.operation} ({kind.failures:,} of {kind.cases:,})" for kind in worst[:3]]
    more = f" and {count(len(worst) - 3, 'other')}" if len(worst) > 3 else ""
    return (
        f"{count(report.totals.failures, 'answer')} failed, and were not compared: the object could not "
        f"be decoded or handled, the answer was too large, or a validator crashed; {', '.join(named)}{more}"
    )


def _restarts_and_exclusions(report: Report) -> str:
    restarts = sum(p.restarts for p in report.parts)
    texts = [f"{count(restarts, 'restart')} of the worker"] if restarts else []
    excluded = len({(entry.group, entry.version, entry.resource) for entry in report.excluded})
    texts += [f"{count(excluded, 'resource')} excluded (see harness kinds)"] if excluded else []
    return ", ".join(texts)
