"""What the search of every kind does, in this order: `PHASES`. A phase is one function over the search of one kind.

A phase yields batches of cases, is sent their answers, and leaves what it learnt with the search. How much of the time
a search gets against the searches of other kinds is a property of the phase it is in.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

from harness import tuning
from harness.case import Case, Json
from harness.engine.asker import BATCH, UnitAsker, Wanted
from harness.engine.boundaryphase import EVERY_PROBE, PASSES, flip_options
from harness.engine.plan import Ahead, Search, key_of
from harness.engine.versions import through_versions
from harness.fuzzers.bases import starts
from harness.fuzzers.slim import smallest_first

if TYPE_CHECKING:
    from harness.engine.search import UnitSearch

S = TypeVar("S", bound=UnitAsker)
PhaseName: TypeAlias = Literal["replay", "aim", "seed", "grow", "versions", "boundaries", "random", "retry", "lend"]


@dataclass(frozen=True, slots=True)
class Phase(Generic[S]):
    """A part of the search of a kind.

    `weight` says how much more time a search gets while it is in this phase, until it has taken so many `seconds` in
    all. Where it `is_flat`, neither the weight of the kind nor what it has shown changes that.
    """

    name: PhaseName
    run: Callable[[S], Search]
    weight: float = 1.0
    seconds: float = math.inf
    is_flat: bool = False


def replay(search: UnitSearch) -> Search:
    """Ask the cases of the corpus, the witnesses of exceptions, and the user's own examples."""
    lanes = {state.lane.key: state.lane for state in search.ledger.states.values()}
    known = [(lanes.get((key_of(case), case.operation)), case) for case in search.plan.corpus]
    wanted = [(lane, case) for lane, case in known if lane is not None]
    for _, case in wanted:
        search.points.add(case.object)
    yield from search.given.replay(search, wanted)
    # What they show is explained when there are objects to compare them with.
    shown = [(lanes.get((key_of(case), case.operation)), case) for case in search.plan.witnesses]
    yield from search.ask([(lane, case.object, case.old, None) for lane, case in shown if lane], settle=False)
    yield from search.given.offer(search)


def aim_unseeded(search: UnitSearch) -> Search:
    """Go for rules from the barest objects: many rules speak whatever else is wrong with an object."""
    first = starts(search.plan.shape, search.seed_search.root())
    yield from search.aim_phase.run(first, tuning.AIM_UNSEEDED, settle=False, most=search.left() // 4)
    # The server writes most of the metadata itself, whatever a request says.
    yield from search.aim_phase.as_it_stands(first, "metadata.")


def seed(search: UnitSearch) -> Search:
    """Find an object that both sides accept for every operation, and an update that changes something."""
    yield from search.seed_search.run()


def aim(search: UnitSearch) -> Search:
    """Go for what observers still want to see, from the seed objects that there are."""
    seeds = [base.obj for base in search.points.bases]
    # What is met is explained afterwards: where differences are many it takes long, and aims are worth more.
    yield from search.aim_phase.run(seeds, tuning.AIM_SEEDED, settle=False)
    yield from search.aim_phase.as_it_stands(seeds)
    yield from search.aim_phase.run(seeds, tuning.AIM_LIMITS, "accept")


def grow(search: UnitSearch) -> Search:
    """Make the seed objects fuller, and look for differences around the first ones, which are small, as they grow."""
    yield from search.writable.learn(search.points.bases[0].obj)
    yield from _near(search)
    yield from in_turns(search, (search.growth_phase.run(), tuning.GROWTH), (_meanwhile(search), tuning.PASS))


def aim_again(search: UnitSearch) -> Search:
    """Go for what is still wanted from the grown objects; then let go of all that was aimed at."""
    yield from aim(search)
    del search.aim_phase


def versions(search: UnitSearch) -> Search:
    """Compare the lists of all versions where versions differ; before that, go through what the search leans to."""
    yield from _near(search)
    yield from through_versions(search, search.points.bases)
    if search.plan.near:  # the places themselves were gone through
        yield from _until_saturated(search)


def boundaries(search: UnitSearch) -> Search:
    """Put every boundary value at every path of every seed object, with random rounds between the passes."""
    bases = smallest_first(search.points.bases)  # growth has ended: no more come
    for number, (turns, places) in enumerate(() if search.is_saturated else PASSES):
        before = search.asked
        yield from search.boundary_phase.run(bases, turns, places)
        yield from rounds(search, search.asked + (search.asked - before) // 2)
        yield from search.boundary_phase.cross(bases)
        for options in flip_options(search) if not number else ():
            yield from search.boundary_phase.with_options(options).run(bases, turns)


def draw(search: UnitSearch) -> Search:
    """Draw cases until the budget is used up, or until nothing new shows where that is enough."""
    yield from _until_saturated(search)
    if not search.is_saturated:
        yield from rounds(search, None)


def retry(search: UnitSearch) -> Search:
    """Ask again what failed while others looked for objects to lend, and explain what is left."""
    search.borrows = True
    while search.waits():
        yield []
    for stock in search.plan.stocks:
        search.ledger.suspect(stock.failed)
    yield from search.settle()


PHASES: tuple[Phase[UnitSearch], ...] = (
    Phase("replay", replay, tuning.UNSEEDED, is_flat=True),
    Phase("aim", aim_unseeded, tuning.UNSEEDED, is_flat=True),
    Phase("seed", seed, tuning.UNSEEDED, is_flat=True),
    Phase("aim", aim, tuning.HASTE, tuning.HASTY),
    Phase("grow", grow),
    Phase("aim", aim_again),
    Phase("versions", versions),
    Phase("boundaries", boundaries),
    Phase("random", draw),
    Phase("retry", retry),
)


def in_turns(search: UnitAsker, *parts: tuple[Search, int]) -> Search:
    """Run every part to its end, at least so many questions of it at a time. A part is stopped between batches."""
    waiting: list[tuple[Search, int, list[Case] | None]] = [(part, turn, None) for part, turn in parts]
    while waiting:
        part, turn, batch = waiting.pop(0)
        until = search.asked + turn
        try:
            if batch is None:
                batch = next(part)
            while search.asked < until:
                batch = part.send((yield batch))
        except StopIteration:
            continue
        waiting.append((part, turn, batch))


def _near(search: UnitSearch) -> Search:
    """Go through every probe at the places that the search leans to, from every base, before anything else."""
    if search.points.near:
        yield from search.boundary_phase.run(list(search.points.bases), EVERY_PROBE, "near")


def _meanwhile(search: UnitSearch) -> Search:
    if not search.growth_phase.is_done:
        yield from search.boundary_phase.run(list(search.points.bases), range(5), "new")
    while not search.growth_phase.is_done and not search.is_spent():
        yield from rounds(search, search.asked + 1)


def _until_saturated(search: UnitSearch) -> Search:
    """Where that is enough, draw until so many questions in a row have shown nothing new."""
    since, known = search.asked, search.ledger.discoveries
    while search.plan.near.until_saturated and not search.is_saturated and not search.is_spent():
        yield from rounds(search, search.asked + 1)
        if search.ledger.discoveries > known:
            since, known = search.asked, search.ledger.discoveries
        search.is_saturated = search.asked - since >= tuning.SATURATED


def rounds(search: UnitSearch, until: int | None) -> Search:
    """Draw batches until so many cases were asked, or until the budget is used up.

    With others to be asked meanwhile, one after the other. Alone, the target works on the next while one is compared,
    so that what it shows leads the batches after the next.
    """
    sent: deque[tuple[Ahead, list[Json]]] = deque()
    while True:
        yield []
        while len(sent) < (tuning.AHEAD if search.plan.draws_ahead else 1) and not _has_drawn(search, until):
            wanted = _draw_batch(search)
            sent.append((Ahead(search.cases_of(wanted)), [base for _, _, _, base in wanted]))
            yield sent[-1][0]
        if not sent:
            return
        cases, bases = sent.popleft()
        answers = yield cases
        search.ledger.examine(cases, answers, bases)
        yield from search.settle()


def _has_drawn(search: UnitSearch, until: int | None) -> bool:
    return search.is_spent() or (until is not None and search.asked >= until)


def _draw_batch(search: UnitSearch) -> list[Wanted]:
    lanes = [state.lane for state in search.ledger.states.values()]
    return [search.random_phase.draw(lanes[n % len(lanes)], n % len(lanes)) for n in range(min(BATCH, search.left()))]
