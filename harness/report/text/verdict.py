"""Describes the verdict on a run or on a change, and everything that makes the run fail.

A run can fail without findings, for example because of an unused exception, or a rule that lost coverage. The first
line of every report is the same sentence, in each format.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from harness.case import kind_name
from harness.events import LOST
from harness.report.escaping import count
from harness.report.model.coverage import RuleEntry
from harness.report.model.document import Report
from harness.report.model.gaps import find_open_gaps
from harness.report.model.verification import Effort, FieldEntry, UserChange, Verification
from harness.report.text.confirmation import describe_contradictions
from harness.report.words import FIELD_VERDICT, GOOD, VERDICT


def headline(report: Report) -> tuple[str, str]:
    """Return the verdict in one line (on the change, for `harness verify`), and its style on a terminal."""
    interrupted = " (interrupted)" if report.stopped == "interrupted" else ""
    if report.verification is not None:
        verdict = VERDICT[report.verdict]
        words, style = verdict.of_change, verdict.style
        if report.verification.nothing_touched:
            words, style = "Nothing touched", GOOD
            if not report.verification.is_clean:
                words, style = "Nothing touched that validates, but not fit to merge", VERDICT["different"].style
        return words + interrupted, style
    if report.is_empty_shard:
        shards = ", ".join(dict.fromkeys(part.shard for part in report.parts))
        style = VERDICT["incomplete"].style
        return f"No kind belongs to shard {shards}; harness merge judges all of them together", style
    words, style = _verdict_line(report), VERDICT[report.verdict].style
    if report.exit_code == 1:
        style = VERDICT["different"].style
    return words + interrupted, style


def _verdict_line(report: Report) -> str:
    none = "No new finding" if report.totals.tolerated else "No finding"
    milder = len(report.open_findings) - len(report.failing_findings)
    if report.verdict == "incomplete":
        result = "no finding that fails the run" if milder else "no difference found"
        return f"{VERDICT[report.verdict].words}: {result}, but {_join_words(list(incompleteness_reasons(report)))}"
    if report.failing_findings or report.verdict == "nothing-compared":
        return VERDICT[report.verdict].words
    failures = list(_other_failures(report))
    if failures:
        return f"{f'{none} that is severe enough' if milder else none}; fails because {_join_words(failures)}"
    if milder:
        number = count(milder, "finding is", "findings are")
        return f"No finding that fails the run: {number} milder than {report.policy.fail_on}"
    late = sum(not kind.has_accepted and not kind.seed_search_complete for kind in report.kinds)
    remark = f"; no object of {late:,} of {_kinds(len(report.kinds))} was accepted in time" if late else ""
    return VERDICT[report.verdict].words + remark


def describe_other_failures(report: Report) -> str:
    """Return what makes a run with findings fail besides them, because the headline has the findings only."""
    if not report.failing_findings:
        return ""
    failures, missing = list(_other_failures(report)), list(incompleteness_reasons(report))
    sentences = [f"also fails because {_join_words(failures)}"] * bool(failures)
    sentences += [f"also incomplete: {_join_words(missing)}"] * bool(missing)
    return "; ".join(sentences)


def failure_reasons(report: Report) -> list[str]:
    """Return all reasons why the run fails; none if it does not."""
    if report.exit_code in (0, 130):
        return []
    found = [count(len(report.failing_findings), "finding") + " beyond the exceptions"] * bool(report.failing_findings)
    nothing = ["nothing was compared, which proves nothing"] * (report.verdict == "nothing-compared")
    return [*found, *_other_failures(report), *nothing, *incompleteness_reasons(report)]


def _other_failures(report: Report) -> Iterator[str]:
    """Yield what makes a run fail besides findings and incompleteness."""
    if report.composition_differences:
        yield f"the composed errors differ from those of the target in {count(report.composition_differences, 'case')}"
    unused, expired, unwitnessed = report.exceptions.unused, report.exceptions.expired, report.exceptions.unwitnessed
    if unused:
        yield count(len(unused), "exception is unused", "exceptions are unused")
    if expired:
        yield count(len(expired), "exception has expired", "exceptions have expired")
    if unwitnessed:
        yield count(len(unwitnessed), "exception has no witness", "exceptions have no witness")
    if report.coverage is not None and report.coverage.lost:
        yield count(len(report.coverage.lost), report.coverage.lost_of) + " lost coverage"
    if contradictions := describe_contradictions(report):
        yield contradictions


def incompleteness_reasons(report: Report) -> Iterator[str]:
    """Yield the reasons why a run is incomplete."""
    lost = {part.stopped for part in report.parts} & LOST
    if lost:
        yield "the target was lost" if "target-lost" in lost else "an internal error ended the search"
    stopped = sum(bool(kind.error) for kind in report.kinds)
    if stopped:
        yield f"the search of {_kinds(stopped)} stopped early"
    found = find_open_gaps(report)
    unaccepted = sum(len(gap.kinds) for gap in found if gap.reason == "unaccepted")
    failed = sum(len(gap.kinds) for gap in found if gap.reason == "failures")
    large = sum(len(gap.kinds) for gap in found if gap.reason == "too-large")
    if unaccepted:
        yield f"no object of {_kinds(unaccepted)} was accepted by both sides"
    if failed:
        yield f"a large share of the answers of {_kinds(failed)} failed"
    if large:
        yield f"answers of {_kinds(large)} had more errors than are kept"


def _kinds(number: int) -> str:
    return count(number, "kind and operation", "kinds and operations")


def _join_words(texts: Sequence[str]) -> str:
    if len(texts) < 2:
        return texts[0] if texts else "not everything could be asked"
    return f"{', '.join(texts[:-1])} and {texts[-1]}"


def describe_tolerated(report: Report) -> str:
    """Return how many findings are tolerated, and how many of these change a verdict; empty if none is."""
    tolerated = [finding for finding in report.findings if finding.exception is not None]
    if not tolerated:
        return ""
    worst = sum(finding.severity == "verdict" for finding in tolerated)
    words = f" beyond {count(len(tolerated), 'tolerated finding')}"
    return f"{words}, {worst:,} of which {'changes' if worst == 1 else 'change'} a verdict" if worst else words


def summarize_change(report: Report, verification: Verification) -> str:
    """Return how many fields a change touches, with their verdicts, and how many changes users notice."""
    if verification.nothing_touched:
        return verification.nothing_touched
    verdicts = Counter(field.verdict for field in verification.fields)
    counts = ", ".join(
        f"{verdicts[name]:,} {FIELD_VERDICT[name].words}"
        for name in ("different", "equivalent", "not-tried")
        if verdicts[name]
    )
    touched = (
        f"The change touches {count(len(verification.fields), 'field')} ({counts})."
        if counts
        else "No field is touched."
    )
    if not report.cases:
        return f"{touched} Nothing was asked; why stands below."
    changed = count(len(verification.changes), "change")
    return (
        f"{touched} Base and head were asked the same {count(report.cases, 'case')}: "
        f"users notice {changed if verification.changes else 'no change'}."
    )


def describe_field_effort(effort: Effort) -> str:
    """Return how thoroughly a touched field was tried."""
    if not effort.cases:
        return "No case had a value there."
    return (
        f"{count(effort.cases, 'case')} had a value there or changed it: {count(effort.creates, 'create')} and "
        f"{count(effort.updates, 'update')}, of which {effort.changed:,} gave it another value and {effort.kept:,} "
        f"left it alone; {effort.accepted:,} were accepted by both sides. The handwritten code reported an error there "
        f"{effort.handwritten:,} times, the rules {effort.declarative:,} times. Base and head were compared on "
        f"{effort.compared:,}."
    )


def describe_seen_rule(rule: RuleEntry) -> str:
    """Return what the search observed of a rule: on which operations it fired, and its limit."""
    if rule.cannot:
        return f"cannot fire: {rule.cannot}"
    limit = "" if rule.limit is None else f" at its limit, {rule.limit}"
    counterpart = f"the handwritten counterpart on {' and '.join(rule.handwritten)}"
    parts = [
        f"fired on {' and '.join(rule.declarative)}" if rule.declarative else "never fired",
        counterpart if rule.handwritten else "no handwritten counterpart seen",
        f"accepted{limit}" if rule.accepted else f"not seen accepted{limit}",
    ]
    if rule.limit is not None:
        parts.append("rejected just beyond" if rule.rejected else "not seen rejected just beyond")
    return ", ".join(parts)


def fields_worst_first(verification: Verification) -> Iterator[FieldEntry]:
    """Yield the touched fields by verdict: different ones first, then those not tried."""
    order = list(FIELD_VERDICT)
    yield from sorted(verification.fields, key=lambda field: order.index(field.verdict))


def change_title(change: UserChange) -> str:
    """Return the kind and operation of the request whose result changes for users."""
    finding = change.finding
    name = kind_name(finding.group, finding.version, finding.resource, finding.subresource)
    return f"{name} {finding.operation}"
