"""Writes certificates: a table by kind and the rules that are not safe for the terminal, a block of Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from rich import box
from rich.table import Table

from harness.graduate.document import (
    CallsReached,
    Certificate,
    Certificates,
    ChangeShown,
    MissedLine,
    MutantsJudged,
    Proof,
    ServerCounters,
)
from harness.graduate.patch import Patch
from harness.power.mutant import Record
from harness.report.escaping import compact, count, cut, fence, plain, visible
from harness.report.text.code import name_case

MAX_LISTED = 40
"""At most so many rules of one verdict are listed; the document has them all."""
_MAX_OBJECT = 600
_MAX_NEAREST = 200
_MAX_REQUESTS, _MAX_LABEL = 20, 200
"""At most so many labels of counters are listed, and so many characters of each."""
EFFECTS = {
    "accepted": "objects are accepted that are rejected today",
    "rejected": "objects are rejected that are accepted today",
    "lost": "an error is lost",
    "twice": "the error is served twice",
    "added": "an error is added",
    "words": "the words of the error change",
    "finding": "a finding of the run is about this error",
}
"""What each effect means for users, as a sentence."""


def summary_table(document: Certificates) -> Table:
    """Return the number of rules by group, kind and verdict."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("kind", "rules", "safe", "changes", "unknown"):
        table.add_column(name, justify="left" if name == "kind" else "right")
    for name, found in (*rules_by_kind(document).items(), ("all", document.totals)):
        cells = (f"{found[verdict]:,}" if found[verdict] else "-" for verdict in ("safe", "changes", "unknown"))
        table.add_row(visible(name), f"{sum(found.values()):,}", *cells)
    return table


def rules_by_kind(document: Certificates) -> dict[str, Counter[str]]:
    """Return the number of rules by verdict, of each group, version and kind."""
    found: dict[str, Counter[str]] = {}
    for one in document.rules:
        name = "/".join(filter(None, (one.group, one.version, one.kind)))
        found.setdefault(name, Counter())[one.verdict] += 1
    return found


def headline(document: Certificates) -> str:
    """Return the result in one sentence."""
    totals = document.totals
    return (
        f"{document.subject}: {count(len(document.rules), 'rule')}: {totals['safe']:,} safe, "
        f"{totals['changes']:,} changes, {totals['unknown']:,} unknown{_proved(document)} "
        f"(seed {document.seed}, {count(document.cases, 'case')} in {document.seconds:.0f} s)"
    )


def _proved(document: Certificates) -> str:
    """Return how many rules are proved, if that was asked."""
    outcomes = [one.proof.outcome for one in document.rules if one.proof is not None]
    return f"; {outcomes.count('proved'):,} proved for creates" if outcomes else ""


def lines_of(document: Certificates, limit: int = MAX_LISTED) -> Iterator[str]:
    """Yield what stands below the table: the rules that change something, then those that are unknown, then safe."""
    for verdict in ("changes", "unknown", "safe"):
        found = [one for one in document.rules if one.verdict == verdict]
        for one in found[:limit]:
            yield from map(visible, _rule_lines(one))
        if len(found) > limit:
            yield f"and {count(len(found) - limit, 'rule')} more {verdict}; --json FILE lists them all"
            yield ""


def lines_of_patch(patch: Patch) -> Iterator[str]:
    """Yield what a patch makes standard, and why other safe rules are not in it."""
    yield f"written: {count(len(patch.written), 'rule')}, not written: {count(len(patch.unwritten), 'safe rule')}"
    yield from (visible(f"  written: {one.name}: {one.words}") for one in patch.written)
    yield from (visible(f"  test: {path}") for path in patch.tests.texts)
    yield from (visible(f"  not tested: {reason}") for reason in patch.tests.untested)
    yield from (visible(f"  not written: {one.name}: {one.words}: {reason}") for one, reason in patch.unwritten)


def lines_of_servers(document: Certificates) -> Iterator[str]:
    """Yield what the counters of each API server say, and what they are worth."""
    yield from (visible(f"metrics: {server_of(one)}") for one in document.servers)
    if document.servers:
        yield COUNTERS
        yield ""


COUNTERS = (
    "Counters at zero are no evidence that a rule is safe: no request that this server had met a difference that it "
    "counts, and their label names kind and operation, no rule."
)
"""What counters are worth."""


def server_of(one: ServerCounters) -> str:
    """Return the counters of a server, in one sentence."""
    about = [f"release {one.release}"] if one.release else []
    about += [f"counting since {one.started}"] if one.started else []
    about += [f"DeclarativeValidationBeta={str(one.enforced).lower()}"] if one.enforced is not None else []
    words = ", ".join(about)
    worst = sorted(one.requests, key=lambda each: -each.mismatches - each.panics)
    told = "; ".join(f"{cut(each.identifier, _MAX_LABEL)} {each.words}" for each in worst[:_MAX_REQUESTS])
    more = len(worst) - _MAX_REQUESTS
    told += f"; and {more:,} more" if more > 0 else ""
    return (
        f"{one.source}{f' ({words})' if words else ''}: "
        f"{count(one.mismatches, 'mismatch', 'mismatches')} and {count(one.panics, 'panic')}"
        + (f": {told}" if told else "")
    )


def _rule_lines(one: Certificate) -> Iterator[str]:
    yield f"{one.verdict}: {one.name}: {one.words} ({one.level})"
    if one.change is not None:
        yield from (f"  {line}" for line in _change_lines(one.change))
    for text in one.missing:
        yield f"  missing: {text}"
    yield f"  evidence: {evidence_of(one)}"
    if one.proof is not None:
        yield f"  proof: {proof_of(one.proof)}"
    if one.calls is not None and not one.calls.problem:
        yield f"  calls: {calls_of(one.calls)}"
        for missed in one.calls.missed:
            yield from (f"  {text}" for text in _missed_lines(missed))
    if one.mutants is not None:
        yield f"  mutants: {mutants_of(one.mutants)}"
        yield from (f"  not noticed: {left_of(record)}" for record in one.mutants.left)
    if one.check is not None:
        yield f"  check: {one.check.place}"
        yield from (f"  shared: {caller}" for caller in one.check.callers)
        if one.check.also_reports:
            yield f"  its mark also covers: {', '.join(one.check.also_reports)}"
    for finding in one.findings if one.verdict != "safe" else ():
        yield f"  finding {finding.fingerprint}: {finding.severity}, {finding.cause}, {finding.operation}"
    yield ""


def _change_lines(change: ChangeShown) -> Iterator[str]:
    yield change_title(change)
    if change.effect == "finding":
        yield f"says: {change.detail}"
    else:
        yield f"today: {'; '.join(change.today) or 'accepted'}"
        yield f"after: {'; '.join(change.after) or 'accepted'}"
    yield f"{change.operation} {change.request}: {compact(change.object, _MAX_OBJECT)}"
    if change.operation == "update":
        yield f"old: {compact(change.old, _MAX_OBJECT)}"
    if change.fix:
        yield f"fix: {change.fix}"
    if change.fingerprint:
        yield f"finding: {change.fingerprint}"


def change_title(change: ChangeShown) -> str:
    """Return what changes for users, in one sentence."""
    setting = f" under {change.setting}" if change.setting else ""
    kept = ", where an update leaves the value alone" if change.ratcheting else ""
    cause = f" ({change.cause})" if change.cause else ""
    return f"{change.effect}: {EFFECTS[change.effect]}{kept}{setting}, in {count(change.times, 'case')}{cause}"


def proof_of(proof: Proof) -> str:
    """Return what a proof says, in one sentence."""
    if proof.outcome == "counterexample":
        return f"counterexample, shown by the object above: {proof.why}"
    return f"proved for {proof.why}" if proof.outcome == "proved" else f"unknown: {proof.why}"


def calls_of(calls: CallsReached) -> str:
    """Return how many of the calls that report the error of a rule were reached, in one sentence."""
    uncounted = f"; besides, {calls.uncounted:,} without a counter" if calls.uncounted else ""
    excused = sum(1 for line in calls.missed if line.sort)
    left = len(calls.missed) - excused
    parts = [f"{left:,} not reached"] if left else []
    parts += [f"{excused:,} not reached for a reason"] if excused else []
    lines = f"; of the lines of these calls and on the way to them {' and '.join(parts)}" if parts else ""
    return f"{calls.reached:,} of {calls.size:,} that report this error reached{uncounted}{lines}"


def missed_of(line: MissedLine) -> str:
    """Return a line that was not reached, with its condition and the reason, if one is known."""
    what = "; leads to a call that reports" if line.leads else ""
    condition = f"; {line.condition}" if line.condition else ""
    behind = f" (of {line.behind}, behind which it is)" if line.behind else ""
    return f"{line.place}{condition}{what}; {line.reason or 'no reason is known'}{behind}"


def _missed_lines(line: MissedLine) -> Iterator[str]:
    yield f"not reached: {missed_of(line)}"
    if line.nearest is not None:
        case = line.nearest.case
        shown = compact(case.object, _MAX_NEAREST)
        yield f"  nearest: {name_case(case)} reached line {line.nearest.line}: {shown}"


def mutants_of(judged: MutantsJudged) -> str:
    """Return what became of the mutants of a rule and its check, in one sentence."""
    idle = f"; besides, {judged.idle:,} without an effect on what is compared" if judged.idle else ""
    equivalent = f"; besides, {judged.equivalent:,} listed as equivalent" if judged.equivalent else ""
    return f"{judged.noticed:,} of {judged.made:,} of the rule and its check noticed{equivalent}{idle}"


def left_of(record: Record) -> str:
    """Return a mutant that was not noticed, with its place, why, and what would show it."""
    place = f" at {record.location}" if record.location not in record.name else ""
    why = {"unreached": "no case reaches it", "unjudged": "it was not judged"}.get(record.state, record.reason)
    shown_by = f"; would be shown by {record.shown_by}" if record.shown_by else ""
    return f"{record.name}{place}: {why or 'no case that was asked shows a difference'}{shown_by}"


def evidence_of(one: Certificate) -> str:
    """Return what was asked about a rule, in one sentence."""
    asked = one.asked
    both, rule, check = (sum(getattr(each, name) for each in asked) for name in ("both", "rule", "check"))
    kept, held = sum(each.kept for each in asked), sum(each.held for each in asked)
    reached = sum(1 for each in asked if each.cases)
    limit = "at its limit" if one.limit is not None else "once"
    parts = [
        f"{count(sum(each.cases for each in asked), 'case')} in {reached} of {count(len(asked), 'request')}",
        f"rejected by both {both:,}, by the rule alone {rule:,}, by the check alone {check:,}",
        f"accepted {limit}: {'yes' if any(each.at_limit for each in asked) else 'no'}",
        f"bad old values let through by both {kept:,}, rejected by both {held:,}",
    ]
    return "; ".join(parts)


def markdown_of(document: Certificates) -> str:
    """Return the block for a pull request: the command, a table of all rules, and an object for each change."""
    lines = [f"### Graduation: {plain(document.subject)}", "", plain(headline(document)), ""]
    lines += [fence("made with", "console", visible(document.command)).rstrip(), ""]
    if document.servers:
        lines += [*(f"* {plain(server_of(one))}" for one in document.servers), "", plain(COUNTERS), ""]
    lines += ["| rule | error | level | verdict | why |", "|---|---|---|---|---|"]
    lines += [
        f"| {plain(one.name)} | {plain(one.words)} | {one.level} | **{one.verdict}** | {plain(_why(one))} |"
        for one in document.rules
    ]
    for one in document.rules:
        if one.change is not None:
            lines += ["", *_details(one, one.change)]
    return "\n".join(lines) + "\n"


def _why(one: Certificate) -> str:
    if one.change is not None:
        proved = one.proof is not None and one.proof.outcome == "proved"
        return EFFECTS[one.change.effect] + ("; the same on creates: proved" if proved else "")
    proof = f"; proof: {proof_of(one.proof)}" if one.proof is not None else ""
    mutants = f"; mutants: {mutants_of(one.mutants)}" if one.mutants is not None else ""
    calls = f"; calls: {calls_of(one.calls)}" if one.calls is not None and not one.calls.problem else ""
    return ("; ".join(one.missing) or evidence_of(one)) + calls + mutants + proof


def _details(one: Certificate, change: ChangeShown) -> Sequence[str]:
    title = f"{one.name}: {one.words}: {EFFECTS[change.effect]}"
    pair: Iterable[tuple[str, object]] = (
        [("old", change.old), ("new", change.object)] if change.operation == "update" else [("object", change.object)]
    )
    today, after = ("; ".join(errors) or "accepted" for errors in (change.today, change.after))
    words = (
        [plain(change.detail)] if change.effect == "finding" else [f"today: {plain(today)}", f"after: {plain(after)}"]
    )
    return [
        f"<details><summary>{plain(title)}</summary>", "", *(f"{word}<br>" for word in words), "",
        *(fence(name, "json", compact(value, 4000)).rstrip() + "\n" for name, value in pair), "</details>",
    ]  # fmt: skip
