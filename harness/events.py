"""The events that a run emits, and the result that it returns. Plain data: no report, no command line."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import msgspec

from harness.case import Excluded, KindInfo, TargetInfo
from harness.compare.finding import Finding
from harness.errormatch.witness import Shown


class Budget(msgspec.Struct, frozen=True):
    """The limits of a run in seconds, cases, or both; the run ends at the first limit that it reaches."""

    max_time: float | None = None
    max_cases: int | None = None


class KindReport(msgspec.Struct, frozen=True):
    """The outcome for one kind and operation.

    `has_seed`: a seed object (for update: a pair) was found that both the handwritten and the declarative validators
    accept. If none was, `remaining` holds the texts of the errors on the best candidate, errors that no edit removed
    first, and `sides` says who reports each: handwritten, declarative or both. `seed_search_complete`: no time limit
    cut that search short, so that a missing seed is a result.
    `failures` counts answers with a failure, `too_large` those among them with more errors than are kept.
    `error` is the internal error that stopped the search of this kind; it is always reported.
    `paths` counts the paths of the type, `accepted_paths` those that occur in an accepted object; `unaccepted_paths`
    are the outermost of the others, each with the error that rejected it; `rejected_paths` counts those that an error
    rejected. A path that is neither was not tried. Operations that share a type share these four: the first one has
    them. `changed_paths` are the paths that an accepted update changes.
    """

    kind: KindInfo
    operation: str
    cases: int
    accepted: int
    has_seed: bool
    remaining: tuple[str, ...] = ()
    failures: int = 0
    error: str = ""
    paths: int = 0
    accepted_paths: int = 0
    unaccepted_paths: tuple[tuple[str, str], ...] = ()
    changed_paths: tuple[str, ...] = ()
    rejected_paths: int = 0
    sides: tuple[str, ...] = ()
    seed_search_complete: bool = False
    too_large: int = 0


class Expected:
    """The errors for an object of the user, and the verdict that its author expects: `accepted` or `rejected`."""

    __slots__ = ()
    expected: str
    handwritten: tuple[str, ...]
    declarative: tuple[str, ...]
    failure: str

    @property
    def is_accepted(self) -> bool:
        """Whether neither the handwritten nor the declarative validators report an error."""
        return not (self.handwritten or self.declarative or self.failure)

    @property
    def is_as_expected(self) -> bool:
        """Whether the verdict is the one that its author expects."""
        return self.is_accepted == (self.expected == "accepted")


class ExampleReport(Expected, msgspec.Struct, frozen=True):
    """The outcome for one of the user's example objects, for one kind and operation.

    `source` is its file and line. `expected` is the verdict that its author expects: `accepted`, or `rejected` by the
    name of the file. `handwritten` and `declarative` are the texts of the errors; `failure` says why there is no
    answer.
    """

    source: str
    kind: KindInfo
    operation: str
    expected: str
    handwritten: tuple[str, ...] = ()
    declarative: tuple[str, ...] = ()
    failure: str = ""


class Timings(msgspec.Struct, frozen=True):
    """The time that the harness itself took, by activity. Units: seconds, summed over jobs."""

    generate: float = 0.0
    encode: float = 0.0
    wait: float = 0.0
    compare: float = 0.0


class Started(msgspec.Struct, frozen=True):
    """The first event of a run."""

    target: TargetInfo
    seed: int
    budget: Budget
    kinds: int


class Progress(msgspec.Struct, frozen=True):
    """The progress of a run, sent about four times a second. `fraction` is that of the budget used, 0 to 1.

    `findings` counts distinct findings, including those that the exceptions file tolerates.
    """

    cases: int
    seconds: float
    findings: int
    fraction: float
    current: str = ""


class Met(msgspec.Struct, frozen=True):
    """A difference with a new signature, as first seen: neither reduced nor explained yet.

    `kind` is the displayed name of the kind, `phase` the phase of the search (`harness.engine.phases`).
    """

    kind: str
    operation: str
    mismatch: str
    path: str
    type: str = ""
    origin: str = ""
    side: str = ""
    phase: str = ""


class Found(msgspec.Struct, frozen=True):
    """A new finding, after its case was reduced and its cause explained."""

    finding: Finding


class Noted(msgspec.Struct, frozen=True):
    """A message for the user: a worker was restarted, a corpus file was unreadable."""

    text: str


STOPPED = ("interrupted", "internal-error", "target-lost", "budget", "saturated", "exhausted")
"""Why a run ended. Of several reasons, such as those of several processes, the first in this order is reported."""
LOST = frozenset({"internal-error", "target-lost"})
"""The reasons after which the findings of a run are incomplete in a way that no budget explains."""


def stop_rank(stopped: str) -> int:
    """Return the position of a reason in `STOPPED`; an unknown one, written by a newer harness, comes last."""
    return STOPPED.index(stopped) if stopped in STOPPED else len(STOPPED)


LONGER_RUN_FACTOR = 5
"""The estimate of further differences is for a run this many times as long."""


class Discovery(msgspec.Struct, frozen=True):
    """When new differences were seen, and an estimate of how many more a longer run would see.

    `signatures` counts the distinct ones, `last` is the age of the run when the last new one was seen, in seconds, and
    `quarters` counts them by quarter of the run.
    """

    signatures: int = 0
    last: float = 0.0
    quarters: tuple[int, int, int, int] = (0, 0, 0, 0)

    @property
    def further_differences(self) -> int | None:
        """Estimate how many more a run `LONGER_RUN_FACTOR` times as long would see; None while the rate does not drop.

        The rate of new differences is modelled as a negative power of time, fitted to the last three quarters. This
        gives an order of magnitude, and cannot include differences that this search never reaches.
        """
        if not self.quarters[3]:
            return 0
        ages = [math.log(1.5 + number) for number in range(3)]  # in quarters, without the first: its rate is untypical
        rates = [math.log(max(0.5, count)) for count in self.quarters[1:]]
        age, rate = sum(ages) / 3, sum(rates) / 3
        spread = sum((x - age) ** 2 for x in ages)
        power = sum((x - age) * (rate - y) for x, y in zip(ages, rates, strict=True)) / spread
        if power <= 0:
            return None
        first = math.exp(rate + power * age)
        if math.isclose(power, 1.0):
            return round(first * math.log(LONGER_RUN_FACTOR))
        whole = math.pow(4 * LONGER_RUN_FACTOR, 1 - power) - math.pow(4, 1 - power)
        return round(first * whole / (1 - power))


class Replayed(msgspec.Struct, frozen=True):
    """The differences that a case of an exception's witness shows now (a witness is the case that shows a tolerated
    finding). `failure` says why the case has no answer.
    """

    exception: str
    case: int
    shown: tuple[Shown, ...] = ()
    failure: str = ""


class Result(msgspec.Struct, frozen=True):
    """The result of a run, whether its budget, an interrupt or the loss of its target ended it.

    `compared` counts the cases whose handwritten and declarative lists were compared (answers without failure).
    `composition_checked` counts those whose served list was compared with the one composed here, and
    `composition_differences` those where they differ. `generated_checked` counts those whose declarative list was
    compared with that of the target's own tags, `round_trips_checked` the accepted objects that were converted to each
    version and back.
    `part` names one part of a run: the subject and its feature gates. `beside`: it ran at the same time as the part
    before it. `between` names the two targets that were compared, the current one first; it is empty when the
    handwritten and the declarative validators of one target were. `allow_incomplete` are patterns of kinds whose search
    may be incomplete according to the subject. `stopped` is one of `STOPPED`, and `stopped_detail` explains those in
    `LOST`. `shard` is `2/4` when only a part of the units was searched, empty for all. `observed` has the outcomes of
    each observer by its name, one for each unit in order. `replayed` are the replayed witnesses of exceptions.
    """

    subject: str
    target: TargetInfo
    mode: str
    seed: int
    budget: Budget
    started: str
    seconds: float
    cases: int
    compared: int
    composition_checked: int
    composition_differences: int
    kinds: tuple[KindReport, ...]
    findings: tuple[Finding, ...]
    excluded: tuple[Excluded, ...]
    timings: Timings
    stopped: str = "budget"
    stopped_detail: str = ""
    restarts: int = 0
    shard: str = ""
    observed: dict[str, tuple[Any, ...]] = {}
    part: str = ""
    beside: bool = False
    discovery: Discovery = Discovery()
    between: tuple[str, ...] = ()
    allow_incomplete: tuple[str, ...] = ()
    examples: tuple[ExampleReport, ...] = ()
    replayed: tuple[Replayed, ...] = ()
    generated_checked: int = 0
    round_trips_checked: int = 0


class Finished(msgspec.Struct, frozen=True):
    """The last event of a run."""

    result: Result


Event: TypeAlias = Started | Progress | Met | Found | Noted | Finished
