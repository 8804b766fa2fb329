"""The boundary phase: puts every probe value at every path of every seed object, through every request.

After a rejection with a new error signature it also asks related pairs: updates that keep the rejected value, revert it
or change a sibling.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Literal, TypeAlias

from harness import tuning
from harness.case import Answer, Json, Operation
from harness.engine.asker import BATCH, NO_OPTIONS, CaseSpec, UnitAsker
from harness.engine.followups import SeenErrorSignatures
from harness.engine.plan import Search
from harness.engine.writableparts import WritableParts
from harness.fuzzers.edits import Site
from harness.fuzzers.membersets import cross_members
from harness.fuzzers.neighbours import (
    neighbours,
    updates_of_set_member,
    updates_with_duplicate_item,
    variants_of_siblings,
)
from harness.fuzzers.pairs import follow_ups
from harness.fuzzers.repair import SeedObject
from harness.fuzzers.typepaths import error_path_of
from harness.jsonpath import ABSENT, Edit, JsonPath, leads_to, look, put
from harness.objectmodel import is_in_metadata, stored, with_annotation
from harness.tags.registry import rule_facts

EVERY_PROBE = range(60)
PathPattern: TypeAlias = tuple[object, ...]
"""A path with `*` for indexes, so that it is the same in all objects."""
PathSelection: TypeAlias = Literal["every", "new", "focused", "quiet", "judged"]
"""Which paths get probes: every one; those that no seed before had; those that the run focuses on; metadata without
errors; those of which an error is declared or covered."""
PASSES: tuple[tuple[range, PathSelection], ...] = (
    (range(5), "new"), (range(5, 14), "new"), (range(14, 60), "judged"), (range(5), "every"), (range(14, 60), "new"),
    (range(5, 14), "every"), (range(14, 60), "every"), (EVERY_PROBE, "quiet"),
)  # fmt: skip
"""The passes in order: the indexes of probes, and the paths that get them.

Smaller seeds come first, so that a path is probed in the smallest object that has it. Paths of which an error is
declared or covered get their rarer probes before all others, because two formats may differ in only a few texts. Random
cases are drawn between passes. The first pass is repeated under every validation option that can be flipped. Quiet
paths come last: fields of the metadata, common to all kinds, where the first probes caused no error.
"""


class BoundaryPhase:
    """The deterministic passes of one unit's search; `options` replace validation options of the target."""

    def __init__(self, search: UnitAsker, writable: WritableParts, options: Mapping[str, bool] = NO_OPTIONS) -> None:
        self.search, self.writable, self.options = search, writable, options
        self._has_errors: dict[JsonPath, bool] = {}
        self._signatures = SeenErrorSignatures()
        self._asked_turns: set[tuple[object, ...]] = set()
        self._crossed: set[tuple[object, ...]] = set()
        self._change_origins = rule_facts().of_changes
        # Hashes in arrays, which become sets only while they are used: there are hundreds for each of hundreds of
        # passes, and an array takes a fraction of the memory.
        self._probed: dict[tuple[int, range], tuple[Json, array[int]]] = {}
        self._known_patterns: dict[tuple[int, bool], array[int]] = defaultdict(_hashes)

    def run(self, seeds: list[SeedObject], turns: range, which: PathSelection = "every") -> Search:
        """Put these probes at the selected paths of every seed: the first probe of all paths, then the second ones.

        A probe that was asked at a path of a seed before is not asked there again.
        """
        for base in seeds:
            if self.search.is_spent():
                return
            edits = self.search.points.probes(self._sites(base, turns, which), turns)
            while not self.search.is_spent():
                yield []
                batch = list(islice(edits, BATCH // max(1, min(2, len(self.search.ledger.states)))))
                if not batch:
                    break
                all_versions = self.search.plan.compares_versions and which == "new" and not turns.start
                steps = self._ask_about(base.obj, batch, versions=all_versions, closely=which == "focused")
                del batch  # hundreds of searches pause at the next line and should not hold it
                yield from steps

    def with_options(self, options: Mapping[str, bool]) -> BoundaryPhase:
        """Return the phase under other options; it shares which metadata paths have caused errors."""
        phase = BoundaryPhase(self.search, self.writable, options)
        phase._has_errors = self._has_errors
        return phase

    def _sites(self, base: SeedObject, turns: range, which: PathSelection) -> list[Site]:
        """Return the sites of a seed that get these probes now, and record that they do."""
        _, probed = self._probed.setdefault((id(base.obj), turns), (base.obj, _hashes()))
        probed_before = set(probed)
        sites = self.search.points.focused_sites(base) if which == "focused" else self.search.points.sites(base)
        quiet = {path for path, has_errors in self._has_errors.items() if not has_errors}
        # Setting an absent field and changing a present one count separately: an update may allow only one of them.
        arrays = [self._known_patterns[turns.start, is_absent] for is_absent in (False, True)]
        patterns = [(set(known), set[int]()) for known in arrays]
        selected = []
        for site in sites:
            path = site.path
            if hash(path) in probed_before:
                continue
            known, new = patterns[site.value is ABSENT]
            pattern = hash(_pattern_of(path))
            if which in ("new", "judged") and pattern in known:
                continue
            if which == "judged" and error_path_of(path, self.search.plan.shape) not in self.search.ledger.judged:
                continue
            if which not in ("focused", "judged") and (path[:2] in quiet) != (which == "quiet"):
                continue
            new.add(pattern)
            selected.append(site)
        for stored_hashes, (known, new) in zip(arrays, patterns, strict=True):
            stored_hashes.extend(new - known)
        probed.extend(hash(site.path) for site in selected)
        return selected

    def cross(self, seeds: list[SeedObject]) -> Search:
        """Change several members of one struct together, once for each path pattern, with a part of the cases left."""
        end = self.search.asked + self.search.left() // tuning.CROSSING_PART
        for base in seeds:
            edits = self._crossings(base)
            while not self.search.is_spent() and self.search.asked < end:
                yield []
                batch = list(islice(edits, BATCH // 2))
                if not batch:
                    break
                steps = self._ask_about(base.obj, batch)
                del batch
                yield from steps

    def _crossings(self, base: SeedObject) -> Iterator[Edit]:
        for site in (Site((), self.search.plan.shape, base.obj), *self.search.points.sites(base)):
            pattern = _pattern_of(site.path)
            if site.shape.kind == "struct" and pattern not in self._crossed:
                self._crossed.add(pattern)
                yield from (Edit(site.path, value) for value in cross_members(site.shape, site.value))

    def _ask_about(self, base: Json, edits: list[Edit], versions: bool = False, closely: bool = False) -> Search:
        """Ask the edits through every request that can write their path, and related pairs after rejections.

        Related pairs are asked once for each error signature at a path; with `closely`, after every rejection.
        """
        specs: list[CaseSpec] = []
        paths: list[JsonPath] = []
        before = stored(base)
        for edit in edits:
            for state in self.search.ledger.states.values():
                if not self.writable.has(state.request, edit.path):
                    continue
                paths.append(edit.path)
                if state.request.operation is Operation.CREATE:
                    specs.append((state.request, edit.apply(base), None, base))
                else:
                    specs.append((state.request, edit.apply(before), before, base))
        del edits
        answers = yield from self.search.ask(specs, settle=False, versions=versions, options=self.options)
        related = self.search.ask(
            self._related_pairs(specs, answers, paths, closely), versions=versions, options=self.options
        )
        del specs, answers, paths  # hundreds of objects
        yield from self.search.settle()
        yield from related

    def _related_pairs(
        self, specs: list[CaseSpec], answers: list[Answer], paths: list[JsonPath], closely: bool
    ) -> list[CaseSpec]:
        """Choose related pairs to ask after these answers."""
        related: list[CaseSpec] = []
        for (request, new, old, base), path, answer in zip(specs, paths, answers, strict=False):
            if is_in_metadata(path) and answer.failure is None:
                has_errors = bool(answer.handwritten or answer.declarative)
                self._has_errors[path[:2]] = self._has_errors.get(path[:2], False) or has_errors
            # The context is the request and the path: these pairs test how old and new relate, whatever the value.
            context, pairs, shape = (*request.key, _pattern_of(path)), [], self.search.plan.shape
            is_rejected = bool(answer.handwritten or answer.declarative)
            is_new = is_rejected and self._signatures.has_new(context, answer)
            if old is not None and not is_rejected and is_in_metadata(path) and len(path) == 2:
                related.append((request, new, new, base))  # PrepareForUpdate restores fields from old
            if old is None:
                if is_new and not is_in_metadata(path):
                    related += [(request, other, None, base) for other in variants_of_siblings(shape, new, path)]
                continue
            if is_new or (is_rejected and closely):
                pairs = follow_ups(old, new, with_annotation)
            if is_new:
                pairs += [*neighbours(shape, new, path), *updates_with_duplicate_item(shape, old, new, path)]
            if path and any(
                error.origin in self._change_origins and leads_to(error.field, path) for error in answer.declarative
            ):
                pairs.append((new, put(old, path, ABSENT)))
            if context not in self._asked_turns and look(old, path) is ABSENT and look(new, path) is not ABSENT:
                self._asked_turns.add(context)
                pairs += updates_of_set_member(shape, new, path)
            related += [(request, *pair, base) for pair in pairs]
        return related


def flip_options(search: UnitAsker) -> Iterator[dict[str, bool]]:
    """Yield each validation option of a unit's kinds flipped, if options apply to the handwritten validators too."""
    if search.plan.abilities.switches:
        requests = [state.request for state in search.ledger.states.values()]
        options = {name: not value for request in requests for name, value in request.info.options.items()}
        yield from ({name: value} for name, value in sorted(options.items()))


def _hashes() -> array[int]:
    return array("q")


def _pattern_of(path: JsonPath) -> PathPattern:
    return tuple("*" if isinstance(part, int) else part for part in path)
