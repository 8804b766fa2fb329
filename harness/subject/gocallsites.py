"""Finds who calls a function in the Go files of a release, and what else these files show about a check.

Calls through a variable (`validateName = other.ValidateName`) and functions that are handed on as values count too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path

from harness.diagnostics import InputError
from harness.gotypes.branches import GoSource
from harness.gotypes.gocalls import Mention
from harness.gotypes.literals import go_files
from harness.limits import read_checkout
from harness.sourcecode import CodeBranch
from harness.subject.callsites import CallSite, CallSites, CodeLine

_MODULE = "k8s.io/kubernetes"
_VALIDATORS = ("pkg/apis/*/validation", "pkg/*/apis/*/validation", "plugin/pkg/*/*/apis/*/validation")
"""The folders of validators: of kinds, and of the configuration of components and of admission plugins."""
_COMMON = {"k8s.io/apimachinery": "pkg/api/validation", "k8s.io/apiserver": "pkg/registry/rest"}
"""The folders of other modules whose code validates objects of all kinds."""
MODULES = tuple(_COMMON)
_GENERATION = re.compile(r"// \+k8s:validation-gen=")
_GROUP = re.compile(r"// \+groupName=(.*)")
_MARK = re.compile(r"\b\w*Covered\b")
_CHECKS = re.compile(r"^(?!k8s\.io/kubernetes/).*valid.*(?<!/field)$")
"""Import paths of libraries of checks; an error that another validator of the release makes has its line there."""
_CONSTRUCTOR = re.compile(
    r"^(?:Invalid|Required|Forbidden|Duplicate|NotSupported|NotFound|TooLong\w*|TooMany|TypeInvalid|InternalError)$"
)
_MOST_PARSED = 6  # files whose trees are kept


class GoCallSites(CallSites):
    """The calls in the handwritten validators below a folder; `modules` are the folders of others by their path."""

    def __init__(self, root: Path, modules: Mapping[str, Path] | None = None) -> None:
        self._root, self._modules = root, dict(modules or {})
        self._sources: dict[Path, GoSource] = {}
        self._parsed: list[Path] = []
        self._uses = lru_cache(maxsize=1024)(self._find_uses)
        self._forwarded = lru_cache(maxsize=4096)(self._forwarded_at)
        self._files_in = lru_cache(maxsize=1024)(_list_files)

    def source(self, file: str) -> GoSource:
        """Return a file as findings name it; an empty one if it cannot be read."""
        return self._read(self._path_of(file))

    def files_beside(self, file: str) -> Iterator[str]:
        """Yield the files of the package of a file, as findings name them."""
        path = self._path_of(file)
        for one in self._files_in(path.parent):
            yield self._name_of(one)

    def find_generation(self, group: str, version: str) -> tuple[str, int, str] | None:
        """Return the file of a version's package that says what is generated for it, and the line about validation:
        0 if it has none. None if there is no such package.
        """
        for path in sorted(self._root.glob(f"pkg/apis/*/{version}/doc.go")):
            lines = self._data_of(path).lines
            if _group_in(lines) != group:
                continue
            found = next((number for number, line in enumerate(lines, 1) if _GENERATION.match(line)), 0)
            return self._name_of(path), found, lines[found - 1].removeprefix("//").strip() if found else ""
        return None

    def find_conversions(self, group: str, version: str, type: str, member: str) -> Iterator[tuple[str, str]]:
        """Yield the members of a version's type that are converted into a member of another name, with their lines.

        `member` may be that of a member, such as `service.name`, and so may be what is yielded.
        """
        name = re.escape(member)
        wanted = re.compile(rf"\bin\.(\w+)\b.*\bout\.{name}\b(?!\.)|\bout\.{name} = in\.(\w+(?:\.\w+)*)$", re.I)
        begin = re.compile(rf"^func (?:autoC|C)onvert_{version}_{type}_To_")
        for path in sorted(self._root.glob(f"pkg/apis/*/{version}/*conversion.go")):
            if _group_in(self._data_of(path.parent / "doc.go").lines) != group:
                continue
            inside = False
            for number, line in enumerate(self._data_of(path).lines, 1):
                inside = begin.match(line) is not None or (inside and not line.startswith("}"))
                found = wanted.search(line) if inside else None
                if found is not None and (other := found[1] or found[2]).lower() != member.lower():
                    yield other, f"{self._name_of(path)}:{number}"

    def _path_of(self, file: str) -> Path:
        for module, folder in self._modules.items():
            if file.startswith(f"{module}/"):
                return folder / file.removeprefix(f"{module}/")
        return self._root / file

    def _name_of(self, path: Path) -> str:
        for module, folder in self._modules.items():
            if path.is_relative_to(folder):
                return f"{module}/{path.relative_to(folder).as_posix()}"
        return path.relative_to(self._root).as_posix()

    def _data_of(self, path: Path) -> GoSource:
        if path not in self._sources:
            try:
                data = read_checkout(path)
            except (OSError, InputError):
                data = b""
            self._sources[path] = GoSource(data)
        return self._sources[path]

    def _read(self, path: Path) -> GoSource:
        """Return a file that is going to be parsed; the trees of few files are kept."""
        found = self._data_of(path)
        if path in self._parsed[-_MOST_PARSED:]:
            self._parsed.remove(path)
        self._parsed.append(path)
        for old in self._parsed[:-_MOST_PARSED]:
            self._sources[old].forget()
        del self._parsed[:-_MOST_PARSED]
        return found

    def calls_of(self, file: str, function: str, most: int = 0) -> Sequence[CallSite]:
        """Return the uses of a function: those of its package, and of an exported one those of every validator.

        With `most`, those of its package alone if its name stands more often in others: that many lead to everything.
        """
        return self._uses(file, function, most)

    def _find_uses(self, file: str, function: str, most: int) -> tuple[CallSite, ...]:
        own = self._path_of(file).parent
        others = [one for one in self._folders if one != own] if function[:1].isupper() else []
        if most and sum(self._data_of(path).count(function) for one in others for path in self._files_in(one)) > most:
            others = []
        folder = file.rpartition("/")[0]
        package = folder if self._is_of_module(file) else f"{_MODULE}/{folder}"
        found = list(self._uses_in(own, function, ""))
        for other in others:
            found += self._uses_in(other, function, package)
        return tuple(found)

    def forwarded(self, place: CodeLine) -> str:
        """Return the call of a library of checks that makes the error of a place, such as
        `validation.ValidateObjectMeta`.
        """
        return self._forwarded(place)

    def _forwarded_at(self, place: CodeLine) -> str:
        if place.file.startswith(MODULES):
            return ""
        own = self.source(place.file)
        calls = own.calls_at(place.line)
        if any(_CONSTRUCTOR.match(name) and package == "field" for package, name in calls):
            return ""
        checks = [(package, name) for package, name in calls if _CHECKS.search(own.imports[package])]
        return ".".join(checks[0]) if checks else ""

    def settings_of(self, file: str, member: str) -> Iterator[tuple[CodeLine, CodeBranch]]:
        """Yield the innermost branch around each statement that sets a member of options, in the package of a file."""
        for beside in self.files_beside(file) if member[:1].isupper() else ():
            source = self.source(beside)
            for branch in source.set_under(member):
                yield CodeLine(beside, branch.line, source.function_at(branch.start)), branch

    def function_beside(self, file: str, name: str) -> str:
        """Return the file and line of a function of the package of a file; empty if it has none."""
        for beside in self.files_beside(file):
            line = self.source(beside).function_line(name)
            if line is not None:
                return f"{beside}:{line}"
        return ""

    def pointers_in(self, place: CodeLine) -> Mapping[str, Sequence[int]]:
        """Return the members that the function of a place reads through a pointer, with the lines."""
        return self.source(place.file).pointers_in(place.function)

    def items_in(self, place: CodeLine) -> Mapping[str, Sequence[int]]:
        """Return the items that the function of a place reads or sets by a number, with the lines."""
        return self.source(place.file).items_in(place.function)

    def _is_of_module(self, file: str) -> bool:
        return any(file.startswith(f"{module}/") for module in self._modules)

    @cached_property
    def _folders(self) -> Sequence[Path]:
        common = (folder / _COMMON[module] for module, folder in self._modules.items() if module in _COMMON)
        own = chain.from_iterable(self._root.glob(one) for one in _VALIDATORS)
        return *sorted(own), *common

    def _uses_in(self, folder: Path, function: str, package: str) -> Iterator[CallSite]:
        for path in self._files_in(folder):
            if not self._data_of(path).may_use(function, package):
                continue
            for mention in self._read(path).mentions(function, package):
                if mention.use != "alias":
                    yield self._site(path, mention)
                elif mention.function:
                    again = self._read(path).mentions(mention.alias)
                    yield from (self._site(path, one) for one in again if one.function == mention.function)
                else:
                    yield from self._uses_in(folder, mention.alias, "")

    def _site(self, path: Path, mention: Mention) -> CallSite:
        marks = frozenset(_MARK.findall(mention.text)) if mention.use == "call" else frozenset()
        return CallSite(
            mention.function, self._name_of(path), mention.line, mention.offset, mention.members, frozenset(marks)
        )


def _list_files(folder: Path) -> Sequence[Path]:
    return tuple(go_files([folder]))


def _group_in(lines: Sequence[str]) -> str:
    return next((found[1].strip() for line in lines if (found := _GROUP.match(line)) is not None), "")
