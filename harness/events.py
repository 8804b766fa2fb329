"""What a run tells while it goes on, and what it returns in the end. Plain data, no report, no command line."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import msgspec

from harness.case import Excluded, KindInfo, TargetInfo
from harness.compare.finding import Finding
from harness.errormatch.witness import Shown


class Budget(msgspec.Struct, frozen=True):
    """How much a run may ask: seconds, cases, or both; the first limit that is reached ends it."""

    max_time: float | None = None
    max_cases: int | None = None


class KindReport(msgspec.Struct, frozen=True):
    """What was done for one kind and operation.

    `has_seed` says whether a seed object (for update: a pair) that both sides accept was found; if not, `remaining`
    holds the texts of the errors that remained on the best candidate, those that nothing silenced first, and `sides`
    who reports each: handwritten, declarative or both. `seed_search_complete` says that the search for one came to its
    end, so that there being none says something; a limit of time cuts it short. `failures` counts answers with a
    failure.
    `error` is set when the search of this kind stopped on an internal problem: it is reported, never hidden.
    `paths` counts those of the type, `accepted_paths` those that occur in an accepted object, `unaccepted_paths` are
    the outermost of the others, each with the error that rejected it, `rejected_paths` counts those that some error
    rejected: what is neither was not tried. All four stand at the first operation of a type, for all that share it.
    `changed_paths` are those that an accepted update changes.
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


class Expected:
    """What both sides said of an object, and what its author expects: `accepted`, or `rejected`."""

    __slots__ = ()
    expected: str
    handwritten: tuple[str, ...]
    declarative: tuple[str, ...]
    failure: str

    @property
    def is_accepted(self) -> bool:
        """Whether both sides accept it."""
        return not (self.handwritten or self.declarative or self.failure)

    @property
    def is_as_expected(self) -> bool:
        """Whether it is what its author expects."""
        return self.is_accepted == (self.expected == "accepted")


class ExampleReport(Expected, msgspec.Struct, frozen=True):
    """What both sides said of an object of the user's own, for one kind and operation.

    `source` is its file and line. `expected` says what its author expects: `accepted`, or `rejected` by the name of its
    file. `handwritten` and `declarative` are the texts of the errors of both sides, `failure` says why there are none.
    """

    source: str
    kind: KindInfo
    operation: str
    expected: str
    handwritten: tuple[str, ...] = ()
    declarative: tuple[str, ...] = ()
    failure: str = ""


class Timings(msgspec.Struct, frozen=True):
    """Where the time of the harness went. Units: seconds, summed over jobs."""

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
    """Sent about four times a second. `fraction` is of the budget, 0 to 1.

    `findings` counts different ones, those that an exception will tolerate too.
    """

    cases: int
    seconds: float
    findings: int
    fraction: float
    current: str = ""


class Met(msgspec.Struct, frozen=True):
    """A difference of a new signature, as it was met: not reduced, not explained.

    `kind` is the name people use, `phase` the phase of the search that met it (`harness.engine.phases`).
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
    """A new finding, reduced."""

    finding: Finding


class Noted(msgspec.Struct, frozen=True):
    """Something a person should read now: a worker was restarted, a corpus file was unreadable."""

    text: str


STOPPED = ("interrupted", "internal-error", "target-lost", "budget", "saturated", "exhausted")
"""The ways a run ends, in the order in which one of several is told: who interrupts a run is told so, whatever else."""
LOST = frozenset({"internal-error", "target-lost"})
"""Those after which nobody knows what the run would have found."""


def how_bad(stopped: str) -> int:
    """Order the ways a run ends as `STOPPED` does, last what a newer harness wrote and this one does not know."""
    return STOPPED.index(stopped) if stopped in STOPPED else len(STOPPED)


LONGER = 5
"""How much longer a run is thought of, when it is told what more it would meet."""


class Discovery(msgspec.Struct, frozen=True):
    """When new differences came, and how many more a longer run would meet.

    `signatures` were met, `last` is when the last new one came, in seconds of the run, and `quarters` how many came in
    each quarter of it.
    """

    signatures: int = 0
    last: float = 0.0
    quarters: tuple[int, int, int, int] = (0, 0, 0, 0)

    @property
    def further(self) -> int | None:
        """How many more a run `LONGER` times as long would meet, None while discovery does not slow down.

        New differences are taken to come ever more rarely, by a power of the time that the last three quarters show. It
        gives the order of magnitude, and knows nothing of what this search can never meet.
        """
        if not self.quarters[3]:
            return 0
        ages = [math.log(1.5 + number) for number in range(3)]  # in quarters; the first one holds the start
        rates = [math.log(max(0.5, met)) for met in self.quarters[1:]]
        age, rate = sum(ages) / 3, sum(rates) / 3
        spread = sum((x - age) ** 2 for x in ages)
        power = sum((x - age) * (rate - y) for x, y in zip(ages, rates, strict=True)) / spread
        if power <= 0:
            return None
        first = math.exp(rate + power * age)
        if math.isclose(power, 1.0):
            return round(first * math.log(LONGER))
        whole = math.pow(4 * LONGER, 1 - power) - math.pow(4, 1 - power)
        return round(first * whole / (1 - power))


class Replayed(msgspec.Struct, frozen=True):
    """What a case of the witness of an exception shows now. `failure` says why nobody knows."""

    exception: str
    case: int
    shown: tuple[Shown, ...] = ()
    failure: str = ""


class Result(msgspec.Struct, frozen=True):
    """What a run returns, whether it ended by its budget, by an interrupt or by the loss of its target.

    `compared` counts cases whose two lists were really compared (answers without failure). `composition_checked` and
    `composition_differences` count the cases where the target's own served lists were compared with ours.
    `part` names it among the parts of one run: the subject, and the feature gates that were asked for. `beside` says
    that it ran at the same time as the part before it. `discovery` says when what was new came. `between` names two
    targets whose users were compared, the one they have first; empty for the two sides of one. `allow_incomplete` are
    patterns of kinds that the subject itself lets be incomplete. `examples` says what became of the user's own objects.
    `stopped` is one of `STOPPED`; `stopped_detail` explains those that are `LOST`. `shard` is
    `2/4` when only every fourth unit was searched, empty for all. `observed` has what each observer saw, by its name:
    one outcome for each unit, in the order of units. `replayed` has what the witnesses of exceptions show.
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


class Finished(msgspec.Struct, frozen=True):
    """The last event of a run."""

    result: Result


Event: TypeAlias = Started | Progress | Met | Found | Noted | Finished
