"""The words, ranks and colours of severities, verdicts and directions in reports: one table for each.

A format chooses a column of a table, and has no words of its own. Colours are those of a terminal; the HTML page has a
class for each tone in its style sheet. The order of a table is the rank, worst first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias, cast

from harness.compare.cause import Certainty
from harness.compare.finding import SEVERITIES, Finding, Severity
from harness.compare.mismatch import Side
from harness.compare.two_servers import Direction

ALARM, FAULT, DOUBT, HINT, GOOD, DONE = "bold red", "red", "bold yellow", "yellow", "bold green", "green"
"""Styles on a terminal: what fails a run, problems that add to it, what is uncertain, hints, a good result, done."""

Level: TypeAlias = Literal["error", "warning", "note"]
"""The level of a finding on code hosts. An error changes which requests are accepted; a warning is visible to users."""
LEVELS: tuple[Level, ...] = ("error", "warning", "note")
"""Worst first."""

Verdict: TypeAlias = Literal["equivalent", "different", "nothing-compared", "incomplete"]
"""The verdict of a run. `equivalent`: nothing fails it. `different`: a difference or an exception fails it.

`nothing-compared`: no two error lists were compared. `incomplete`: nothing fails it, but a target was lost, or a kind
could not be searched, or has no accepted object.
"""

FieldVerdict: TypeAlias = Literal["equivalent", "different", "not-tried"]
"""The verdict on a touched field. `equivalent`: as far as it was tried. `different`: there are findings, or users are
served other errors."""


class SeverityWords(NamedTuple):
    """The meaning of a severity, its style on a terminal, its level on code hosts, and what else has it."""

    meaning: str
    style: str
    level: Level
    more: str = ""

    @property
    def summary(self) -> str:
        """What it means of any finding."""
        return self.meaning + self.more


SEVERITY: Mapping[Severity, SeverityWords] = {
    "verdict": SeverityWords(
        "accepted under one gate setting and rejected under another, today", "bold red", "error", "; or a crash"
    ),
    "graduation": SeverityWords("the verdict changes once the migration is finished", "bold magenta", "error"),
    "visible": SeverityWords("rejected everywhere, with different errors", "yellow", "warning"),
    "shadow": SeverityWords("only the mismatch metric shows it", "cyan", "note"),
    "unreachable": SeverityWords("only by calling validators directly", "dim", "note"),
}  # fmt: skip


CERTAINTY: Mapping[Certainty, str] = {
    "observed": "seen in the answer itself",
    "experiment": "by experiment",
    "remains": "what remains",
}
"""How sure a cause is, surest first; a cause that was not looked for has no such word."""

CRASH: Mapping[Side, str] = {
    "": "the target crashes instead of answering the request, today",
    "handwritten": "the handwritten validator crashes instead of answering the request, today",
    "declarative": "a rule crashes, and the request fails with an internal error, today",
}
"""What a crash of severity `verdict` means, by the side that crashes."""


OF_TWO: Mapping[Severity, str] = {
    "verdict": "accepted by one of the two, rejected by the other",
    "visible": "rejected by both, with other errors",
}
"""What a severity means between two targets, or an old and a new validator: gates have no part in it."""


OF_GENERATED: Mapping[Severity, str] = {
    "verdict": "accepted by the generated code and rejected by its tags, or the other way round, today",
    "graduation": "accepted by one of generated code and tags alone, once the migration is finished",
    "visible": "users read other errors than the tags declare, today",
}
"""What a severity means where generated code differs from its tags: what changes once it is generated anew."""


OF_CONVERSION: Mapping[Severity, str] = {
    "visible": "who writes what they read in another version stores another object, today",
}
"""What a severity means where a conversion loses something: nothing is rejected."""


def meaning_of(finding: Finding) -> str:
    """Say what the severity of a finding means: no setting of the gates is to blame for a crash."""
    if len(finding.between) == 2 and finding.mismatch == "panic":
        after, before = reversed(finding.between)
        return f"{after if finding.side == 'handwritten' else before} crashes instead of answering"
    if finding.between and finding.severity in OF_TWO:
        return OF_TWO[finding.severity]
    if finding.mismatch == "generated" and finding.severity in OF_GENERATED:
        return OF_GENERATED[finding.severity]
    if finding.mismatch == "conversion" and finding.severity in OF_CONVERSION:
        return OF_CONVERSION[finding.severity]
    if finding.mismatch == "panic" and finding.severity == "verdict":
        return CRASH[cast(Side, finding.side)]
    return SEVERITY[finding.severity].meaning


def rank(severity: Severity) -> int:
    """Return the rank of a severity, 0 for the worst."""
    return SEVERITIES.index(severity)


class VerdictWords(NamedTuple):
    """The words for the verdict of a run, and of a run on a change, its style on a terminal, and its mark."""

    words: str
    of_change: str
    style: str
    mark: str


VERDICT: Mapping[Verdict, VerdictWords] = {
    "different": VerdictWords("Not equivalent", "Not fit to merge as it is", ALARM, "✗"),
    "nothing-compared": VerdictWords("Nothing was compared", "Nothing was compared", ALARM, "!"),
    "incomplete": VerdictWords(
        "Incomplete", "Incomplete: nothing speaks against it, but not everything could be tried", DOUBT, "!"
    ),
    "equivalent": VerdictWords("Equivalent as far as we looked", "Equivalent as far as we looked", GOOD, "✓"),
}


class FieldWords(NamedTuple):
    """The words for the verdict on a touched field, its mark, label and style on a terminal, and tone on a page."""

    words: str
    mark: str
    loud: str
    style: str
    tone: str

    @property
    def marked(self) -> str:
        """The mark, followed by the words."""
        return f"{self.mark} {self.words}"


FIELD_VERDICT: Mapping[FieldVerdict, FieldWords] = {
    "different": FieldWords("different", "✗", "DIFFERENT", ALARM, "bad"),
    "not-tried": FieldWords("not tried", "!", "NOT TRIED", DOUBT, "visible"),
    "equivalent": FieldWords("equivalent as far as tried", "✓", "equivalent", GOOD, "good"),
}


class DirectionWords(NamedTuple):
    """The words for a change for users, its tone on a page, and its style between two servers and in a reviewed change.

    The styles differ because newly accepted objects are expected when users move to another server, but not when a
    change is merged.
    """

    words: str
    tone: str
    of_move: str
    of_change: str


DIRECTION: Mapping[Direction, DirectionWords] = {
    "newly-rejected": DirectionWords("was accepted, is now rejected", "bad", ALARM, ALARM),
    "newly-accepted": DirectionWords("was rejected, is now accepted", "visible", DOUBT, ALARM),
    "other-errors": DirectionWords("is rejected as before, with other errors", "visible", "cyan", HINT),
}
