"""Compares the Go code of Kubernetes that validates, normalizes, prepares, converts or defaults objects."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property

from harness.limits import read_checkout
from harness.verify.change import Cause, ChangedFile, KindName
from harness.verify.code import Code
from harness.verify.codechange import compare_declarations
from harness.verify.collector import Member, TouchCollector
from harness.verify.generated import VALIDATE
from harness.verify.gosource import read_package
from harness.verify.layout import class_of, import_path
from harness.verify.sides import INTERNAL, Side
from harness.verify.sources import Declaration, Name, SourceLine
from harness.verify.stale import fields_with_checks

CODE: Mapping[str, Cause] = {
    "handwritten": "handwritten",
    "normalization": "normalization",
    "strategy": "strategy",
    "conversion": "conversion",
    "defaults": "defaults",
}
"""Classes of files with code, and the cause that a change of them counts as."""
_REGISTRY = "k8s.io/kubernetes/pkg/registry/"
_TOPS = ("pkg/apis", "pkg/api", "pkg/registry", "staging/src/k8s.io/apimachinery/pkg")


class GoCode(Code):
    """The Go code of base or head. A package is parsed only when one of its files contains a searched name."""

    def __init__(self, side: Side) -> None:
        super().__init__(side)
        self._packages: dict[str, dict[Name, Declaration]] = {}

    def package(self, folder: str) -> Mapping[Name, Declaration]:
        """Return the declarations of a folder."""
        if folder not in self._packages:
            self._packages[folder] = read_package(self.side.root, folder, import_path(f"{folder}/x.go"))
        return self._packages[folder]

    def references(self, one: Declaration) -> Iterator[tuple[Declaration, tuple[SourceLine, ...]]]:
        """Yield references by name: in the same package, and qualified where the package is imported."""
        for folder in self._folders.get(one.bare.encode(), ()):
            for other in self.package(folder).values():
                if other is not one and one.bare in other.words:
                    lines = tuple(line for line in other.lines if _refers_to(line, other, one))
                    if lines:
                        yield other, lines

    @cached_property
    def _folders(self) -> dict[bytes, list[str]]:
        """The folders of code that contain each word."""
        words: dict[str, set[bytes]] = {}
        for top in _TOPS:
            for path in sorted((self.side.root / top).rglob("*.go")):
                shown = path.relative_to(self.side.root).as_posix()
                if class_of(shown, "kubernetes") in CODE:
                    words.setdefault(shown.rpartition("/")[0], set()).update(re.findall(rb"\w+", read_checkout(path)))
        found: dict[bytes, list[str]] = {}
        for folder, listed in words.items():
            for word in listed:
                found.setdefault(word, []).append(folder)
        return found

    def entry_kinds(self, one: Declaration) -> Collection[tuple[KindName, Cause | None]]:
        """Return the kinds of a strategy, by its folder; for code without callers, those whose types it mentions."""
        if one.name[0].startswith(_REGISTRY):
            group, _, folder = one.name[0].removeprefix(_REGISTRY).partition("/")
            own = self._kinds_of(f"{INTERNAL}{group}")
            resource = folder.partition("/")[0]
            named = [kind for kind in own if resource in (kind.kind.lower(), f"{kind.kind.lower()}s")]
            return [(kind, None) for kind in named or own]
        if next(self.references(one), None) is not None:
            return ()
        family = self._kinds_of("/".join(one.name[0].split("/")[:5]))
        packages = {self.side.kinds[kind].package for kind in family}
        kinds = self.kinds_with({f"{package}.{word}" for package in packages for word in one.words})
        return [(kind, None) for kind in (family if one.bare == "init" else kinds)]

    def _kinds_of(self, family: str) -> list[KindName]:
        return [kind.name for kind in self.side.kinds.values() if family in kind.families]

    def cause(self, one: Declaration) -> Cause:
        """Return the cause of a declaration, from its file and the types it mentions."""
        if self.is_check(one):
            return "generated"
        if "NormalizationRule" in one.words:
            return "normalization"
        return CODE.get(class_of(one.path, "kubernetes"), "handwritten")

    def is_check(self, one: Declaration) -> bool:
        """Whether a declaration is in the package of check functions that generated code calls."""
        return one.name[0] == VALIDATE

    def checked_fields(self, one: Declaration) -> Collection[Member]:
        """Return the fields whose generated code calls a check function, directly or through others of its package."""
        waiting, names = [one], {one.name[1]}
        while waiting:
            for user, _ in self.references(waiting.pop()):
                if self.is_check(user) and user.name[1] not in names:
                    names.add(user.name[1])
                    waiting.append(user)
        return set(fields_with_checks(self.side, names))


def _refers_to(line: SourceLine, user: Declaration, one: Declaration) -> bool:
    is_method, is_near = "." in one.name[1], user.name[0] == one.name[0]
    for number, token in enumerate(line.tokens):
        if token == one.bare:
            before = line.tokens[max(0, number - 2) : number]
            if before[-1:] != (".",):
                if is_near and not is_method:
                    return True
            elif (is_near and is_method) or (len(before) == 2 and user.imports.get(before[0]) == one.name[0]):
                return True
    return False


def compare_code(base: Side, head: Side, files: Iterable[ChangedFile], collector: TouchCollector) -> None:
    """Compare the Go code of the changed files that validates, normalizes, prepares, converts or defaults objects."""
    changed = [one for one in files if one.file_class in CODE and one.path.endswith(".go")]
    folders = sorted({path.rpartition("/")[0] for one in changed for path in (one.path, one.before) if path})
    if folders:
        codes = GoCode(base), GoCode(head)
        old, new = ({name: one for folder in folders for name, one in code.package(folder).items()} for code in codes)
        if not compare_declarations(*codes, old, new, collector):
            collector.add_note("the code that changed reads the same but for comments, formatting and order")
