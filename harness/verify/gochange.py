"""From changed Go code to the fields it judges: what changed in each function, and which fields that speaks of.

What reads the same but for names, comments, formatting and its place is no change. Where a function names no field in
what changed, its callers are asked; where nobody names any, the whole kind counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain

from tree_sitter import Node

from harness.diagnostics import Position
from harness.verify.change import Cause, ChangedFile, Event, Reason
from harness.verify.checks import compare_checks
from harness.verify.generated import VALIDATE
from harness.verify.gocallers import Callers, statement_of, statements_on
from harness.verify.gochecks import checks_of
from harness.verify.gocode import Decl, Normal, text_of
from harness.verify.goplaces import FieldUse, Places
from harness.verify.layout import class_of
from harness.verify.renames import Name, renames
from harness.verify.sides import INTERNAL, Side
from harness.verify.stale import users_of_checks
from harness.verify.touches import Touches
from harness.verify.versions import Versions

CODE: Mapping[str, Cause] = {
    "handwritten": "handwritten",
    "normalization": "normalization",
    "strategy": "strategy",
    "conversion": "conversion",
    "defaults": "defaults",
}
"""Classes of files with code, and what a change of them is called."""
REGISTRY = "k8s.io/kubernetes/pkg/registry/"
_DEEPEST = 6
_MOST = 400


@dataclass(frozen=True)
class _GoSide:
    """One side: its callers index and its types."""

    side: Side
    callers: Callers
    versions: Versions

    def places(self, decl: Decl) -> Places:
        return Places(self.versions.universe, decl)


@dataclass(frozen=True)
class _UsedFields:
    """Fields of internal types that something names; `types` are what code is for that names none."""

    fields: Mapping[FieldUse, None]
    certain: bool = True
    types: frozenset[str] = frozenset()


def compare_code(base: Side, head: Side, files: Iterable[ChangedFile], touches: Touches) -> None:
    """Compare the Go code of the changed files that validates, normalizes, prepares, converts or defaults objects."""
    changed = [one for one in files if one.file_class in CODE and one.path.endswith(".go")]
    folders = sorted({path.rpartition("/")[0] for one in changed for path in (one.path, one.before) if path})
    if folders:
        sides = [_GoSide(side, Callers(side.root), Versions(side)) for side in (base, head)]
        _Comparison(sides[0], sides[1], touches).run(folders)


class _Comparison:
    """Compares some packages of two sides."""

    def __init__(self, base: _GoSide, head: _GoSide, touches: Touches) -> None:
        self._base, self._head, self._touches = base, head, touches
        self._old: dict[Name, Decl] = {}
        self._new: dict[Name, Decl] = {}
        self._renamed: dict[Name, Name] = {}

    def run(self, folders: Iterable[str]) -> None:
        """Compare, and touch what changed."""
        for folder in folders:
            self._old |= self._base.callers.package(folder).decls
            self._new |= self._head.callers.package(folder).decls
        self._renamed = renames(self._old, self._new, lambda known, renamed: Normal(known, renamed).text)
        before, after = Normal(self._old, self._renamed), Normal(self._new)
        pairs = {name: self._renamed.get(name, name) for name in self._old}
        differing = {
            name: other
            for name, other in pairs.items()
            if other not in self._new or before.text(self._old[name]) != after.text(self._new[other])
        }
        gone = [self._old[name] for name, other in differing.items() if other not in self._new]
        both = [(self._old[name], self._new[other]) for name, other in differing.items() if other in self._new]
        come = [decl for name, decl in self._new.items() if name not in pairs.values()]
        self._tell_harmless(bool(differing or come))
        self._events(
            [*gone, *(old for old, _ in both)], [*(one for one in come if self._is_used(one)), *(n for _, n in both)],
            before, after,
        )  # fmt: skip
        for old, new in both:
            self._lines(old, new, before, after)
        for decl in gone:
            self._rest(self._base, decl, "removed", f"{decl.short} is gone")
        for decl in come:
            if self._is_used(decl):
                self._rest(self._head, decl, "added", f"{decl.short} is new")
            else:
                self._touches.note(f"{decl.short} is new, and nothing that was read calls it")

    def _tell_harmless(self, any_change: bool) -> None:
        for old, new in sorted(self._renamed.items()):
            moved = f" and moved to {new[0]}" if old[0] != new[0] else ""
            what = f"was renamed to {self._new[new].short}" if old[1] != new[1] else "keeps its name"
            self._touches.note(f"{self._old[old].short} {what}{moved}: it reads the same, and so do its callers")
        if not any_change and not self._renamed:
            self._touches.note(
                "the code that changed reads the same but for comments, formatting, order and local names"
            )

    def _is_used(self, decl: Decl) -> bool:
        return (
            decl.kind == "method" or decl.name[1].startswith(("init#", "_#")) or any(self._head.callers.of(decl.name))
        )

    # Checks

    def _events(self, old: list[Decl], new: list[Decl], before: Normal, after: Normal) -> None:
        gone = chain.from_iterable(checks_of(one, self._base.places(one), before) for one in old)
        come = chain.from_iterable(checks_of(one, self._head.places(one), after) for one in new)
        for event in compare_checks(gone, come):
            code = self._base if event.in_base else self._head
            decl, node = event.check.where
            found = self._named(code, decl, [node])
            self._apply(code, decl, node, event.event, event.sentence, found, event.in_base)

    # Everything else

    def _lines(self, old: Decl, new: Decl, before: Normal, after: Normal) -> None:
        """Touch what the changed lines of a function that both sides have speak of."""
        before_lines, after_lines = min(
            (_differing(before.lines(old, numbered), after.lines(new, numbered)) for numbered in (True, False)),
            key=lambda lines: len(lines[0]) + len(lines[1]),
        )
        told: list[tuple[_GoSide, Decl, Node, _UsedFields, bool]] = []
        for code, decl, changed in ((self._head, new, after_lines), (self._base, old, before_lines)):
            nodes = list(statements_on(decl.body, changed)) if decl.body is not None else [decl.whole]
            for node in (nodes or [decl.whole]) if changed else ():  # without a statement, its head changed
                told.append((code, decl, node, self._named(code, decl, [node]), code is self._base))
        sure = [one for one in told if one[3].certain]  # what replaces them may be no more than a return
        for code, decl, node, found, in_base in sure or told:
            self._apply(code, decl, node, "changed", f"{decl.short} changed", found, in_base, quiet=True)

    def _rest(self, code: _GoSide, decl: Decl, event: Event, sentence: str) -> None:
        """Touch what a declaration speaks of that only one side has, where its checks did not say it already."""
        found = self._named(code, decl, [decl.whole])
        self._apply(code, decl, decl.node, event, sentence, found, code is self._base, quiet=True)

    def _named(self, code: _GoSide, decl: Decl, nodes: Iterable[Node]) -> _UsedFields:
        """Find the fields that pieces of a function name; else those of its callers; else the types it is for."""
        places = code.places(decl)
        for node in nodes:
            above: Node | None = node
            while above is not None and above != decl.node.parent:
                if members := _known(code, places.named_in(above)):
                    return _UsedFields(members)
                above = statement_of(above).parent if above.parent is not None else None
                if above == decl.body or above == decl.node:
                    break
        return self._from_callers(code, decl)

    def _from_callers(self, code: _GoSide, decl: Decl) -> _UsedFields:
        if decl.name[0] == VALIDATE:
            return self._declarative(code, decl)
        fields: dict[FieldUse, None] = {}
        types: set[str] = set()
        waiting, seen = [(decl, 0)], {decl.name}
        while waiting and len(fields) < _MOST:
            one, depth = waiting.pop(0)
            callers = list(code.callers.of(one.name))
            if not callers or depth >= _DEEPEST:
                types |= set(code.places(one).types())
            for caller, node in callers:
                named = _known(code, code.places(caller).named_in(statement_of(node)))
                fields |= named
                if not named and caller.name not in seen:
                    seen.add(caller.name)
                    waiting.append((caller, depth + 1))
        # Whoever speaks of a constant says what it is for; what a function is for may not be what its callers name.
        certain = decl.kind in ("const", "var") and bool(fields)
        return _UsedFields(fields, certain, frozenset() if fields else frozenset(types))

    def _declarative(self, code: _GoSide, decl: Decl) -> _UsedFields:
        """Find the fields whose generated code calls a check function, itself or through others of its package."""
        waiting, names = [decl], {decl.name[1]}
        while waiting:
            for caller, _ in code.callers.of(waiting.pop().name):
                if caller.name[0] == VALIDATE and caller.name[1] not in names:
                    names.add(caller.name[1])
                    waiting.append(caller)
        return _UsedFields({FieldUse(member, "", ()): None for member in users_of_checks(code.side, names)})

    def _apply(
        self, code: _GoSide, decl: Decl, node: Node, event: Event, sentence: str, found: _UsedFields, in_base: bool,
        quiet: bool = False,
    ) -> None:  # fmt: skip
        cause = _cause(decl)
        position = Position(decl.file.path, node.start_point.row + 1, node.start_point.column + 1)
        text = sentence if found.certain else f"{sentence}; which fields that judges was told from its callers"
        reason = Reason(cause, event, text, position, in_base, found.certain)
        for named in found.fields:
            via = [(name, named.trail) for name, _ in code.versions.members((named.root, ""))] if named.root else []
            for version in code.versions.members(named.member):
                if not (quiet and self._touches.has(version, cause)):
                    self._touches.touch(version, reason, via)
        if not found.fields:
            self._widen(code, decl, Reason(cause, event, _vague(sentence), position, in_base, False), found)

    def _widen(self, code: _GoSide, decl: Decl, reason: Reason, found: _UsedFields) -> None:
        if decl.kind not in ("func", "method") and not any(code.callers.of(decl.name)):
            self._touches.note(f"{decl.short} changed, and nothing that was read speaks of it")
            return
        kinds = code.versions.kinds(found.types)
        if not kinds and decl.name[0].startswith(REGISTRY):  # a strategy: others of its methods say what it is for
            folder = decl.file.path.rpartition("/")[0]
            types = {one for other in code.callers.package(folder).decls.values() for one in code.places(other).types()}
            kinds = code.versions.kinds_named(types)
        if not kinds:
            family = "/".join(decl.name[0].split("/")[:5])
            registry = decl.name[0].removeprefix(REGISTRY).split("/")[0]
            kinds = code.versions.kinds_of_family(family) or code.versions.kinds_of_family(f"{INTERNAL}{registry}")
        if kinds:
            self._touches.widen(sorted(kinds), reason)
        else:
            self._touches.note(f"{reason.sentence}: no kind that is known uses it")


def _differing(left: list[tuple[int, str]], right: list[tuple[int, str]]) -> tuple[set[int], set[int]]:
    """Return the lines of each side that the other does not have."""
    matcher = SequenceMatcher(None, [text for _, text in left], [text for _, text in right], autojunk=False)
    changed = [one for one in matcher.get_opcodes() if one[0] != "equal"]
    return (
        {line for _, start, end, _, _ in changed for line, _ in left[start:end]},
        {line for _, _, _, start, end in changed for line, _ in right[start:end]},
    )


def _vague(sentence: str) -> str:
    return f"{sentence}, and names no field: every field of the kind may be judged otherwise"


def _known(code: _GoSide, found: Mapping[FieldUse, None]) -> dict[FieldUse, None]:
    """Keep the fields that some kind may have: those of options and helpers are no API."""
    return {named: None for named in found if code.versions.members(named.member)}


def _cause(decl: Decl) -> Cause:
    if decl.name[0] == VALIDATE:  # generated code calls it: it is the declarative side
        return "generated"
    if "NormalizationRule" in text_of(decl.node) or "NormalizationRule" in decl.name[1]:
        return "normalization"
    return CODE.get(class_of(decl.file.path, "kubernetes"), "handwritten")
