"""Says what a run reached of the handwritten calls that report the errors of rules, for their certificates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from harness.case import KindInfo
from harness.cli.code import BlockKey, functions_of, list_code, nearest_objects, reached_blocks, with_reasons
from harness.cli.fieldcalls import was_reached
from harness.diagnostics import HarnessError
from harness.errormatch.matcher import matcher_for
from harness.events import Result
from harness.graduate.after import RuleErrors
from harness.graduate.document import CallsReached, MissedLine
from harness.report.model.code import FunctionEntry, NearestObject
from harness.report.model.fields import BlocksByPlace
from harness.rulecov.inventory import KnownRule
from harness.subject import SubjectSpec
from harness.targets.kubernetes.blocks import CountedCode
from harness.targets.kubernetes.errorpaths.follow import CallPlace, FollowedKind, follow_errors
from harness.targets.kubernetes.errorpaths.reporting import CallAtField, KindCalls


@dataclass(frozen=True)
class RuleCalls:
    """The calls of the rules of a release or checkout; `parts` are the parts of the run, with counters."""

    parts: Sequence[SubjectSpec]
    note: Callable[[str], None]

    def reach(
        self, results: Sequence[Result], rules: Sequence[KnownRule], kinds: Sequence[KindInfo]
    ) -> list[CallsReached]:
        """Return what was reached of the calls of each rule, in order. What cannot be read is told in each."""
        spec = self.parts[0]
        reached = reached_blocks(results) if spec.counts_blocks else None
        if reached is None:
            return [CallsReached(problem="the worker has no counters that can be read")] * len(rules)
        try:
            code = list_code(spec)
            followed = follow_errors(spec.location, sorted({known.type for known in rules}), self.note)
        except HarnessError as error:
            self.note(str(error))
            why = str(error).partition("\n")[0]
            return [CallsReached(problem=why)] * len(rules)
        functions = list(functions_of(results[0].subject, code.blocks, reached, code.root, code.module))
        read = _Read(functions, followed, {info.type: info for info in reversed(kinds)})
        found = [read.calls_of(known) for known in rules]
        lines = _MissedLines(functions, read.blocks, {site for calls in found for site in calls.missed})
        lines.explain(code, self.parts, results, reached)
        return [lines.certify(calls) for calls in found]


@dataclass(frozen=True)
class _CallsFound:
    """The calls of one rule: which were not reached, themselves and those that lead to them."""

    size: int = 0
    reached: int = 0
    own: frozenset[CallPlace] = frozenset()
    missed: tuple[CallPlace, ...] = ()
    uncounted: int = 0
    not_followed: tuple[str, ...] = ()
    problem: str = ""


class _Read:
    """The kinds that were followed, and the blocks in which their calls stand."""

    def __init__(
        self, functions: Sequence[FunctionEntry], followed: Sequence[FollowedKind], infos: Mapping[str, KindInfo]
    ) -> None:
        self.blocks = BlocksByPlace(functions)
        self._kinds = {one.kind: KindCalls(one, lambda site: was_reached(self.blocks, site)) for one in followed}
        self._infos = infos

    def calls_of(self, known: KnownRule) -> _CallsFound:
        """Return the calls that report the error of a rule, at the paths that its check has."""
        kind, info = self._kinds[known.type], self._infos.get(known.type)
        if kind.kind.problem:
            return _CallsFound(problem=kind.kind.problem)
        rule = known.rule
        matcher = matcher_for(info.normalization if info is not None else ())
        keys = RuleErrors.of(known.places, rule.type, rule.origin, rule.level, matcher).handwritten
        calls: dict[CallPlace, CallAtField] = {}
        uncounted = 0
        not_followed: dict[str, None] = {}
        for path, type_, origin in sorted(keys):
            found = kind.marked(path, type_, origin)
            for one in found.calls:
                calls[one.site] = _worse(calls.get(one.site, one), one)
            uncounted += found.uncounted
            for site, why in kind.not_followed(path, type_, origin):
                not_followed[f"{site.text} may report its error: {why}"] = None
        missed = tuple(sorted({site for one in calls.values() for site in one.missed}))
        reached = sum(one.reached for one in calls.values())
        return _CallsFound(len(calls), reached, frozenset(calls), missed, uncounted, tuple(not_followed))


def _worse(one: CallAtField, other: CallAtField) -> CallAtField:
    """Return a call as it is reached for two paths of a rule: only if it is for both."""
    missed = tuple(sorted({*one.missed, *other.missed}))
    return one._replace(reached=one.reached and other.reached, missed=missed)


class _MissedLines:
    """The lines of calls that were not reached, each with why, and with what came near."""

    def __init__(self, functions: Sequence[FunctionEntry], blocks: BlocksByPlace, missed: set[CallPlace]) -> None:
        self._functions = functions
        self._keys: dict[CallPlace, BlockKey] = {}
        for site in missed:
            found = blocks.at(site.file, (site.line, site.column))
            assert found is not None  # it was not reached, so that it has a counter
            self._keys[site] = found.function.file, found.block.start
        self._explained: BlocksByPlace = blocks
        self._nearest: Mapping[BlockKey, NearestObject] = {}

    def explain(
        self, code: CountedCode, parts: Sequence[SubjectSpec], results: Sequence[Result], reached: frozenset[int]
    ) -> None:
        """Find the reasons of the lines, and the cases that came near to those without one."""
        keys = frozenset(self._keys.values())
        if not keys:
            return
        gates = [result.target.gates for result in results]
        self._explained = BlocksByPlace(list(with_reasons(self._functions, code.root, gates, keys)))
        if any(result.stopped == "interrupted" for result in results):
            return
        specs = {result.part or result.subject: part for result, part in zip(results, parts, strict=False)}
        self._nearest = nearest_objects(code, reached, results, specs, keys)

    def certify(self, calls: _CallsFound) -> CallsReached:
        """Return the calls of a rule as its certificate tells them."""
        missed = {self._keys[site]: self._line(site, site not in calls.own) for site in reversed(calls.missed)}
        return CallsReached(
            calls.size, calls.reached, tuple(reversed(missed.values())), calls.uncounted, calls.not_followed,
            calls.problem,
        )  # fmt: skip

    def _line(self, site: CallPlace, leads: bool) -> MissedLine:
        found = self._explained.at(site.file, (site.line, site.column))
        assert found is not None
        block = found.block
        return MissedLine(
            f"{site.text} {found.function.name}", block.condition, leads, block.sort, block.reason, block.behind,
            self._nearest.get(self._keys[site]),
        )  # fmt: skip
