"""The deterministic pass: every probe at every place of every base, through every lane, with the related pairs."""

from __future__ import annotations

from itertools import islice

from harness.case import Json, Operation
from harness.engine.asking import BATCH, Asking
from harness.engine.plan import Search
from harness.engine.units import Lane
from harness.fuzzers.bases import Base
from harness.fuzzers.edits import Edit
from harness.fuzzers.kin import kin
from harness.fuzzers.pairs import follow_ups, stored

SWEEPS = (
    (slice(0, 1), range(5)), (slice(1, None), range(5)), (slice(None), range(5, 14)), (slice(None), range(14, 60)),
)  # fmt: skip
"""The pass in parts: which bases, and which probes of every place. Random rounds stand between."""


class Sweep:
    """The deterministic pass of one unit's search."""

    def __init__(self, search: Asking) -> None:
        self.search = search
        self._correlated: set[tuple[object, ...]] = set()

    def run(self, bases: list[Base], turns: range) -> Search:
        """Put these probes at every place of every base: first probes of all places first, then second ones."""
        for base in bases:
            edits = self.search.points.probes(base, turns)
            while not self.search.spent():
                batch = list(islice(edits, BATCH // max(1, min(2, len(self.search.ledger.states)))))
                if not batch:
                    break
                yield from self._ask_about(base.obj, batch)

    def _ask_about(self, base: Json, edits: list[Edit]) -> Search:
        """Ask every lane about the edits; where an update is refused, about the related pairs too."""
        wanted: list[tuple[Lane, Json, Json, Json]] = []
        before = stored(base)
        for edit in edits:
            for state in self.search.ledger.states.values():
                if state.lane.operation is Operation.CREATE:
                    wanted.append((state.lane, edit.apply(base), None, base))
                else:
                    wanted.append((state.lane, edit.apply(before), before, base))
        answers = yield from self.search.ask(wanted)
        places = [edit.place for edit in edits for _ in self.search.ledger.states]
        related: list[tuple[Lane, Json, Json, Json]] = []
        for (lane, new, old, _), place, answer in zip(wanted, places, answers, strict=False):
            if old is not None and (answer.handwritten or answer.declarative):
                pairs = follow_ups(old, new, _touch)
                # Once for each lane and place: these ask how old and new correlate, not what the value is.
                at = lane.info.key, tuple("*" if isinstance(part, int) else part for part in place)
                if at not in self._correlated:
                    self._correlated.add(at)
                    pairs += kin(self.search.plan.shape, new, place)
                related += [(lane, one, other, base) for one, other in pairs]
        yield from self.search.ask(related)


def _touch(obj: Json) -> Json:
    """Change something that no rule minds: an annotation."""
    metadata = obj.get("metadata") if isinstance(obj, dict) else None
    if not isinstance(metadata, dict):
        return obj
    annotations = metadata.get("annotations")
    annotations = annotations if isinstance(annotations, dict) else {}
    return {**obj, "metadata": {**metadata, "annotations": {**annotations, "touched": "a"}}}
