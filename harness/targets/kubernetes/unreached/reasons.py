"""Says why no case reached a block: a fact about the condition that decides, or about the calls of its function.

A block whose condition was not reached either has the reason of that condition. Where no fact is known, none is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Protocol, TypeAlias

from harness.gotypes.branches import GoSource
from harness.targets.kubernetes.callers import GoFunction, unreachable_functions
from harness.targets.kubernetes.mutants.gosource import ParsedFunction
from harness.targets.kubernetes.unreached.gofolders import GoFolders
from harness.targets.kubernetes.unreached.guards import requirements
from harness.targets.kubernetes.unreached.truth import Sort, Truth

_TOP = "k8s.io/kubernetes/"
_INTERNAL = "InternalError"
ReasonSort: TypeAlias = Sort | Literal["uncalled", "internal", ""]


class CountedBlock(Protocol):
    """A block with its place, whether a case reached it, and the errors that it makes."""

    @property
    def start(self) -> tuple[int, int]: ...
    @property
    def end(self) -> tuple[int, int]: ...
    @property
    def reached(self) -> bool: ...
    @property
    def errors(self) -> tuple[tuple[str, str], ...]: ...


class CountedFunction(Protocol):
    """A function with its blocks in order; `file` begins with the import path of its package."""

    @property
    def file(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def blocks(self) -> Sequence[CountedBlock]: ...


class BlockReason(NamedTuple):
    """Why a block was not reached: the sort of the fact and its sentence, both empty if none is known.

    `behind` is the line that decides, where that is not the block's own condition; of another file with its name.
    """

    sort: ReasonSort = ""
    fact: str = ""
    behind: str = ""


_UNKNOWN = BlockReason()


class BlockReasons:
    """The reasons of the blocks of a release that a run did not reach. `gates` are the settings of the run, each gate
    with its value. The callers of functions are looked for if they are named as `only` those: each takes a while.
    """

    def __init__(
        self,
        root: Path,
        functions: Sequence[CountedFunction],
        gates: Sequence[Mapping[str, bool]],
        only: Sequence[CountedFunction] | None = None,
    ) -> None:
        self._folders = GoFolders(root)
        self._truth = Truth(self._folders, gates)
        self._functions: dict[str, list[CountedFunction]] = {}
        for one in functions:
            self._functions.setdefault(one.file.removeprefix(_TOP), []).append(one)
        silent = [one for one in (functions if only is None else only) if not any(b.reached for b in one.blocks)]
        named = [_named(one) for one in silent if one.name.isidentifier()]  # methods have no calls
        self._uncalled = unreachable_functions(root, named)
        self._sources: dict[str, GoSource] = {}
        self._known: dict[tuple[str, tuple[int, int]], BlockReason] = {}

    def of_function(self, function: CountedFunction) -> str:
        """Return why no request reaches a function; empty if that is not known."""
        return self._uncalled.get(_named(function), "")

    def of(self, function: CountedFunction, block: CountedBlock) -> BlockReason:
        """Return why a block was not reached."""
        key = function.file, block.start
        if key not in self._known:
            self._known[key] = _UNKNOWN  # a function that calls itself
            self._known[key] = self._find(function, block)
        return self._known[key]

    def _find(self, function: CountedFunction, block: CountedBlock) -> BlockReason:
        if reason := self.of_function(function):
            return BlockReason("uncalled", reason)
        file = function.file.removeprefix(_TOP)
        parsed = self._parsed_function(file, block.start[0])
        offset = self._source(file).first_code(block.start, block.end)
        if parsed is None or offset is None:
            return _UNKNOWN
        node = parsed.node.descendant_for_byte_range(offset, offset)
        above = list(requirements(node)) if node is not None else []
        if not above:
            return _UNKNOWN if function.blocks[0].reached else self._of_calls(file, function, parsed)
        decides = _block_at(function, above[0].statement.start_point)
        if decides is not None and not decides.reached and decides.start != block.start:
            inherited = self.of(function, decides)
            return inherited if inherited.behind else inherited._replace(behind=f"line {decides.start[0]}")
        if decides is None or not decides.reached:
            return _UNKNOWN
        condition = above[0].condition
        known = None if condition is None else self._truth.of(condition, parsed, above[1:])
        if known is not None and known.value is not above[0].wanted:
            return BlockReason(known.sort, known.fact)
        if any(constructor == _INTERNAL for constructor, _ in block.errors):
            return BlockReason("internal", "it reports an InternalError, which upstream expects of no request")
        return _UNKNOWN

    def _of_calls(self, file: str, function: CountedFunction, parsed: ParsedFunction) -> BlockReason:
        """Return the reason of a function whose calls all stand in blocks that were not reached."""
        found: list[BlockReason] = []
        for call, caller in self._truth.calls(parsed):
            line = call.start_point[0] + 1
            own = [one for one in self._functions.get(caller.file, ()) if _contains(one, call.start_point)]
            block = _block_at(own[0], call.start_point) if own else None
            if not own or block is None or block.reached:
                return _UNKNOWN
            place = f"line {line}" if caller.file == file else f"{caller.file.rpartition('/')[2]}:{line}"
            reason = self.of(own[0], block)
            found.append(reason if reason.behind else reason._replace(behind=place))
        if not found or not all(one.sort for one in found):
            return found[0]._replace(sort="", fact="") if found else _UNKNOWN
        facts = list(dict.fromkeys(one.fact for one in found))
        return found[0]._replace(fact="; ".join(facts))

    def _parsed_function(self, file: str, line: int) -> ParsedFunction | None:
        row = line - 1
        own = (
            one for one in self._folders.functions_of(file) if one.node.start_point[0] <= row <= one.node.end_point[0]
        )
        return next(own, None)

    def _source(self, file: str) -> GoSource:
        if file not in self._sources:
            self._sources[file] = GoSource(self._folders.read(file))
        return self._sources[file]


def _named(function: CountedFunction) -> GoFunction:
    return GoFunction(function.file.removeprefix(_TOP).rpartition("/")[0], function.name)


def _block_at(function: CountedFunction, point: tuple[int, int]) -> CountedBlock | None:
    """Return the block of a function that a place is in: the last that begins before it."""
    place = point[0] + 1, point[1] + 1
    return max((one for one in function.blocks if one.start <= place), key=lambda one: one.start, default=None)


def _contains(function: CountedFunction, point: tuple[int, int]) -> bool:
    place = point[0] + 1, point[1] + 1
    return function.blocks[0].start <= place <= max(one.end for one in function.blocks)
