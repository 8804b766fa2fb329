"""Finds the branch of handwritten code that decides whether a check runs, and where validation ends before one.

A worker names the line that makes an error, which is often a helper of many checks. What keeps it from running is a
condition further up: `else if constraint.DistinctAttribute != nil` around a call of a call. It is looked for from the
line upwards through all calls that can lead to the path of the error. Only what the sources and the errors of the
answer show together is told; where several branches may be meant, none is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from harness.diagnostics import TargetError
from harness.gotypes.branches import GoBranch
from harness.subject.callsites import MODULES, CallSite, CallSites, CodeLine, places_of

_MOST_SIGHTINGS = 400
_MOST_CALLS = 60
_MOST_UPDATES = 2
_MOST_MEMBERS = 3
_MOST_LEVELS = 3  # calls between a helper and the one that is given the path
_MOST_SEARCHED = 8  # calls from there up to the function of the kind
_SEEN = 3
_PARTS = r"(?:Spec|Status|Create|Update|Scale|Approval|Resize|EphemeralContainers|Binding)*"
_OLD = re.compile(r"^old", re.I)
_CHECKS = re.compile(r"^(?!k8s\.io/kubernetes/).*valid.*(?<!/field)$")
"""Import paths of libraries of checks; an error that another validator of the release makes has its line there."""
_OPTIONS = re.compile(r"opt", re.I)
_NO_ERRORS = re.compile(r"\blen\(\w*err\w*\)\s*(?:==|>|!=)\s*0", re.I)
_CONSTRUCTOR = re.compile(
    r"^(?:Invalid|Required|Forbidden|Duplicate|NotSupported|NotFound|TooLong\w*|TooMany|TypeInvalid|InternalError)$"
)


class Made(NamedTuple):
    """An error that the handwritten code made: its path with indices, its source as a finding names it, and its kind.

    With a kind, only code counts that the validation of that kind calls, as far as names of functions say so.
    """

    path: str
    source: str
    kind: str = ""


class Decision(NamedTuple):
    """A branch that decides whether a check runs."""

    text: str
    place: CodeLine

    @property
    def sentence(self) -> str:
        """The branch, for a sentence."""
        return f"`{self.text}` at {self.place.text}"


class Stop(NamedTuple):
    """Why the code does not reach a check after an error; `is_shared`: code that all kinds share decides it."""

    text: str
    is_shared: bool = False


class _Sighting(NamedTuple):
    """A line on the way to a check: of the check itself, or of a call that leads to it. `level` counts calls."""

    place: CodeLine
    offset: int
    level: int


class _RankedDecision(NamedTuple):
    """A branch that may decide; the higher its rank, the surer: `_SEEN` if an error was made in its other branch."""

    decision: Decision
    level: int
    rank: int


class HandwrittenCode:
    """What the sources of handwritten validators show about a check; nothing without `sites`."""

    def __init__(self, sites: CallSites | None = None) -> None:
        self._sites = sites
        self._callers_above = lru_cache(maxsize=4096)(self._read_callers_above)
        self._branches_at = lru_cache(maxsize=4096)(self._read_branches)
        self._unknown_names = lru_cache(maxsize=4096)(self._count_unknown_names)

    def callers(self, source: str) -> Sequence[str]:
        """Name the calls of the function at a place, if there are several."""
        return () if self._sites is None else self._sites.shared_by(source)

    def is_of_operations(self, source: str, kind: str) -> bool:
        """Whether those who call the function at a place validate the creates and the updates of one kind alone."""
        _, sites = ("", []) if self._sites is None else self._sites.callers_above(source)
        names = {site.caller for site in sites}
        is_own = all(map(_of_kind(kind).fullmatch, names))
        return is_own and len({name.endswith("Update") for name in names}) > 1

    def count_callers(self, source: str, besides: str = "") -> int:
        """Count the functions that call the function at a place, besides those that validate a kind."""
        places = places_of(source)
        if self._sites is None or not places:
            return 0
        sites = self._sites.calls_of(places[0].file, places[0].function)
        own = _of_kind(besides) if besides else None
        return len({(site.file, site.caller) for site in sites if own is None or not own.fullmatch(site.caller)})

    def forwards(self, source: str) -> str:
        """Return the call of a library that makes the error of a place, such as `validation.ValidateObjectMeta`."""
        places = places_of(source)
        if self._sites is None or not places or places[0].file.startswith(MODULES):
            return ""
        own = self._sites.source(places[0].file)
        calls = own.calls_at(places[0].line)
        if any(_CONSTRUCTOR.match(name) and package == "field" for package, name in calls):
            return ""
        checks = [
            (package, name) for package, name in calls
            if _CHECKS.search(own.imports[package])
        ]  # fmt: skip
        return ".".join(checks[0]) if checks else ""

    def find_condition(self, check: Made, path: str, beside: str, made: Sequence[Made] = ()) -> Decision | None:
        """Return the branch above a check that reads the member `beside`, or in another branch of which an error was
        made that is told of the same object; None unless it is one.
        """
        steps = _names(path)
        wanted, parent = beside.rpartition(".")[2].partition("[")[0].lower(), _names(beside.rpartition(".")[0])

        def reads(one: _Sighting, branch: GoBranch) -> int:
            if wanted not in {name.lower() for name in branch.names}:
                return 0
            known = self._object_of(one.place, steps)
            return (parent[: len(known)] == known) + (parent == known)

        return _choose(self._find(check, path, reads, made))

    def find_update(self, check: Made, path: str) -> Sequence[Decision]:
        """Return the branches above a check that read the old object, by themselves or by an option, the nearest first.

        Empty if there are more than `_MOST_UPDATES`, or if they may stand on different ways.
        """

        def reads_old(one: _Sighting, branch: GoBranch) -> int:
            names = branch.names | branch.variables
            if any(map(_OLD.match, names)):
                return 1
            has_options = any(map(_OPTIONS.search, branch.variables))
            return int(has_options and any(self._is_set_for_old(one.place.file, name) for name in branch.names))

        found = self._find(check, path, reads_old, ())
        is_one_way = len(found) <= _MOST_UPDATES and len({one.level for one in found}) == len(found)
        return [one.decision for one in found] if is_one_way else []

    def find_unreached(self, check: Made, path: str, subresource: str) -> str:
        """Name the function that validates updates and does not call the one that makes the check, with its line."""
        if self._sites is None:
            return ""
        sightings = list(self._sightings(check, path))
        functions = {one.place.function for one in sightings}
        if not sightings or any(name.endswith("Update") for name in functions):
            return ""
        top = sightings[-1].place
        if check.kind and not _of_kind(check.kind).fullmatch(top.function):
            return ""
        name = f"{top.function}{subresource.title()}Update"
        for file in self._sites.files_beside(top.file):
            line = self._sites.source(file).function_line(name)
            if line is not None:
                return f"{name} ({file}:{line})"
        return ""

    def find_member(self, check: Made, name: str) -> Sequence[CodeLine]:
        """Return the lines above a check that put a name into the path of its error; none if there are too many."""
        if self._sites is None:
            return []
        names, found = frozenset(_names(check.path)), dict[CodeLine, None]()
        for one in self._sightings(check, check.path):
            for site in self._sites.calls_of(one.place.file, one.place.function, _MOST_CALLS):
                is_given = name in _steps_of(site) and names.issuperset(_steps_of(site))
                place = CodeLine(site.file, site.line, site.caller)
                if is_given and self._is_of(place, names, check.kind):
                    found[place._replace(line=self._line_of_name(place, site.offset, name))] = None
        if not found and (own := places_of(check.source)):
            line = self._line_of_name(own[0], self._sites.source(own[0].file).offset_of(own[0].line) or 0, name)
            found.update({own[0]._replace(line=line): None} if line != own[0].line else {})
        return list(found) if len(found) <= _MOST_MEMBERS else []

    def find_way(self, check: Made) -> Sequence[CodeLine]:
        """Return the calls through which a helper of several checks makes the error of this path, the nearest first,
        up to the one that is given the path; none unless the sources show one way alone.
        """
        places = places_of(check.source)
        if self._sites is None or not places or places[-1].file.startswith(MODULES) or not check.kind:
            return ()
        last = places[-1]
        if len({(site.file, site.line) for site in self._sites.calls_of(last.file, last.function)}) < 2:
            return ()
        ways = list(self._ways(last.file, last.function, _names(check.path), check.kind, _MOST_LEVELS))
        fewest = min((unknown for unknown, _ in ways), default=0)
        found = {way for unknown, way in ways if unknown == fewest}
        return found.pop() if len(found) == 1 else ()

    def _ways(
        self, file: str, function: str, names: tuple[str, ...], kind: str, most: int
    ) -> Iterator[tuple[int, tuple[CodeLine, ...]]]:
        """Yield the calls from a function up to one that is given a path, and how many names no call above gives."""
        assert self._sites is not None
        for site in self._sites.calls_of(file, function, _MOST_CALLS):
            place, steps = CodeLine(site.file, site.line, site.caller), _steps_of(site)
            rest = _before(names, steps)
            if most == 0 or rest is None or site.caller == function:
                continue
            if steps:
                unknown = self._unknown_names(site.file, site.caller, rest, kind, _MOST_SEARCHED)
                if unknown is not None:
                    yield len(names) - len(rest) - len(steps) + unknown, (place,)
            else:
                for unknown, way in self._ways(site.file, site.caller, names, kind, most - 1):
                    yield unknown, (place, *way)

    def _count_unknown_names(
        self, file: str, function: str, names: tuple[str, ...], kind: str, most: int
    ) -> int | None:
        """Return how many of the names in a path no call gives on the way from the validation of a kind to a function,
        on the best way; None if there is none.
        """
        assert self._sites is not None
        found = [len(names)] if _of_kind(kind).fullmatch(function) else []
        for site in self._sites.calls_of(file, function, _MOST_CALLS) if most else ():
            steps = _steps_of(site)
            rest = _before(names, steps)
            if rest is None or site.caller == function:
                continue
            unknown = self._unknown_names(site.file, site.caller, rest, kind, most - 1)
            if unknown is not None:
                found.append(len(names) - len(rest) - len(steps) + unknown)
        return min(found, default=None)

    def _line_of_name(self, place: CodeLine, offset: int, name: str) -> int:
        """Return the line in the function at an offset that has a name in a path, where one line has; else that of
        the place.
        """
        assert self._sites is not None
        lines = self._sites.source(place.file).lines_with_member(offset, name)
        return lines[0] if len(lines) == 1 else place.line

    def _is_of(self, place: CodeLine, names: frozenset[str], kind: str) -> bool:
        """Whether a function validates a kind, or is called by one that does, with the members of a path alone."""
        if not kind or place.file.startswith(MODULES):
            return True
        above = self._callers_above(place.file, place.function, names)
        return any(map(_of_kind(kind).fullmatch, above))

    def _read_callers_above(self, file: str, function: str, names: frozenset[str]) -> frozenset[str]:
        """Return the names of a function and of all that get to it with the members of a path alone."""
        assert self._sites is not None
        waiting, seen = [(file, function)], {(file, function)}
        while waiting:
            for site in self._sites.calls_of(*waiting.pop(), _MOST_CALLS):
                key = site.file, site.caller
                if key not in seen and names.issuperset(_steps_of(site)):
                    seen.add(key)
                    waiting.append(key)
        return frozenset(name for _, name in seen)

    def find_stop(self, masking: Made, check: Made, path: str) -> Stop | None:
        """Say where the code ends after an error, or which branch it takes, so that it does not reach a check."""
        if self._sites is None:
            return None
        before: dict[tuple[str, str], _Sighting] = {}
        for one in self._sightings(masking, masking.path):
            before.setdefault((one.place.file, one.place.function), one)
        for one in self._sightings(check, path):
            for branch in self._branches(one):
                first = before.get((one.place.file, one.place.function))
                is_same = _is_beside(masking.path, path)
                if first is not None and is_same and (told := _tell_stop(branch, one, first)):
                    return Stop(told)
        if not before:
            return None
        conditions = {
            Decision(branch.text, one.place._replace(line=branch.line))
            for one in self._sightings(check, path)
            for branch in self._branches(one)
            if not branch.returns and _NO_ERRORS.search(branch.text) and one.place.file.startswith(MODULES)
        }
        if len(conditions) != 1:
            return None
        return Stop(f"the check runs only under {conditions.pop().sentence}, which all kinds share", is_shared=True)

    def _find(
        self, check: Made, path: str, rank_of: Callable[[_Sighting, GoBranch], int], made: Sequence[Made]
    ) -> list[_RankedDecision]:
        if self._sites is None:
            return []
        others = [(places[0], one.path) for one in made if (places := places_of(one.source))]
        found: dict[tuple[str, int], _RankedDecision] = {}
        for one in self._sightings(check, path):
            for branch in self._branches(one):
                is_seen = any(self._excludes(branch, one, place) and _is_beside(at, path) for place, at in others)
                rank = _SEEN if is_seen else rank_of(one, branch)
                if rank:
                    line = branch.leaves_at if branch.returns else branch.line
                    text = f"{branch.text} {{ return }}" if branch.returns else branch.text
                    decision = Decision(text, one.place._replace(line=line))
                    found.setdefault((one.place.file, branch.start), _RankedDecision(decision, one.level, rank))
        return list(found.values())

    def _excludes(self, branch: GoBranch, one: _Sighting, place: CodeLine) -> bool:
        if place.file != one.place.file or self._sites is None:
            return False
        offset = self._sites.source(place.file).offset_of(place.line)
        if offset is None:
            return False
        return branch.excludes(offset) or (branch.returns and branch.own[0] <= offset < branch.own[1])

    def _branches(self, one: _Sighting) -> list[GoBranch]:
        return self._branches_at(one.place.file, one.offset)

    def _read_branches(self, file: str, offset: int) -> list[GoBranch]:
        assert self._sites is not None
        return self._sites.source(file).branches(offset)

    def _sightings(self, check: Made, path: str) -> Iterator[_Sighting]:
        """Yield the line of a check and those of all calls that can lead to it and to its path, the nearest first."""
        assert self._sites is not None
        places = places_of(check.source)
        names = frozenset((*_names(path), *_names(check.path)))
        waiting, seen = list[_Sighting](), set[tuple[str, str]]()
        for level, place in enumerate(places):
            offset = self._sites.source(place.file).offset_of(place.line)
            if offset is None or self._sites.source(place.file).function_at(offset) != place.function:
                return
            waiting.append(_Sighting(place, offset, level))
        known = {(place.file, place.function) for place in places[:-1]}
        count = 0
        while waiting and count < _MOST_SIGHTINGS:
            one = waiting.pop(0)
            count += 1
            if one.level >= len(places) and not self._is_of(one.place, names, check.kind):
                continue
            yield one
            key = (one.place.file, one.place.function)
            if key in seen or key in known:
                continue
            seen.add(key)
            for site in self._sites.calls_of(*key, _MOST_CALLS):
                if site.caller and names.issuperset(_steps_of(site)):
                    place = CodeLine(site.file, site.line, site.caller)
                    waiting.append(_Sighting(place, site.offset, one.level + 1))

    def _object_of(self, place: CodeLine, steps: tuple[str, ...]) -> tuple[str, ...]:
        """Return the beginning of a path that the function at a place is certainly given, as its callers show it."""
        assert self._sites is not None
        known = []
        for site in self._sites.calls_of(place.file, place.function):
            members = [steps.index(name) + 1 for name in site.members if name in steps]
            if not set(site.members) <= set(steps):
                continue
            known.append(max(members, default=0))
        return steps[: min(known, default=0)]

    def _is_set_for_old(self, file: str, member: str) -> bool:
        """Whether an option is set under a condition about the old object, in the package of a file."""
        assert self._sites is not None
        if member[:1].islower():
            return False
        return any(
            any(map(_OLD.match, branch.names | branch.variables))
            for beside in self._sites.files_beside(file)
            for branch in self._sites.source(beside).set_under(member)
        )


UNREAD = HandwrittenCode()
"""Knows no sources."""


def _tell_stop(branch: GoBranch, check: _Sighting, first: _Sighting) -> str:
    place = check.place
    if branch.excludes(first.offset):
        taken = Decision(branch.text, place._replace(line=branch.line))
        return f"the check runs under {taken.sentence}, which is not taken here"
    is_inside = branch.own[0] <= first.offset < branch.own[1]
    is_between = first.offset < branch.start < check.offset and _NO_ERRORS.search(branch.text) is not None
    if branch.returns and (is_inside or is_between):
        at = place._replace(line=branch.leaves_at)
        return f"it ends at {at.text}, under `{branch.text}`"
    return ""


def _choose(found: Sequence[_RankedDecision]) -> Decision | None:
    """Return the only branch of the highest rank."""
    highest = max((one.rank for one in found), default=0)
    first = [one.decision for one in found if one.rank == highest]
    return first[0] if len(first) == 1 else None


def _of_kind(kind: str) -> re.Pattern[str]:
    """Return what names a function that validates a kind, and no kind whose name begins alike."""
    return re.compile(rf"(?i:(?:legacy)?validate{re.escape(kind)}){_PARTS}")


def _steps_of(site: CallSite) -> tuple[str, ...]:
    """Return the members of a path that a call is given; one text may name several."""
    return tuple(name for text in site.members for name in text.split("."))


def _before(names: tuple[str, ...], steps: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the names of a path in front of the members that a call is given, None where it has them not."""
    for start in range(len(names) - len(steps), -1, -1):
        if names[start : start + len(steps)] == steps:
            return names[:start] if steps else names
    return None


def _is_beside(path: str, other: str) -> bool:
    """Whether an error at a path is about the object that contains another path, as far as items of lists go."""
    return other.startswith(path[: path.rfind("]") + 1])


def _names(path: str) -> tuple[str, ...]:
    """Return the names of members in a path, without keys and indices."""
    return tuple(name for name in re.sub(r"\[[^\]]*\]", "", path).split(".") if name)


@lru_cache(maxsize=4)
def code_of_release(location: str) -> HandwrittenCode:
    """Return what the sources of a release show; nothing without them."""
    # Imported here, because opening a suite must not load code that only releases need.
    from harness.targets.kubernetes.release import find_release, find_toolchain, module_folder

    try:
        release = find_release(location)
        toolchain = find_toolchain()
        root = release.folder or module_folder(release, "k8s.io/kubernetes", toolchain)
        modules = {name: module_folder(release, name, toolchain) for name in MODULES}
    except TargetError:
        return UNREAD
    return HandwrittenCode(CallSites(root, modules))
