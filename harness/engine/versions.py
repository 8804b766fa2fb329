"""The versions phase: edits the paths that differ between versions of a kind, and compares the lists of all versions.

Accepted objects are converted to all versions and back too. The sample of all cases that is asked for other versions
would reach such paths only by chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from harness import tuning
from harness.case import Operation
from harness.engine.asker import BATCH, CaseSpec, UnitAsker
from harness.engine.plan import Search
from harness.fuzzers.repair import SeedObject
from harness.fuzzers.versiondiff import is_within
from harness.jsonpath import put
from harness.objectmodel import stored


def compare_versions(search: UnitAsker, seeds: list[SeedObject]) -> Search:
    """Ask the first probes at all paths that differ between versions, with the lists of all versions."""
    if not search.plan.abilities.versions:
        return
    creates = [s.request for s in search.ledger.states.values() if s.request.operation is Operation.CREATE]
    yield from search.ask([(one, seed.obj, None, seed.obj) for one in creates for seed in seeds], versions=True)
    if not search.plan.differing_paths:
        return
    specs = islice(_edits(search, seeds), min(tuning.VERSION_CASES, search.left() // 8))
    while batch := list(islice(specs, BATCH)):
        if search.is_spent():
            return
        steps = search.ask(batch, versions=True)
        del batch  # hundreds of searches pause at the next line and should not hold it
        yield from steps


def _edits(search: UnitAsker, seeds: list[SeedObject]) -> Iterator[CaseSpec]:
    requests = [state.request for state in search.ledger.states.values()]
    probes_by_path: Counter[tuple[str, ...]] = Counter()
    for base in seeds:
        for site in search.points.sites(base):
            if not is_within(site.path, search.plan.shape, search.plan.differing_paths):
                continue
            path = tuple("*" if isinstance(part, int) else part for part in site.path)
            values = site.values(search.harvest)[probes_by_path[path] : tuning.VERSION_EDITS]
            probes_by_path[path] += len(values)
            for value in values:
                new = put(base.obj, site.path, value)
                for request in requests:
                    if request.operation is Operation.CREATE:
                        yield request, new, None, base.obj
                    else:
                        yield request, stored(new), stored(base.obj), base.obj
