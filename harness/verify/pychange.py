"""Compares suites: their Python code by the names in lines that differ, and the data of suite.py by kind."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from harness.diagnostics import Position
from harness.suite import Suite, SuiteKind
from harness.verify.change import Cause, ChangedFile, Event, KindName, Reason
from harness.verify.code import Code
from harness.verify.codechange import compare_declarations, find_renames
from harness.verify.collector import TouchCollector
from harness.verify.pyfiles import imports_of, is_data, module_of, own_files
from harness.verify.pysource import read_module
from harness.verify.sides import Side
from harness.verify.sources import Declaration, Name, SourceLine

_KIND_DATA = ("resource", "versions", "internal_version", "subresources", "operations", "normalization", "options",
         "namespaced", "root")  # fmt: skip
_SUITE_DATA = ("group", "composition", "gates", "release")
_CALLABLE_CAUSES: tuple[tuple[str, Cause], ...] = (
    ("handwritten", "handwritten"), ("prepare", "strategy"), ("defaults", "defaults"), ("conversions", "conversion"),
)  # fmt: skip


class SuiteCode(Code):
    """The Python code of one suite in base or head: its folder, and the changed files that it imports."""

    def __init__(self, side: Side, folder: str, files: Iterable[ChangedFile]) -> None:
        super().__init__(side)
        self.suite: Suite = side.suites[folder]
        self.declarations: dict[Name, Declaration] = {}
        for path in _sources(side, folder, files):
            self.declarations |= read_module(side.root, path)

    def references(self, one: Declaration) -> Iterator[tuple[Declaration, tuple[SourceLine, ...]]]:
        """Yield references by name, in the same module or where the name is imported."""
        for other in self.declarations.values():
            is_near = other.name[0] == one.name[0]
            shown = [one.bare] if is_near else [here for here, name in other.imports.items() if name == one.bare]
            lines = tuple(line for line in other.lines if any(word in line.tokens for word in shown))
            if other is not one and lines:
                yield other, lines

    def entry_kinds(self, one: Declaration) -> Collection[tuple[KindName, Cause | None]]:
        """Return the kinds for which suite.py names a declaration."""
        return self._entry_kinds.get(one.name, ())

    @cached_property
    def _entry_kinds(self) -> dict[Name, list[tuple[KindName, Cause | None]]]:
        found: dict[Name, list[tuple[KindName, Cause | None]]] = {}
        for kind in self.suite.kinds:
            for attribute, cause in _CALLABLE_CAUSES:
                for name in _callables(self.side.root, getattr(kind, attribute)).values():
                    found.setdefault(name, []).extend((one, cause) for one in self.kinds_of(kind.kind))
        return found

    def kinds_of(self, kind: str) -> list[KindName]:
        """Return the versions of a kind."""
        found = (one for one in self.side.kinds.values() if self.suite.name in one.families and one.name.kind == kind)
        return [one.name for one in found]


def _sources(side: Side, folder: str, files: Iterable[ChangedFile]) -> list[Path]:
    """Return the Python files of a suite: those in its folder, and changed files that these import."""
    own = own_files(side.root, folder)
    imported = imports_of(side.root, own)
    changed = [side.root / one.path for one in files if one.file_class == "handwritten"]
    return own + [path for path in changed if path in imported and path not in own]


def _name_of(root: Path, function: object) -> Name:
    """Return the name of a callable: its module in the checkout, and its name there."""
    file, name = Path(getattr(function, "file", "")), str(getattr(function, "name", ""))
    return (module_of(root, file) if file.is_absolute() and file.is_relative_to(root) else str(file)), name


def _callables(root: Path, value: object) -> dict[object, Name]:
    if isinstance(value, Mapping):
        return {key: _name_of(root, one) for key, one in value.items()}
    return {"": _name_of(root, value)} if value is not None else {}


def compare_suites(base: Side, head: Side, files: Iterable[ChangedFile], collector: TouchCollector) -> None:
    """Compare the Python code of every suite that base and head have, and the data of its suite.py."""
    listed = [one for one in files if one.path.endswith(".py")]
    for folder in sorted(base.suites.keys() | head.suites.keys()):
        if folder not in base.suites or folder not in head.suites:
            side = head if folder in head.suites else base
            _touch_whole_suite(side, folder, "added" if side is head else "removed", collector)
        elif listed:
            old, new = SuiteCode(base, folder, listed), SuiteCode(head, folder, listed)
            # The data of SUITE is compared by `_compare_data`.
            before, after = (
                {name: one for name, one in code.declarations.items() if name[1] != "SUITE"} for code in (old, new)
            )
            compare_declarations(old, new, before, after, collector)
            _compare_data(old, new, folder, find_renames(before, after), collector)
        if folder in head.suites:
            _touch_unread_files(head, folder, files, collector)


def _touch_unread_files(head: Side, folder: str, files: Iterable[ChangedFile], collector: TouchCollector) -> None:
    """Touch all kinds of a suite for changed files that are not compared: indirectly imported modules, and data."""
    suite, own = head.suites[folder], own_files(head.root, folder)
    near, all_imported = imports_of(head.root, own), imports_of(head.root, own, deep=True)
    kinds = [one.name for one in head.kinds.values() if suite.name in one.families]
    for one in files:
        path = head.root / one.path
        is_code = one.file_class == "handwritten" and path in all_imported and path not in near and path not in own
        if is_code or (one.file_class == "other" and is_data(one.path, folder)):
            what = "is imported by what the suite imports" if is_code else "lies in the suite, whose code may read it"
            sentence = f"{one.path} changed, which {what}"
            collector.touch_kinds(kinds, Reason("handwritten", "changed", sentence, Position(one.path), certain=False))


def _touch_whole_suite(side: Side, folder: str, event: Event, collector: TouchCollector) -> None:
    suite = side.suites[folder]
    kinds = [one.name for one in side.kinds.values() if suite.name in one.families]
    sentence = f"the suite {suite.name} is {'new' if event == 'added' else 'gone'}"
    collector.touch_kinds(kinds, Reason("suite", event, sentence, Position(f"{folder}/suite.py"), event == "removed"))


# The data of suite.py


def _compare_data(
    old: SuiteCode, new: SuiteCode, folder: str, renamed: Mapping[Name, Name], collector: TouchCollector
) -> None:
    place = Position(f"{folder}/suite.py")
    for name in _SUITE_DATA:
        before, after = getattr(old.suite, name), getattr(new.suite, name)
        if before != after:
            kinds = [kind for one in new.suite.kinds for kind in new.kinds_of(one.kind)]
            collector.touch_kinds(kinds, Reason("suite", "changed", f"{name} was {before!r} and is {after!r}", place))
    known = {kind.kind: kind for kind in old.suite.kinds}
    for kind in new.suite.kinds:
        before_kind = known.get(kind.kind)
        if before_kind is not None:
            for reason in (
                *_kind_reasons(before_kind, kind, place),
                *_callable_reasons(old, new, before_kind, kind, renamed),
            ):
                collector.touch_kinds(new.kinds_of(kind.kind), reason)


def _kind_reasons(old: SuiteKind, new: SuiteKind, place: Position) -> Iterator[Reason]:
    for name in _KIND_DATA:
        before, after = getattr(old, name), getattr(new, name)
        if _normalize_sequences(before) != _normalize_sequences(after):
            cause: Cause = "normalization" if name == "normalization" else "suite"
            yield Reason(cause, "changed", f"{name} of {new.kind} was {before!r} and is {after!r}", place)


def _callable_reasons(
    old: SuiteCode, new: SuiteCode, before: SuiteKind, after: SuiteKind, renamed: Mapping[Name, Name]
) -> Iterator[Reason]:
    for name, cause in _CALLABLE_CAUSES:
        one, other = _callables(old.side.root, getattr(before, name)), _callables(new.side.root, getattr(after, name))
        if {key: renamed.get(called, called) for key, called in one.items()} != other:
            place = Position(f"{new.suite.folder.relative_to(new.side.root).as_posix()}/suite.py")
            yield Reason(cause, "changed", f"{name} of {after.kind} is other code", place)


def _normalize_sequences(value: object) -> object:
    """Convert tuples to lists, so that both compare as equal."""
    if isinstance(value, Mapping):
        return {key: _normalize_sequences(one) for key, one in value.items()}
    return [_normalize_sequences(one) for one in value] if isinstance(value, list | tuple) else value
