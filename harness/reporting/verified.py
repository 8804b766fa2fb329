"""The verdict on a change in sentences, for a page that begins with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from harness.reporting.coverage import RuleEntry
from harness.reporting.document import Report
from harness.reporting.text import count
from harness.reporting.verdicts import HEADLINES
from harness.reporting.verification import Effort, FieldEntry, UserChange, Verification

DIRECTIONS: dict[str, str] = {
    "newly-rejected": "was accepted, is now rejected",
    "newly-accepted": "was rejected, is now accepted",
    "other-errors": "is rejected as before, with other errors",
}
VERDICTS: dict[str, str] = {
    "equivalent": "✓ equivalent as far as tried",
    "different": "✗ different",
    "not-tried": "! not tried",
}


def headline(report: Report, verification: Verification) -> str:
    """Say in a line what came out."""
    words = "Nothing touched" if verification.nothing_touched else HEADLINES[report.verdict][0]
    return words + (" (interrupted)" if report.stopped == "interrupted" else "")


def lead(report: Report, verification: Verification) -> str:
    """Say what the change touches and how it was judged."""
    if verification.nothing_touched:
        return verification.nothing_touched
    verdicts = Counter[str](field.verdict for field in verification.fields)
    told = ", ".join(
        f"{verdicts[name]:,} {words}"
        for name, words in (
            ("different", "different"),
            ("equivalent", "equivalent as far as tried"),
            ("not-tried", "not tried"),
        )
        if verdicts[name]
    )
    touched = (
        f"The change touches {count(len(verification.fields), 'field')} ({told})." if told else "No field is touched."
    )
    if not report.cases:
        return f"{touched} Nothing was asked; why stands below."
    changed = count(len(verification.changes), "change")
    return (
        f"{touched} Base and head were asked the same questions ({report.cases:,} in all): "
        f"users notice {changed if verification.changes else 'no change'}."
    )


def effort_words(effort: Effort) -> str:
    """Say how hard a field was tried."""
    if not effort.cases:
        return "No question had a value there."
    return (
        f"{count(effort.cases, 'question')} had a value there or changed it: {count(effort.creates, 'create')} and "
        f"{count(effort.updates, 'update')}, of which {effort.changed:,} gave it another value and {effort.kept:,} "
        f"left it alone; {effort.accepted:,} were accepted by both sides. The handwritten code reported an error there "
        f"{effort.handwritten:,} times, the rules {effort.declarative:,} times. Base and head were compared on "
        f"{effort.compared:,}."
    )


def rule_words(rule: RuleEntry) -> str:
    """Say what was seen of a rule."""
    if rule.cannot:
        return f"cannot fire: {rule.cannot}"
    limit = "" if rule.limit is None else f" at its limit, {rule.limit}"
    by_hand = f"the handwritten counterpart on {' and '.join(rule.handwritten)}"
    parts = [
        f"fired on {' and '.join(rule.declarative)}" if rule.declarative else "never fired",
        by_hand if rule.handwritten else "no handwritten counterpart seen",
        f"accepted{limit}" if rule.accepted else f"not seen accepted{limit}",
    ]
    if rule.limit is not None:
        parts.append("rejected just beyond" if rule.rejected else "not seen rejected just beyond")
    return ", ".join(parts)


def fields_worst_first(verification: Verification) -> Iterator[FieldEntry]:
    """Return the fields that differ first, then those that were not tried."""
    order = ("different", "not-tried", "equivalent")
    yield from sorted(verification.fields, key=lambda field: order.index(field.verdict))


def change_title(change: UserChange) -> str:
    """Name the request that users are told something else about."""
    finding = change.finding
    version = f"{finding.group}/{finding.version}" if finding.group else finding.version
    resource = finding.resource + (f"/{finding.subresource}" if finding.subresource else "")
    return f"{version} {resource} {finding.operation}"
