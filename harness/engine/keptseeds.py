"""Accepted objects that an earlier run kept in the corpus: asked again first, and used as seeds if still accepted."""

from __future__ import annotations

import msgspec

from harness.case import Answer, Case, Json
from harness.engine.asker import UnitAsker
from harness.engine.plan import RequestState, Search, key_of
from harness.engine.units import RequestKind
from harness.fuzzers.corpus import KeptSeed, KeptSeeds
from harness.fuzzers.pathbits import PathBits
from harness.fuzzers.repair import SeedObject, is_accepted
from harness.fuzzers.typepaths import path_of
from harness.jsonpath import JsonPath, differences


def validated_object(answer: Answer, sent: Json) -> Json:
    """Return the object that the validators received; the one that was sent, if the target does not report it."""
    validated = next(iter(answer.validated.values()), None)
    return sent if validated is None else validated.object


def _is_of(case: Case, request: RequestKind) -> bool:
    return key_of(case) == request.info.key and case.operation is request.operation


class KeptSeedObjects:
    """The accepted objects of one unit, both kept ones and those of this run."""

    def __init__(self, search: UnitAsker) -> None:
        self.search = search
        self._found: list[KeptSeed] = []
        self._lost_any = False

    @property
    def is_complete(self) -> bool:
        """Whether an earlier run finished growing, and all of its objects are still accepted."""
        kept = self.search.plan.kept
        return kept is not None and kept.done and not self._lost_any

    def add(self, request: RequestKind, new: Json, old: Json, focus: JsonPath = ()) -> None:
        """Keep an accepted object or pair for a later run."""
        case = request.info.case(request.operation, new, old, mode=self.search.plan.mode)
        self._found.append(KeptSeed(case, focus))

    def forget(self, request: RequestKind) -> None:
        """Drop the objects kept for a request, before better ones are added."""
        self._found = [one for one in self._found if not _is_of(one.case, request)]

    def write(self, done: bool) -> None:
        """Write the kept objects; those of operations that this run does not ask stay unchanged."""
        plan = self.search.plan
        if plan.keep is None or not self._found:
            return
        before = plan.kept.seeds if plan.kept is not None else ()
        others = [one for one in before if (key_of(one.case), one.case.operation) not in self.search.ledger.states]
        found = {msgspec.json.encode(one.case): one for one in self._found}.values()
        path_coverage = self.search.path_coverage
        tried = tuple(sorted(path_coverage.tried - path_coverage.accepted))
        plan.keep(KeptSeeds((*found, *others), dict(sorted(path_coverage.rejected.items())), tried, done))

    def ask_again(self, request: RequestKind) -> Search:
        """Ask the kept objects of a request again, one case each. Returns: those that are still accepted."""
        kept = self.search.plan.kept
        ours = [one for one in (kept.seeds if kept is not None else ()) if _is_of(one.case, request)]
        if kept is None or not ours:
            return []
        specs = [(request, one.case.object, one.case.old, one.case.object) for one in ours]
        answers = yield from self.search.ask(specs, settle=False, validated=True)
        accepted = [(one, answer) for one, answer in zip(ours, answers, strict=False) if is_accepted(answer)]
        self._lost_any |= len(accepted) < len(answers)
        path_coverage, path_bits = self.search.path_coverage, PathBits(self.search.plan.shape)
        path_coverage.rejected |= kept.rejected
        path_coverage.tried |= set(kept.tried)
        for one, answer in accepted:
            sent, old = one.case.object, one.case.old
            paths = path_bits.of(sent) & path_bits.of_unshared(validated_object(answer, sent))
            path_coverage.accepted.update(path_bits.names(paths if sent == old else paths & ~path_bits.of(old)))
        still_accepted = [one for one, _ in accepted]
        self._found += [*still_accepted, *ours[len(answers) :]]  # those that were not asked for lack of time are kept
        return still_accepted

    def take(self, state: RequestState, ours: list[KeptSeed]) -> None:
        """Add kept objects that are still accepted to the seeds and pairs of their request."""
        points, shape = self.search.points, self.search.plan.shape
        known = [base.obj for base in points.seeds]
        for case, focus in ((one.case, one.focus) for one in ours):
            if case.old is not None and case.old != case.object:
                changed = (path_of(path, shape) for path in differences(case.object, case.old))
                state.changed_paths = tuple(dict.fromkeys((*state.changed_paths, *changed)))
                points.add_pair(state.request, case.object, case.old)
            if case.object not in known and case.old != case.object:
                points.add_seed(SeedObject(case.object, focus))
        state.has_seed = True
