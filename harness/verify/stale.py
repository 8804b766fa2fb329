"""Finds generated validators that do not match the types: types edited and not regenerated, or code edited by hand.

Only differences that the change caused are reported: an element is skipped when neither its tags nor its generated code
changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from pathlib import Path

from harness.diagnostics import Position
from harness.verify.change import ChangedFile, Event, KindName, Reason, StaleFile
from harness.verify.collector import Member, TouchCollector
from harness.verify.generated import FILE, Call, Generated, GeneratedElement, expected_calls, plain_name, read_generated
from harness.verify.layout import import_path
from harness.verify.sides import Side

COMMAND = "hack/update-codegen.sh validation"
_API_FOLDERS = ("pkg/apis", "staging/src/k8s.io/api", "staging/src/k8s.io/apimachinery/pkg/apis")
_MAX_CALLS = 4


def fields_with_checks(side: Side, names: Collection[str]) -> Iterator[Member]:
    """Yield every element whose generated code calls one of some check functions, by their Go names."""
    wanted = {plain_name(name) for name in names}
    for member, (_, element) in _GeneratedCode(side, ()).elements.items():
        if any(call.name in wanted for call in element.calls):
            yield member


def compare_generated(base: Side, head: Side, files: Iterable[ChangedFile], collector: TouchCollector) -> None:
    """Collect the elements whose generated code differs, and kinds whose registration does."""
    for one in files:
        if one.file_class != "generated":
            continue
        before = _read(base, one.before or one.path)
        after = _read(head, one.path)
        for member in sorted(before.elements.keys() | after.elements.keys()):
            old, new = before.elements.get(member), after.elements.get(member)
            if (old.text if old else "") != (new.text if new else ""):
                event: Event = "changed" if old and new else "added" if new else "removed"
                calls = [found.calls if found else Counter[Call]() for found in (old, new)]
                sentence = _difference(*calls)
                place = new or old
                position = Position(one.path, place.line if place else 0)
                collector.touch_field(member, Reason("generated", event, sentence, position, new is None))
        if before.registered != after.registered:
            package = import_path(one.path)
            own = [kind for kind in head.kinds.values() if package in (kind.package, _generating(head, kind.package))]
            sentence = f"{one.path} registers or compares in another way"
            collector.touch_kinds(
                [kind.name for kind in own], Reason("generated", "changed", sentence, Position(one.path, 1))
            )


def _read(side: Side, path: str) -> Generated:
    return read_generated(side.root / path, path, import_path(path), side.universe)


def _generating(side: Side, package: str) -> str:
    folder = side.generated.get(package)
    if folder is None or not folder.is_relative_to(side.root):
        return ""
    return import_path(f"{folder.relative_to(side.root).as_posix()}/{FILE}")


def _difference(old: Counter[Call], new: Counter[Call]) -> str:
    removed, added = old - new, new - old
    if not removed and not added:
        return "generated code does the same checks in another way"
    parts = [f"no longer does {_listed(removed)}" if removed else "", f"does {_listed(added)}" if added else ""]
    return f"generated code {' and '.join(filter(None, parts))}"


class _GeneratedCode:
    """The calls that the types of base or head require, and those of its generated files, by element."""

    def __init__(self, side: Side, packages: Collection[str]) -> None:
        self._side, self._packages = side, packages

    @cached_property
    def files(self) -> list[Generated]:
        """Every generated file."""
        root = self._side.root
        found: list[Path] = sorted(path for top in _API_FOLDERS for path in (root / top).rglob(FILE))
        return [_read(self._side, path.relative_to(root).as_posix()) for path in found]

    @cached_property
    def elements(self) -> dict[Member, tuple[str, GeneratedElement]]:
        """The generated code of each element, with its file."""
        return {member: (one.path, found) for one in self.files for member, found in one.elements.items()}

    @cached_property
    def expected(self) -> dict[Member, Counter[Call]]:
        """The calls that the types of some packages require, and the types that they contain."""
        found: dict[Member, Counter[Call]] = {}
        for path in sorted(self._packages):
            compiled = self._side.compiled(path)
            for name, plan in compiled.plan.types.items() if compiled is not None else ():
                for go_field, calls in expected_calls(plan).items():
                    found.setdefault((name, go_field), calls)
        return found

    @property
    def readable(self) -> set[str]:
        """The packages that compile: the calls that others require are unknown."""
        return {path for path in self._packages if self._side.compiled(path) is not None}

    def calls(self, member: Member) -> Counter[Call]:
        """Return the calls of generated code for an element."""
        return self.elements[member][1].calls if member in self.elements else Counter()


def stale_code(base: Side, head: Side, files: Iterable[ChangedFile], kinds: Iterable[KindName]) -> Iterator[StaleFile]:
    """Yield every element with stale generated code, by file. `kinds` are those whose tags or types changed."""
    listed = [one for one in files if one.file_class in ("types", "doc", "generated")]
    named = {kind.package for name in kinds if (kind := head.kinds.get(name)) is not None}
    packages = named | {path for path in head.packages if _is_changed(head, path, listed)}
    if any(one.file_class == "generated" and "apimachinery" in one.path for one in listed):
        packages |= head.packages.keys()
    if packages:
        before, after = _GeneratedCode(base, packages), _GeneratedCode(head, packages)
        found = list(_compare_elements(before, after, packages))
        yield from sorted(found, key=lambda one: (one.file, one.position, one.type_name, one.go_field))


def _is_changed(head: Side, path: str, files: Iterable[ChangedFile]) -> bool:
    folder = head.generated.get(path)
    inside = folder.relative_to(head.root).as_posix() if folder is not None and folder.is_relative_to(head.root) else ""
    return any(one.path == f"{inside}/{FILE}" or import_path(one.path) == path for one in files)


def _compare_elements(before: _GeneratedCode, after: _GeneratedCode, packages: Collection[str]) -> Iterator[StaleFile]:
    own = {path: _file_of(after, path) for path in sorted(packages)}
    readable = after.readable
    known = {name for name, _ in (*before.expected, *after.expected)}
    for member in sorted(after.expected.keys() | after.elements.keys()):
        package = member[0].rpartition(".")[0]
        if member not in after.expected and (package not in readable or member[0] not in known):
            continue  # its package was not compiled, or no kind contains the type
        wanted, done = after.expected.get(member, Counter()), after.calls(member)
        if wanted == done:
            continue
        old_wanted, old_done = before.expected.get(member, Counter()), before.calls(member)
        if wanted == old_wanted and done == old_done:
            continue
        place, element = after.elements.get(member, (own.get(package, ""), None))
        yield StaleFile(
            file=place,
            type_name=member[0],
            go_field=member[1],
            sentence=_sentence(wanted, done, element is None),
            position=Position(place, element.line if element is not None else 0),
            command=COMMAND,
            edited=wanted == old_wanted,
        )


def _file_of(code: _GeneratedCode, package: str) -> str:
    """Return the generated file that validates the types of a package."""
    for (name, _), (path, _) in code.elements.items():
        if name.rpartition(".")[0] == package:
            return path
    return ""


def _sentence(wanted: Counter[Call], done: Counter[Call], missing: bool) -> str:
    more, less = wanted - done, done - wanted
    if missing:
        return f"the types order {_listed(more)}; no generated code validates it"
    parts = [f"the types order {_listed(more)}" if more else "", f"the file does {_listed(less)}" if less else ""]
    return "; ".join(filter(None, parts)) + ("" if more and less else ", which the other does not")


def _listed(calls: Counter[Call]) -> str:
    listed = [str(call) for call in sorted(calls.elements())]
    rest = len(listed) - _MAX_CALLS
    return ", ".join(listed[:_MAX_CALLS]) + (f" and {rest} more" if rest > 0 else "")
