"""Finds who calls a function of handwritten validators, because what changes in a helper changes for each caller.

Reads the Go files of a release when a fix is to be made in a function that a finding names. A function that is called
once is as good as its caller, so that its callers are looked for instead. Calls through a variable
(`validateName = other.ValidateName`) and functions that are handed on as values count too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple

from harness.diagnostics import InputError
from harness.gotypes.branches import GoSource
from harness.gotypes.gocalls import Mention
from harness.gotypes.literals import go_files
from harness.limits import read_checkout

_PLACE = re.compile(r"^(?P<file>[\w./-]+\.go):(?P<line>\d+) in (?P<function>\w+)$")
_MODULE = "k8s.io/kubernetes"
_VALIDATORS = ("pkg/apis/*/validation", "pkg/*/apis/*/validation", "plugin/pkg/*/*/apis/*/validation")
"""The folders of validators: of kinds, and of the configuration of components and of admission plugins."""
_COMMON = {"k8s.io/apimachinery": "pkg/api/validation", "k8s.io/apiserver": "pkg/registry/rest"}
"""The folders of other modules whose code validates objects of all kinds."""
MODULES = tuple(_COMMON)
_GENERATION = re.compile(r"// \+k8s:validation-gen=")
_GROUP = re.compile(r"// \+groupName=(.*)")
_MARK = re.compile(r"\b\w*Covered\b")
_MOST_LEVELS = 4  # callers of callers
_MOST_TOLD = 6
_MOST_PARSED = 6  # files whose trees are kept


class CodeLine(NamedTuple):
    """A line of handwritten code and its function; the file is named as in findings."""

    file: str
    line: int
    function: str

    @property
    def text(self) -> str:
        """The place, as findings name it."""
        return f"{self.file}:{self.line} in {self.function}"


def places_of(source: str) -> list[CodeLine]:
    """Return the place that a finding names, and the one from which it is called, if it names that too."""
    found = [_PLACE.match(one) for one in source.split(", called at ")]
    return [CodeLine(one["file"], int(one["line"]), one["function"]) for one in found if one is not None]


class CallSite(NamedTuple):
    """A use of a function: the function that makes it, its file and line, and the members of a path handed to it."""

    caller: str
    file: str
    line: int
    offset: int = 0
    members: tuple[str, ...] = ()
    marks: frozenset[str] = frozenset()

    @property
    def text(self) -> str:
        """The call, for a sentence."""
        return f"{self.caller} ({self.file}:{self.line})"


class CallSites:
    """The calls in the handwritten validators below a folder; `modules` are the folders of others by their path."""

    def __init__(self, root: Path, modules: Mapping[str, Path] | None = None) -> None:
        self._root, self._modules = root, dict(modules or {})
        self._sources: dict[Path, GoSource] = {}
        self._parsed: list[Path] = []
        self.calls_of = lru_cache(maxsize=1024)(self._calls_of)
        self._files_in = lru_cache(maxsize=1024)(_list_files)

    def shared_by(self, source: str) -> tuple[str, ...]:
        """Return the calls of the function at a place if there are several; none if it is called once, or not known.

        The first begins with what is called: the function itself, or the one around it where that alone uses it, with
        those in between. Those that are given the same marks as the call of the finding come first.
        """
        functions, sites = self.callers_above(source)
        if not sites:
            return ()
        told = _tell(sites, places_of(source)[1:])
        own, *users = functions
        what = own
        if users:
            what = f"only {users[0]} uses it{''.join(f', which only {one} uses' for one in users[1:])}, which"
        return (f"{what} is called by {told[0]}", *told[1:])

    def callers_above(self, source: str) -> tuple[tuple[str, ...], list[CallSite]]:
        """Return the calls of the function that several others call: the one at a place, or one around it.

        Returns: that function as the last one, with those in between from the place on, and its calls; neither if no
        function has several callers.
        """
        places = places_of(source)
        if not places:
            return (), []
        file, functions = places[0].file, [places[0].function]
        for _ in range(_MOST_LEVELS):
            sites = [site for site in self.calls_of(file, functions[-1]) if site.caller not in functions]
            if len({site.caller for site in sites}) > 1:
                return tuple(functions), sites
            if not sites:
                return (), []
            file = sites[0].file
            functions.append(sites[0].caller)
        return (), []

    def shared_on_way(self, source: str, way: Sequence[CodeLine]) -> tuple[str, ...]:
        """Return the other calls of the functions through which the one at a place is called, the nearest first, up to
        the last call of the way.
        """
        above, _ = self.callers_above(source)
        places = [*places_of(source), *way]
        known, told = {(one.file, one.line) for one in places}, list[str]()
        for inner, outer in pairwise(places):
            if inner.function in (*above[-1:], outer.function):
                continue
            calls = self.calls_of(inner.file, inner.function)
            others = [one for one in calls if (one.file, one.line) not in known and one.caller != inner.function]
            if others:
                told.append(f"{inner.function} also by {', '.join(_tell(others, []))}")
        return tuple(told)

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

    def _calls_of(self, file: str, function: str, most: int = 0) -> tuple[CallSite, ...]:
        """Return the uses of a function: those of its package, and of an exported one those of every validator.

        With `most`, those of its package alone if its name stands more often in others: that many lead to everything.
        """
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


def _tell(sites: list[CallSite], calls: list[CodeLine]) -> tuple[str, ...]:
    """Name calls, those first that are given the marks of the call that is known, and say so."""
    own = next((one for one in sites for call in calls if (one.file, one.line) == (call.file, call.line)), None)
    marks = own.marks if own is not None else frozenset[str]()
    ordered = sorted(sites, key=lambda site: -len(site.marks & marks))
    told = []
    for site in ordered[:_MOST_TOLD]:
        same = sorted(site.marks & marks) if site is not own else []
        told.append(f"{site.text[:-1]}, with {' and '.join(same)} too)" if same else site.text)
    more = len(ordered) - _MOST_TOLD
    return (*told, f"and {more} more") if more > 0 else tuple(told)
