"""From changed Python of suites to the fields it judges, and from changed suite.py to the kinds it describes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path

from harness.diagnostics import Position
from harness.jsonpath import join
from harness.suite import Suite, SuiteKind
from harness.verify.change import Cause, ChangedFile, Event, KindName, Reason
from harness.verify.checks import COVERED, CheckCall, compare_checks, one_line
from harness.verify.jsonpaths import Located, locate
from harness.verify.pycode import PyDecl, PyNormal, keywords_of, read_module
from harness.verify.pyfiles import imports_of, is_data, module_of, own_files
from harness.verify.pypaths import PyPaths
from harness.verify.renames import Name, renames
from harness.verify.sides import Side
from harness.verify.touches import Touches

_DATA = ("resource", "versions", "internal_version", "subresources", "operations", "normalization", "options",
         "namespaced", "root")  # fmt: skip
_SUITE_DATA = ("group", "composition", "gates", "release")
_CALLED: tuple[tuple[str, Cause], ...] = (
    ("handwritten", "handwritten"), ("prepare", "strategy"), ("defaults", "defaults"), ("conversions", "conversion"),
)  # fmt: skip


@dataclass(frozen=True)
class _SuiteCode:
    """The code of one suite on one side."""

    side: Side
    suite: Suite
    decls: Mapping[Name, PyDecl]
    paths: Mapping[str, PyPaths]

    @classmethod
    def of(cls, side: Side, folder: str, files: Iterable[ChangedFile]) -> _SuiteCode:
        suite = side.suites[folder]
        decls: dict[Name, PyDecl] = {}
        for path in _sources(side, folder, files):
            decls |= read_module(side.root, path)
        entries = {kind.kind: _name_of(side.root, kind.handwritten) for kind in suite.kinds}
        return cls(side, suite, decls, {kind: PyPaths(decls, entry) for kind, entry in entries.items()})

    def kinds(self, kind: str) -> list[KindName]:
        """The versions of a kind."""
        found = (one for one in self.side.kinds.values() if self.suite.name in one.families and one.name.kind == kind)
        return [one.name for one in found]

    def checks(self, decls: Iterable[PyDecl]) -> Iterator[CheckCall[tuple[PyDecl, ast.AST]]]:
        """Yield the checks of functions."""
        for decl in decls:
            for node in ast.walk(decl.node):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    handed = [*node.args, *(one.value for one in node.keywords)]
                    places = [one for one in handed if any(p.is_path(decl, one) for p in self.paths.values())]
                    if places:
                        yield _check(decl, node, places)


def _sources(side: Side, folder: str, files: Iterable[ChangedFile]) -> list[Path]:
    """Return the Python files of a suite: all of its folder, and changed ones that these import."""
    own = own_files(side.root, folder)
    imported = imports_of(side.root, own)
    changed = [side.root / one.path for one in files if one.file_class == "handwritten"]
    return own + [path for path in changed if path in imported and path not in own]


def _name_of(root: Path, function: object) -> Name:
    """Return what a callable goes by: its module in the checkout, and its name there."""
    file, name = Path(getattr(function, "file", "")), str(getattr(function, "name", ""))
    return (module_of(root, file) if file.is_absolute() and file.is_relative_to(root) else str(file)), name


def _check(decl: PyDecl, node: ast.Call, places: list[ast.expr]) -> CheckCall[tuple[PyDecl, ast.AST]]:
    covered = [one for one in node.keywords if one.arg == "covered"]
    marked = any(isinstance(one.value, ast.Constant) and one.value.value is True for one in covered)
    plain = ast.Call(node.func, node.args, [one for one in node.keywords if one not in covered])
    words = "/".join(str(one.value) for place in places for one in ast.walk(place) if isinstance(one, ast.Constant))
    callee = ast.unparse(node.func)
    text = one_line(ast.unparse(node))
    return CheckCall(
        decl.name, decl.short, callee, words, ast.unparse(plain), (COVERED,) if marked else (), text, (decl, node)
    )


def compare_suites(base: Side, head: Side, files: Iterable[ChangedFile], touches: Touches) -> None:
    """Compare the Python of every suite that both sides have, and what suite.py says of its kinds."""
    listed = [one for one in files if one.path.endswith(".py")]
    for folder in sorted(base.suites.keys() | head.suites.keys()):
        if folder not in base.suites or folder not in head.suites:
            side = head if folder in head.suites else base
            _whole_suite(side, folder, "added" if side is head else "removed", touches)
        elif listed:
            codes = _SuiteCode.of(base, folder, listed), _SuiteCode.of(head, folder, listed)
            renamed = _compare_code(*codes, touches)
            _compare_data(*codes, folder, renamed, touches)
        if folder in head.suites:
            _others(head, folder, files, touches)


def _others(head: Side, folder: str, files: Iterable[ChangedFile], touches: Touches) -> None:
    """Widen for what changed and was not read: modules behind other modules, and data beside the code."""
    suite, own = head.suites[folder], own_files(head.root, folder)
    near, all_imported = imports_of(head.root, own), imports_of(head.root, own, deep=True)
    kinds = [one.name for one in head.kinds.values() if suite.name in one.families]
    for one in files:
        path = head.root / one.path
        is_code = one.file_class == "handwritten" and path in all_imported and path not in near and path not in own
        if is_code or (one.file_class == "other" and is_data(one.path, folder)):
            what = "is imported by what the suite imports" if is_code else "lies in the suite, whose code may read it"
            sentence = f"{one.path} changed, which {what}"
            touches.widen(kinds, Reason("handwritten", "changed", sentence, Position(one.path), certain=False))


def _whole_suite(side: Side, folder: str, event: Event, touches: Touches) -> None:
    suite = side.suites[folder]
    kinds = [one.name for one in side.kinds.values() if suite.name in one.families]
    sentence = f"the suite {suite.name} is {'new' if event == 'added' else 'gone'}"
    touches.widen(kinds, Reason("suite", event, sentence, Position(f"{folder}/suite.py"), event == "removed"))


# What suite.py says


def _compare_data(
    old: _SuiteCode, new: _SuiteCode, folder: str, renamed: Mapping[Name, Name], touches: Touches
) -> None:
    place = Position(f"{folder}/suite.py")
    for name in _SUITE_DATA:
        before, after = getattr(old.suite, name), getattr(new.suite, name)
        if before != after:
            kinds = [kind for one in new.suite.kinds for kind in new.kinds(one.kind)]
            touches.widen(kinds, Reason("suite", "changed", f"{name} was {before!r} and is {after!r}", place))
    known = {kind.kind: kind for kind in old.suite.kinds}
    for kind in new.suite.kinds:
        before_kind = known.get(kind.kind)
        if before_kind is not None:
            for reason in (*_of_kind(before_kind, kind, place), *_of_callables(old, new, before_kind, kind, renamed)):
                touches.widen(new.kinds(kind.kind), reason)


def _of_kind(old: SuiteKind, new: SuiteKind, place: Position) -> Iterator[Reason]:
    for name in _DATA:
        before, after = getattr(old, name), getattr(new, name)
        if _plain(before) != _plain(after):
            cause: Cause = "normalization" if name == "normalization" else "suite"
            yield Reason(cause, "changed", f"{name} of {new.kind} was {before!r} and is {after!r}", place)


def _of_callables(
    old: _SuiteCode, new: _SuiteCode, before: SuiteKind, after: SuiteKind, renamed: Mapping[Name, Name]
) -> Iterator[Reason]:
    for name, cause in _CALLED:
        one, other = _callables(old.side.root, getattr(before, name)), _callables(new.side.root, getattr(after, name))
        if {key: renamed.get(called, called) for key, called in one.items()} != other:
            place = Position(f"{new.suite.folder.relative_to(new.side.root).as_posix()}/suite.py")
            yield Reason(cause, "changed", f"{name} of {after.kind} is other code", place)


def _plain(value: object) -> object:
    """Forget whether a sequence is a list or a tuple."""
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value


def _callables(root: Path, value: object) -> dict[object, Name]:
    if isinstance(value, Mapping):
        return {key: _name_of(root, one) for key, one in value.items()}
    return {"": _name_of(root, value)} if value is not None else {}


# Code


def _compare_code(old: _SuiteCode, new: _SuiteCode, touches: Touches) -> dict[Name, Name]:
    fixed = keywords_of([*old.decls.values(), *new.decls.values()])
    renamed = renames(old.decls, new.decls, lambda known, names: PyNormal(known, names, fixed).text)
    before, after = PyNormal(old.decls, renamed, fixed), PyNormal(new.decls, None, fixed)
    pairs = {name: renamed.get(name, name) for name in old.decls}
    gone, both = [], []
    for name, other in pairs.items():
        if other not in new.decls:
            gone.append(old.decls[name])
        elif before.text(old.decls[name]) != after.text(new.decls[other]):
            both.append((old.decls[name], new.decls[other]))
    come = [decl for name, decl in new.decls.items() if name not in pairs.values()]
    told = _Teller(old, new, touches)
    for one, other in sorted(renamed.items()):
        moved = f" and moved to {other[0]}" if one[0] != other[0] else ""
        touches.note(f"{one[1]} was renamed to {other[1]}{moved}: it reads the same, and so do its callers")
    events = compare_checks(
        old.checks([*gone, *(first for first, _ in both)]), new.checks([*come, *(second for _, second in both)])
    )
    for event in events:
        decl, node = event.check.where
        told.tell(decl, [node], event.event, event.sentence, event.in_base)
    for first, second in both:
        if second.name[1] != "SUITE":  # what it says is compared as data
            told.lines(first, second, before, after)
    for decl in gone:
        told.tell(decl, [decl.node], "removed", f"{decl.short} is gone", True, quiet=True)
    for decl in come:
        told.tell(decl, [decl.node], "added", f"{decl.short} is new", False, quiet=True)
    return renamed


class _Teller:
    """Touches what changed code speaks of, kind by kind."""

    def __init__(self, old: _SuiteCode, new: _SuiteCode, touches: Touches) -> None:
        self._old, self._new, self._touches = old, new, touches

    def lines(self, old: PyDecl, new: PyDecl, before: PyNormal, after: PyNormal) -> None:
        """Touch what the statements speak of that only one side has."""
        left, right = before.statements(old), after.statements(new)
        matcher = SequenceMatcher(None, [text for text, _ in left], [text for text, _ in right], autojunk=False)
        changed = [one for one in matcher.get_opcodes() if one[0] != "equal"]
        sentence = f"{new.short} changed"
        if not changed:
            self.tell(new, [new.node], "changed", sentence, False, quiet=True)
        for _, start, end, first, last in changed:
            sides = [
                (new, [node for _, node in right[first:last]], False),
                (old, [node for _, node in left[start:end]], True),
            ]
            telling = [one for one in sides if one[1] and self._names_any(*one)]
            for decl, nodes, in_base in telling or [one for one in sides if one[1]]:
                self.tell(decl, nodes, "changed", sentence, in_base, quiet=True)

    def _names_any(self, decl: PyDecl, nodes: list[ast.stmt], in_base: bool) -> bool:
        """Whether pieces of a function name a path: what replaces them may be no more than `pass`."""
        code = self._old if in_base else self._new
        return any(paths.named_in(decl, nodes) for paths in code.paths.values())

    def tell(
        self, decl: PyDecl, nodes: list[ast.AST] | list[ast.stmt], event: Event, sentence: str, in_base: bool,
        quiet: bool = False,
    ) -> None:  # fmt: skip
        """Touch the fields that pieces of a declaration speak of; whole kinds where they speak of none."""
        code = self._old if in_base else self._new
        place = decl.position(nodes[0])
        used = False
        for kind in code.suite.kinds:
            for name, cause in _CALLED:
                entries = set(_callables(code.side.root, getattr(kind, name)).values())
                if decl.name not in _reached(code.decls, entries):
                    continue
                used = True
                if cause == "handwritten":
                    self._touch(code, kind, decl, nodes, Reason(cause, event, sentence, place, in_base), quiet)
                else:
                    self._touches.widen(code.kinds(kind.kind), Reason(cause, event, sentence, place, in_base))
        if not used:
            self._touches.note(f"{sentence}: nothing of the suite {code.suite.name} uses it")

    def _touch(
        self, code: _SuiteCode, kind: SuiteKind, decl: PyDecl, nodes: Iterable[ast.AST], reason: Reason, quiet: bool
    ) -> None:
        paths = code.paths[kind.kind]
        found, certain = paths.named_in(decl, nodes) | _spoken_of(paths.handed(decl), nodes), True
        located: list[Located] = []
        if not any(locate(code.side, code.suite, kind, path) for path in found if path):
            found, certain = _of_users(code, paths, decl), decl.kind == "var"
        for path in sorted(found):
            located += locate(code.side, code.suite, kind, path) if path else []
        if not located:
            sentence = f"{reason.sentence}, and names no field: every field of the kind may be judged otherwise"
            self._touches.widen(code.kinds(kind.kind), replace(reason, sentence=sentence, certain=False))
        for one in located:
            if not (quiet and self._touches.has(one.member, reason.cause)):
                self._touches.touch(one.member, replace(reason, certain=certain), [one.via])


def _spoken_of(handed: Iterable[str], nodes: Iterable[ast.AST]) -> set[str]:
    """Return what may be members of the values that a function is handed: `strategy.get("type")` names one."""
    inside = [one for node in nodes for one in ast.walk(node)]
    words = {one.value for one in inside if isinstance(one, ast.Constant) and isinstance(one.value, str)}
    return {join(path, word) for path in handed for word in words if word.isidentifier()}


def _of_users(code: _SuiteCode, paths: PyPaths, decl: PyDecl) -> set[str]:
    """Return the paths that a function is handed; of a constant, those of the statements that speak of it."""
    found = paths.handed(decl)
    waiting, seen = [decl.name], {decl.name}
    normal = PyNormal(code.decls)
    while waiting and not found:
        wanted = waiting.pop(0)
        for one in code.decls.values():
            nodes = [node for name, node in normal.references(one) if name == wanted]
            if nodes and one.name not in seen:
                seen.add(one.name)
                statements = [_statement(one.node, node) for node in nodes]
                near = paths.named_in(one, statements) or paths.handed(one)
                found |= near
                waiting += [] if near else [one.name]
    return found


def _statement(top: ast.stmt, node: ast.AST) -> ast.AST:
    """Return the smallest statement that holds a node; of one with a body its head, when the node is there."""
    inside = [one for one in ast.walk(top) if isinstance(one, ast.stmt) and any(part is node for part in ast.walk(one))]
    return inside[-1] if inside else top


def _reached(decls: Mapping[Name, PyDecl], entries: Iterable[Name]) -> set[Name]:
    """Return the names that some functions speak of, directly or not, they themselves included."""
    normal = PyNormal(decls)
    waiting, seen = list(entries), set(entries)
    while waiting:
        name = waiting.pop()
        for other, _ in normal.references(decls[name]) if name in decls else ():
            if other in decls and other not in seen:
                seen.add(other)
                waiting.append(other)
    return seen
