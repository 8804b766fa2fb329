"""The phases of a search, in the order of `PHASES`. A phase is one function over the search of one unit.

A phase yields batches of cases, is sent their answers, and stores its results in the search. The current phase also
determines how much time a search gets compared with the searches of other units.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

from harness import tuning
from harness.case import Case, Json
from harness.engine.asker import BATCH, CaseSpec, UnitAsker
from harness.engine.boundaryphase import EVERY_PROBE, PASSES, flip_options
from harness.engine.plan import Ahead, Search, is_as_drawn, key_of
from harness.engine.units import RequestKind
from harness.engine.versions import compare_versions
from harness.fuzzers.repair import first_candidates
from harness.fuzzers.smallseeds import smallest_first

if TYPE_CHECKING:
    from harness.engine.search import UnitSearch

S = TypeVar("S", bound=UnitAsker)
PhaseName: TypeAlias = Literal[
    "replay", "aim", "seed", "grow", "combined", "versions", "boundaries", "random", "retry", "donate"
]


@dataclass(frozen=True, slots=True)
class Phase(Generic[S]):
    """A phase of a search.

    `weight` multiplies the time that a search gets in this phase, until it has taken `seconds` in all. `is_flat`: the
    weight of the unit and its discoveries do not change that time.
    """

    name: PhaseName
    run: Callable[[S], Search]
    weight: float = 1.0
    seconds: float = math.inf
    is_flat: bool = False


def replay(search: UnitSearch) -> Search:
    """Ask the cases of the corpus, the witnesses of tolerated findings, and the user's examples."""
    # Their differences are explained later, when there are accepted objects to reduce them to: explaining all that an
    # earlier run found may take the whole share. Cases of findings come first: what is drawn later reaches a rule again
    # sooner than a finding.
    kept = _with_requests(search, search.plan.corpus)
    for _, case in kept:
        search.points.add(case.object)
    yield from search.given.replay(search, kept)
    yield from _reach_again(search)
    yield from search.ask_again(_with_requests(search, search.plan.witnesses))
    yield from search.given.offer(search)


def _reach_again(search: UnitSearch) -> Search:
    """Ask the cases with which an earlier run reached rules and code, each as it was asked; at most half of the rest.

    They are no points to edit: there are more of them than a search has time for.
    """
    found = _with_requests(search, search.plan.reaching)[: search.left() // 2]
    drawn = [(request, case.object, case.old, None) for request, case in found if is_as_drawn(search.plan, case)]
    yield from search.ask(drawn, settle=False)
    shown: dict[tuple[tuple[str, bool], ...], list[CaseSpec]] = {}
    for request, case in found:
        if not is_as_drawn(search.plan, case):
            shown.setdefault(tuple(case.options.items()), []).append((request, case.object, case.old, None))
    for options, specs in shown.items():
        yield from search.show(specs, dict(options))


def aim_unseeded(search: UnitSearch) -> Search:
    """Pursue aims from minimal objects: many rules fire whatever else is wrong with an object."""
    first = first_candidates(search.plan.shape, search.seed_search.root())
    until = search.asked + search.left() // tuning.AIMS_UNSEEDED_PART
    yield from search.aim_phase.run(first, tuning.AIM_UNSEEDED, settle=False, until=until)
    # Most metadata of a request is overwritten by the server, so these rules fire only without preparation.
    yield from search.aim_phase.run_as_given(first, "metadata.")


def seed(search: UnitSearch) -> Search:
    """Find an accepted object for every operation, and an accepted update that changes something."""
    yield from search.seed_search.run()


def aim(search: UnitSearch) -> Search:
    """Pursue the aims of observers from the first seed objects, with at most a part of the cases that are left."""
    yield from _aim(search, search.asked + search.left() // tuning.AIMS_PART)


def _aim(search: UnitSearch, until: float = math.inf) -> Search:
    seeds = [base.obj for base in search.points.seeds]
    # Differences are explained afterwards: many of them take long, and aims are worth more.
    yield from search.aim_phase.run(seeds, tuning.AIM_SEEDED, settle=False, until=until)
    yield from search.aim_phase.run_as_given(seeds, until=until)
    yield from search.aim_phase.run(seeds, tuning.AIM_LIMITS, "accept", until=until)


def grow(search: UnitSearch) -> Search:
    """Grow the seed objects, and meanwhile probe the first ones, which are small."""
    yield from search.writable.learn(search.points.seeds[0].obj)
    yield from _probe_focused_paths(search)
    yield from in_rotation(
        search, (search.growth_phase.run(), tuning.GROWTH), (_probe_during_growth(search), tuning.PASS)
    )


def combined(search: UnitSearch) -> Search:
    """Put boundary values at many paths of the grown seed objects at once, unless a few are in focus."""
    if not search.plan.focused:
        yield from search.combined_phase.run(list(search.points.seeds))


def aim_again(search: UnitSearch) -> Search:
    """Pursue the remaining aims from the grown objects; then free the state of aims."""
    yield from _aim(search)
    del search.aim_phase


def versions(search: UnitSearch) -> Search:
    """Compare the lists of all versions at paths where versions differ; probe focused paths before that."""
    yield from _probe_focused_paths(search)
    yield from compare_versions(search, search.points.seeds)
    if search.plan.focused:  # all probes at the focused paths themselves were asked above
        yield from _until_saturated(search)


def boundaries(search: UnitSearch) -> Search:
    """Put every boundary value at every path of every seed object, with random rounds between the passes."""
    seeds = smallest_first(search.points.seeds)  # growth has ended, so there will be no more
    for number, (turns, paths) in enumerate(() if search.is_saturated else PASSES):
        before = search.asked
        yield from search.boundary_phase.run(seeds, turns, paths)
        yield from rounds(search, search.asked + (search.asked - before) // 2)
        yield from search.boundary_phase.cross(seeds)
        for options in flip_options(search) if not number else ():
            yield from search.boundary_phase.with_options(options).run(seeds, turns)


def draw(search: UnitSearch) -> Search:
    """Draw cases until the budget is used up, or until a focused search is saturated."""
    yield from _until_saturated(search)
    if not search.is_saturated:
        yield from rounds(search, None)


def retry(search: UnitSearch) -> Search:
    """Ask cases again that failed in the searches of donors, and explain the remaining differences."""
    search.needs_donors = True
    while search.waits():
        yield []
    for donor in search.plan.donors:
        search.ledger.add_suspects(donor.failed)
    yield from search.settle()


PHASES: tuple[Phase[UnitSearch], ...] = (
    Phase("replay", replay, tuning.UNSEEDED, is_flat=True),
    Phase("aim", aim_unseeded, tuning.UNSEEDED, is_flat=True),
    Phase("seed", seed, tuning.UNSEEDED, is_flat=True),
    Phase("aim", aim, tuning.HASTE, tuning.HASTY),
    Phase("grow", grow),
    Phase("combined", combined),
    Phase("aim", aim_again),
    Phase("versions", versions),
    Phase("boundaries", boundaries),
    Phase("random", draw),
    Phase("retry", retry),
)


def in_rotation(search: UnitAsker, *parts: tuple[Search, int]) -> Search:
    """Run several parts in rotation, each for at least a number of cases at a time, until all have ended."""
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


def _with_requests(search: UnitSearch, cases: Sequence[Case]) -> list[tuple[RequestKind, Case]]:
    """Return the cases of the search's own requests, each with its request."""
    found = [(search.ledger.states.get((key_of(case), case.operation)), case) for case in cases]
    return [(state.request, case) for state, case in found if state is not None]


def _probe_focused_paths(search: UnitSearch) -> Search:
    """Ask every probe at the focused paths of every seed."""
    if search.points.focused:
        yield from search.boundary_phase.run(list(search.points.seeds), EVERY_PROBE, "focused")


def _probe_during_growth(search: UnitSearch) -> Search:
    if not search.growth_phase.is_done:
        yield from search.boundary_phase.run(list(search.points.seeds), range(5), "new")
    while not search.growth_phase.is_done and not search.is_spent():
        yield from rounds(search, search.asked + 1)


def _until_saturated(search: UnitSearch) -> Search:
    """Draw until a number of cases in a row have shown nothing new, if the focus says to stop then."""
    since, known = search.asked, search.ledger.discoveries
    while search.plan.focused.until_saturated and not search.is_saturated and not search.is_spent():
        yield from rounds(search, search.asked + 1)
        if search.ledger.discoveries > known:
            since, known = search.asked, search.ledger.discoveries
        search.is_saturated = search.asked - since >= tuning.SATURATED


def rounds(search: UnitSearch, until: int | None) -> Search:
    """Draw batches until the search has asked `until` cases, or until the budget is used up.

    Usually the next batch is drawn after the answers to the last one. A search without others beside it draws the next
    batch while the target works, so that answers influence only the batches after that.
    """
    sent: deque[tuple[Ahead, list[Json]]] = deque()
    while True:
        yield []
        while len(sent) < (tuning.AHEAD if search.plan.draws_ahead else 1) and not _has_drawn(search, until):
            specs = _draw_batch(search)
            sent.append((Ahead(search.cases_of(specs)), [base for _, _, _, base in specs]))
            yield sent[-1][0]
        if not sent:
            return
        cases, seeds = sent.popleft()
        answers = yield cases
        search.ledger.examine(cases, answers, seeds)
        yield from search.settle()


def _has_drawn(search: UnitSearch, until: int | None) -> bool:
    return search.is_spent() or (until is not None and search.asked >= until)


def _draw_batch(search: UnitSearch) -> list[CaseSpec]:
    requests = [state.request for state in search.ledger.states.values()]
    return [
        search.random_phase.draw(requests[n % len(requests)], n % len(requests))
        for n in range(min(BATCH, search.left()))
    ]
