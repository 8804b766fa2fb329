"""The pass over what differs between the versions of a kind: there each edit is asked with the lists of all versions.

A sample of all cases would meet such places now and then; here they are met on purpose, and a few cases each.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from harness import tuning
from harness.case import Operation
from harness.engine.asker import BATCH, UnitAsker, Wanted
from harness.engine.plan import Search
from harness.fuzzers.bases import Base
from harness.fuzzers.unlike import is_within
from harness.jsonpath import put
from harness.objectmodel import stored


def through_versions(search: UnitAsker, bases: list[Base]) -> Search:
    """Ask about the first probes at all places that differ between versions, with the lists of all versions."""
    if not search.plan.abilities.versions or not search.plan.unlike:
        return
    wanted = islice(_edits(search, bases), min(tuning.VERSION_CASES, search.left() // 8))
    while batch := list(islice(wanted, BATCH)):
        if search.is_spent():
            return
        questions = search.ask(batch, versions=True)
        del batch
        yield from questions


def _edits(search: UnitAsker, bases: list[Base]) -> Iterator[Wanted]:
    lanes = [state.lane for state in search.ledger.states.values()]
    met: Counter[tuple[str, ...]] = Counter()
    for base in bases:
        for site in search.points.sites(base):
            if not is_within(site.place, search.plan.shape, search.plan.unlike):
                continue
            path = tuple("*" if isinstance(part, int) else part for part in site.place)
            values = site.values(search.harvest)[met[path] : tuning.VERSION_EDITS]
            met[path] += len(values)
            for value in values:
                new = put(base.obj, site.place, value)
                for lane in lanes:
                    if lane.operation is Operation.CREATE:
                        yield lane, new, None, base.obj
                    else:
                        yield lane, stored(new), stored(base.obj), base.obj
