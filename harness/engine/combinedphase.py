"""The combined phase: puts boundary values at many paths of a seed object at once.

Most validators report all that is wrong with an object, so that one case reaches the checks of hundreds of fields. A
single edit is better for the checks that another error skips, and for what must be accepted: other phases make those.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from harness import tuning
from harness.case import Answer, Json, Operation
from harness.engine.asker import CaseSpec, UnitAsker
from harness.engine.followups import SeenErrorSignatures
from harness.engine.plan import Search
from harness.engine.units import RequestKind
from harness.engine.writableparts import WritableParts
from harness.fuzzers.edits import Site
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.repair import SeedObject
from harness.fuzzers.shapepaths import SeenValues
from harness.jsonpath import Edit, JsonPath, apply_all, later_first
from harness.objectmodel import is_in_metadata, stored

_CONTAINERS = frozenset({"struct", "list", "map"})
_MAX_HALVINGS = 3
"""The edits of an object that cannot be decoded are halved at most so often."""


class CombinedPhase:
    """Edits many paths of an object at once; `writable` tells which of them a request can write."""

    def __init__(self, search: UnitAsker, writable: WritableParts) -> None:
        self.search, self.writable = search, writable
        self._asked = SeenValues()
        self._signatures = SeenErrorSignatures()
        self._has_new = False

    def run(self, seeds: Sequence[SeedObject]) -> Search:
        """Put the first boundary values of all paths of each seed into it, then the second ones, and so on.

        Takes at most a part of the cases that are left, and ends after turns that showed no new error: a validator that
        returns at its first error shows little in this way. Differences are explained in the next phase.
        """
        end = self.search.asked + self.search.left() // tuning.COMBINED_PART
        quiet_turns = 0
        for turn in range(tuning.COMBINED_TURNS):
            self._has_new = False
            for base in seeds:
                if self.search.asked >= end or self.search.is_spent():
                    return
                yield []
                yield from self._ask(self._groups(base, turn), base.obj)
            quiet_turns = 0 if self._has_new else quiet_turns + 1
            if quiet_turns >= tuning.COMBINED_QUIET_TURNS:
                return

    def _groups(self, base: SeedObject, turn: int) -> Iterator[list[Edit]]:
        """Yield the edits of all paths of a seed together, then of a half of them, then of the others."""
        for edits in combined_edits(self.search.points.sites(base), self.search.harvest, turn):
            yield edits
            sides = [self.search.random.random() < 0.5 for _ in edits]
            for side in (True, False):
                yield [edit for edit, own in zip(edits, sides, strict=True) if own == side]

    def _ask(self, groups: Iterable[list[Edit]], base: Json, halvings: int = 0) -> Search:
        """Ask groups of edits through all requests; those of objects that cannot be decoded again, in halves."""
        requests = [state.request for state in self.search.ledger.states.values()]
        asked: list[tuple[CaseSpec, list[Edit]]] = []
        for edits in groups:
            for request in requests:
                own = [edit for edit in edits if self.writable.has(request, edit.path)]
                spec = _spec(request, base, own)
                if self._asked.is_new([request.info.key, request.operation, spec[1], spec[2]]):
                    asked.append((spec, own))
        answers: list[Answer] = yield from self.search.ask([spec for spec, _ in asked], settle=False)
        for (spec, _), answer in zip(asked, answers, strict=False):
            self._has_new |= self._signatures.has_new((spec[0].info.subresource,), answer)
        failed = [
            edits for (_, edits), answer in zip(asked, answers, strict=False) if answer.failure is not None and edits
        ]
        del asked, answers
        if failed and halvings < _MAX_HALVINGS:
            halves = [half for edits in failed for half in (edits[::2], edits[1::2])]
            yield from self._ask(halves, base, halvings + 1)


def _spec(request: RequestKind, base: Json, edits: list[Edit]) -> CaseSpec:
    """Return the create of an edited seed, or its update to that."""
    if request.operation is Operation.CREATE:
        return request, apply_all(later_first(edits), base), None, base
    before = stored(base)
    return request, apply_all(later_first(edits), before), before, base


def combined_edits(sites: Sequence[Site], harvest: Harvest, turn: int) -> Iterator[list[Edit]]:
    """Yield the edits that put the boundary value number `turn` at every scalar, then at every innermost container.

    No path of such edits contains another, so that the object has each of the values. Sites without so many boundary
    values are left out, and metadata, which is common to all kinds.
    """
    own = [site for site in sites if not is_in_metadata(site.path)]
    scalars = [site for site in own if site.shape.kind not in _CONTAINERS]
    for group in (scalars, _innermost([site for site in own if site.shape.kind in _CONTAINERS])):
        probes = [(site.path, site.values(harvest)) for site in group]
        edits = [Edit(path, values[turn]) for path, values in probes if turn < len(values)]
        if edits:
            yield edits


def _innermost(sites: Sequence[Site]) -> list[Site]:
    """Return the sites that contain no other one."""
    outer: set[JsonPath] = set()
    for site in sites:
        outer.update(site.path[:depth] for depth in range(len(site.path)))
    return [site for site in sites if site.path not in outer]
