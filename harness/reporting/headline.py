"""The verdict in words: what came out, and everything that makes the run fail.

A run may fail although nothing was found: an exception that nobody needs, a rule that lost its cover. The first line of
every report says so, in the same words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.events import LOST
from harness.reporting.document import Report
from harness.reporting.gaps import open_gaps
from harness.reporting.text import count

_WORDS = {
    "equivalent": "Equivalent as far as we looked",
    "different": "Not equivalent",
    "nothing-compared": "Nothing was compared",
    "incomplete": "Incomplete",
}
_STYLES = {
    "equivalent": "bold green",
    "different": "bold red",
    "nothing-compared": "bold red",
    "incomplete": "bold yellow",
}


def headline(report: Report) -> tuple[str, str]:
    """Return the verdict in a line, and its style at a terminal."""
    if report.is_empty_shard:
        shards = ", ".join(dict.fromkeys(part.shard for part in report.parts))
        return f"No kind belongs to shard {shards}; harness merge judges all of them together", _STYLES["incomplete"]
    words, style = _words(report), _STYLES[report.verdict]
    if report.exit_code == 1:
        style = _STYLES["different"]
    return words + (" (interrupted)" if report.stopped == "interrupted" else ""), style


def _words(report: Report) -> str:
    none = "No new finding" if report.totals.tolerated else "No finding"
    milder = len(report.open_findings) - len(report.failing_findings)
    if report.verdict == "incomplete":
        first = f"{_WORDS[report.verdict]}: {'no finding that fails the run' if milder else 'no difference found'}, but"
        return f"{first} {_joined(list(lacks(report)))}"
    if report.failing_findings or report.verdict == "nothing-compared":
        return _WORDS[report.verdict]
    faults = list(_faults(report))
    if faults:
        return f"{f'{none} that is severe enough' if milder else none}; fails because {_joined(faults)}"
    if milder:
        told = count(milder, "finding is", "findings are")
        return f"No finding that fails the run: {told} milder than {report.policy.fail_on}"
    late = sum(not kind.has_accepted and not kind.seed_search_complete for kind in report.kinds)
    left = f"; no object of {late:,} of {_kinds(len(report.kinds))} was accepted in time" if late else ""
    return _WORDS[report.verdict] + left


def also(report: Report) -> str:
    """Say what is wrong with a run besides the findings, which the first line tells alone; empty where nothing is."""
    if not report.failing_findings:
        return ""
    faults, missing = list(_faults(report)), list(lacks(report))
    told = [f"also fails because {_joined(faults)}"] * bool(faults)
    return "; ".join(told + [f"also incomplete: {_joined(missing)}"] * bool(missing))


def reasons(report: Report) -> list[str]:
    """Say everything that makes the run fail; nothing where it does not."""
    if report.exit_code in (0, 130):
        return []
    found = [count(len(report.failing_findings), "finding") + " beyond the exceptions"] * bool(report.failing_findings)
    nothing = ["nothing was compared, which proves nothing"] * (report.verdict == "nothing-compared")
    return [*found, *_faults(report), *nothing, *lacks(report)]


def _faults(report: Report) -> Iterator[str]:
    """What fails a run although it is no finding."""
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
        yield count(len(report.coverage.lost), "rule") + " lost coverage"


def lacks(report: Report) -> Iterator[str]:
    """What makes a run incomplete."""
    lost = {part.stopped for part in report.parts} & LOST
    if lost:
        yield "the target was lost" if "target-lost" in lost else "an internal error ended the search"
    stopped = sum(bool(kind.error) for kind in report.kinds)
    if stopped:
        yield f"the search of {_kinds(stopped)} stopped early"
    found = open_gaps(report)
    unaccepted = sum(len(gap.kinds) for gap in found if gap.why == "unaccepted")
    failed = sum(len(gap.kinds) for gap in found if gap.why == "failures")
    if unaccepted:
        yield f"no object of {_kinds(unaccepted)} was accepted by both sides"
    if failed:
        yield f"a large share of the answers of {_kinds(failed)} failed"


def _kinds(number: int) -> str:
    return count(number, "kind and operation", "kinds and operations")


def _joined(texts: Sequence[str]) -> str:
    if len(texts) < 2:
        return texts[0] if texts else "not everything could be asked"
    return f"{', '.join(texts[:-1])} and {texts[-1]}"
