"""Finds the branch of handwritten code that decides whether a check runs, and where validation ends before one.

A worker names the line that makes an error, which is often a helper of many checks. What keeps it from running is a
condition further up: `else if constraint.DistinctAttribute != nil` around a call of a call. It is looked for from the
line upwards through the calls that made the error (`harness.subject.errorstack`). Only what the sources and the errors
of the answer show together is told; where several branches may be meant, none is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from harness.diagnostics import TargetError
from harness.sourcecode import CodeBranch, Guard
from harness.subject.callsites import CallSites, CodeLine, places_of
from harness.subject.caseless import find_caseless
from harness.subject.errorstack import ErrorStacks, Frame, GivenName, Made, names_of, of_kind
from harness.subject.gocallsites import MODULES, GoCallSites
from harness.subject.pythoncallsites import PythonCallSites

_MOST_UPDATES = 2
_SEEN = 3
_OLD = re.compile(r"^old", re.I)
_OPTIONS = re.compile(r"opt", re.I)
_IS_FAILURE = re.compile(r"\berr\w* != nil")
_NO_ERRORS = re.compile(r"\blen\(\w*err\w*\)\s*(?:==|>|!=)\s*0|^if (?:not )?\w*errors?$", re.I)
"""A condition about errors that were made before, in Go or in Python."""
_VALIDATORS = "pkg/apis/"
_GENERATED = "k8s:validation-gen"


class Decision(NamedTuple):
    """A branch that decides whether a check runs, and what gives the value that it reads, if that stands elsewhere."""

    text: str
    place: CodeLine
    given: str = ""

    @property
    def sentence(self) -> str:
        """The branch, for a sentence."""
        shared = ", in a library that kinds share" if self.place.file.startswith(MODULES) else ""
        return f"`{self.text}` at {self.place.text}{shared}{self.given}"


class Stop(NamedTuple):
    """Why the code does not reach a check after an error; `is_shared`: code that all kinds share decides it."""

    text: str
    is_shared: bool = False


class _RankedDecision(NamedTuple):
    """A branch that may decide; the higher its rank, the surer: `_SEEN` if an error was made in its other branch."""

    decision: Decision
    frame: Frame
    rank: int


class HandwrittenCode:
    """What the sources of handwritten validators show about a check; nothing without `sites`."""

    def __init__(self, sites: CallSites | None = None) -> None:
        self._sites = sites
        self._stacks = None if sites is None else ErrorStacks(sites)
        self._branches = lru_cache(maxsize=4096)(self._read_branches)

    def callers(self, source: str) -> Sequence[str]:
        """Name the calls of the function at a place, if there are several."""
        return () if self._sites is None else self._sites.shared_by(source)

    def callers_on_way(self, check: Made) -> Sequence[str]:
        """Name the other calls of the functions between the one that makes an error and the call for its path."""
        return () if self._sites is None else self._sites.shared_on_way(check.source, self.find_way(check))

    def is_of_operations(self, source: str, kind: str) -> bool:
        """Whether those who call the function at a place validate the creates and the updates of one kind alone."""
        _, sites = ((), []) if self._sites is None else self._sites.callers_above(source)
        names = {site.caller for site in sites}
        is_own = all(map(of_kind(kind).fullmatch, names))
        return is_own and len({name.endswith("Update") for name in names}) > 1

    def count_callers(self, source: str, besides: str = "") -> int:
        """Count the functions that call the function at a place, besides those that validate a kind."""
        places = places_of(source)
        if self._sites is None or not places:
            return 0
        sites = self._sites.calls_of(places[0].file, places[0].function)
        own = of_kind(besides) if besides else None
        return len({(site.file, site.caller) for site in sites if own is None or not own.fullmatch(site.caller)})

    def forwards(self, source: str) -> str:
        """Return the call of a library that makes the error of a place, such as `validation.ValidateObjectMeta`."""
        places = places_of(source)
        return "" if self._sites is None or not places else self._sites.forwarded(places[0])

    def find_constructor(self, source: str) -> str:
        """Return what makes the error at a place, such as `invalid`; empty unless it is one call."""
        places = places_of(source)
        if self._sites is None or not places:
            return ""
        calls = self._sites.source(places[0].file).error_calls
        made = {one.constructor for one in calls if one.line == places[0].line}
        return made.pop() if len(made) == 1 else ""

    def find_rounds(self, source: str) -> str:
        """Return the loop over written values in which a place stands; empty without one."""
        places = places_of(source)
        return "" if self._sites is None or not places else self._sites.source(places[0].file).rounds_of(places[0].line)

    def find_way(self, check: Made) -> Sequence[CodeLine]:
        """Return the calls of a helper that led to an error, up to the one that is given the path."""
        return () if self._stacks is None else self._stacks.find_way(check)

    def find_name(self, check: Made, name: str, is_key: bool = False) -> GivenName | None:
        """Return the lines that give a name in the path of an error, or the key behind it."""
        return None if self._stacks is None else self._stacks.find_name(check, name, is_key)

    def find_items(self, check: Made, below: Sequence[str]) -> str:
        """Return the call that hands over the path of items, behind which a path has some names; empty without one."""
        found = None if self._stacks is None else self._stacks.find_items(check, below)
        return "" if found is None else found.text

    def find_line_of_path(self, check: Made) -> str:
        """Return the line of code that all kinds share that gives an error its path."""
        return check.source if self._stacks is None else self._stacks.find_line_of_path(check)

    def find_guard(self, check: Made, empty: Collection[str] = ()) -> str:
        """Tell the condition right above the line of a check, by which it lets values through; empty without one.

        Of a condition that reads a count, it is the line that counts one of the members that are `empty`, if any does.
        """
        frames = () if self._stacks is None else self._stacks.own(check)
        if not frames or self._sites is None:
            return ""
        place = frames[0].place
        found = self._sites.source(place.file).guard_of(frames[0].offset)
        if found is None:
            return ""
        return f"under `{found.text}` at {place._replace(line=found.line).text}{_tell_counted(found, empty)}"

    def find_read(self, check: Made) -> Collection[str]:
        """Return the members, in small letters, that the condition right above the line of a check reads."""
        frames = () if self._stacks is None else self._stacks.own(check)
        found = self._branches_above(frames[0])[:1] if frames else []
        return {name.lower() for branch in found for name in branch.names}

    def find_likes(self, check: Made) -> Sequence[int]:
        """Return the other lines of a helper that make an error of the same sort for the path that it is given."""
        places = places_of(check.source)
        if self._sites is None or not places or not places[0].function:
            return []
        own = self._sites.source(places[0].file)
        calls = [one for one in own.error_calls if own.function_at(one.offset) == places[0].function and not one.field]
        made = {(one.constructor, one.path) for one in calls if one.line == places[0].line}
        return [one.line for one in calls if (one.constructor, one.path) in made and one.line != places[0].line]

    def find_condition(self, check: Made, path: str, beside: str, made: Sequence[Made] = ()) -> Decision | None:
        """Return the branch above a check that reads the member `beside`, or in another branch of which an error was
        made that is told of the same object; None unless it is one. Without a member only such errors decide.
        """
        steps = names_of(path)
        wanted, parent = beside.rpartition(".")[2].partition("[")[0].lower(), names_of(beside.rpartition(".")[0])

        def reads(one: Frame, branch: CodeBranch) -> int:
            if not wanted or self._stacks is None or wanted not in {name.lower() for name in branch.names}:
                return 0
            known = steps[: len(self._stacks.given_to(check, one))]
            return (parent[: len(known)] == known) + (parent == known)

        return _choose(self._find(check, path, reads, made).values())

    def find_update(self, check: Made, path: str) -> Sequence[Decision]:
        """Return the branches above a check that read the old object, by themselves or by an option, the nearest first,
        each with what gives the old value. A function that is given no old value decides nothing.

        Empty if there are more than `_MOST_UPDATES`.
        """
        settings: dict[tuple[str, int], str] = {}

        def reads_old(one: Frame, branch: CodeBranch) -> int:
            old = sorted(filter(_OLD.match, branch.names | branch.variables))
            if _IS_FAILURE.search(branch.text):  # of a call that is given the old object: it says nothing about that
                return 0
            if old:
                given = [self._given(check, one, name) for name in old]
                told = "".join(dict.fromkeys(filter(None, given)))
                settings[one.place.file, branch.start] = told or settings.get((one.place.file, branch.start), "")
                return int(any(one is not None for one in given))
            if not any(map(_OPTIONS.search, branch.variables)):
                return 0
            found = next(filter(None, (self._setting_of(one.place.file, name) for name in branch.names)), "")
            settings[one.place.file, branch.start] = found
            return int(bool(found))

        found = self._find(check, path, reads_old, ())
        told = [one.decision._replace(given=settings.get(key, "")) for key, one in found.items()]
        return told if len(told) <= _MOST_UPDATES else []

    def _given(self, check: Made, frame: Frame, name: str) -> str | None:
        """Say what gives an old value to a function, if a call does; None if it is given none."""
        assert self._stacks is not None
        assert self._sites is not None
        value, caller = self._stacks.argument(check, frame, name)
        if value == "nil":
            return None
        at = caller if caller is not None and value else frame
        function, line = self._sites.source(at.place.file).made_by(at.offset, value or name)
        return f", where {name} is what {function} returns at {at.place._replace(line=line).text}" if line else ""

    def find_unreached(self, check: Made, path: str, subresource: str) -> str:
        """Name the function that validates updates and does not call the one that makes the check, with its line."""
        if self._sites is None or self._stacks is None:
            return ""
        places = [one.place for one in self._stacks.own(check) if one.place.file.startswith(_VALIDATORS)]
        if not places or any(one.function.endswith("Update") for one in places):
            return ""
        top = places[-1]
        if check.kind and not of_kind(check.kind).fullmatch(top.function):
            return ""
        name = f"{top.function}{subresource.title()}Update"
        found = self._sites.function_beside(top.file, name)
        return f"{name} ({found})" if found else ""

    def find_generation(self, group: str, version: str) -> str:
        """Tell the line that says whether validation is generated for a version; empty if it is not found."""
        found = None if self._sites is None else self._sites.find_generation(group, version)
        if found is None:
            return ""
        file, line, text = found
        return f"`{text}` is at {file}:{line}" if line else f"{file} has no +{_GENERATED}"

    def find_conversions(self, group: str, version: str, type: str, member: str) -> Sequence[tuple[str, str]]:
        """Return the members of a version's type that are converted into a member of another name, with their lines."""
        return () if self._sites is None else tuple(self._sites.find_conversions(group, version, type, member))

    def find_nil(self, source: str, is_set: Callable[[str], bool]) -> str:
        """Tell which pointer that is nil a line follows, and where its function does so too; empty unless it is one.

        `is_set` is asked for the name of the member that a pointer is.
        """

        def is_nil(text: str) -> bool:
            return not is_set(text.rpartition(".")[2])

        place = next(iter(places_of(source)), None)
        read = self._sites.pointers_in(place) if self._sites is not None and place is not None else {}
        return _tell_missing(place, read, is_nil, "is nil", "reads")

    def find_missing_item(self, source: str, index: int, has_item: Callable[[str], bool]) -> str:
        """Tell which list a line asks for an item that it does not have, and where its function does so too; empty
        unless it is one.

        `has_item` is asked whether the member with a name has an item with the index.
        """

        def is_missing(text: str) -> bool:
            return text.endswith(f"[{index}]") and not has_item(text.rpartition("[")[0].rpartition(".")[2])

        place = next(iter(places_of(source)), None)
        read = self._sites.items_in(place) if self._sites is not None and place is not None else {}
        return _tell_missing(place, read, is_missing, "is out of range", "uses")

    def find_caseless(self, stack: str) -> str:
        """Tell the line of the pattern that ignores case, by which the code behind an error accepts values."""
        return find_caseless(self._sites, stack) if isinstance(self._sites, GoCallSites) else ""

    def find_stop(self, masking: Made, check: Made, path: str) -> Stop | None:
        """Say where the code ends after an error, or which branch it takes, so that it does not reach a check."""
        if self._stacks is None:
            return None
        before: dict[tuple[str, str], Frame] = {}
        for one in self._stacks.frames(masking):
            before.setdefault((one.place.file, one.place.function), one)
        frames = self._stacks.own(check)
        for one in frames:
            first = before.get((one.place.file, one.place.function))
            for branch in self._branches_above(one):
                if first is None:
                    continue
                fails = _reads_what_failed(branch, first, masking, path)
                of_all = branch.returns and _NO_ERRORS.search(branch.text) is not None
                is_about = fails or of_all or _is_beside(masking.path, path)
                if is_about and (told := _tell_stop(branch, one, first, fails)):
                    return Stop(told)
        if not before:
            return None
        conditions = {
            Decision(branch.text, one.place._replace(line=branch.line))
            for one in frames
            for branch in self._branches_above(one)
            if not branch.returns and _NO_ERRORS.search(branch.text) and one.is_shared
        }
        if len(conditions) != 1:
            return None
        return Stop(f"the check runs only under {conditions.pop().sentence}", is_shared=True)

    def _find(
        self,
        check: Made,
        path: str,
        rank_of: Callable[[Frame, CodeBranch], int],
        made: Sequence[Made],
    ) -> dict[tuple[str, int], _RankedDecision]:
        if self._stacks is None:
            return {}
        others = [(frame, one.path) for one in made for frame in self._stacks.frames(one)]
        found: dict[tuple[str, int], _RankedDecision] = {}
        for one in self._stacks.own(check):
            for branch in self._branches_above(one):
                is_seen = any(_excludes(branch, one, frame) and _is_beside(at, path) for frame, at in others)
                rank = _SEEN if is_seen else rank_of(one, branch)
                if rank:
                    line = branch.leaves_at if branch.returns else branch.line
                    text = f"{branch.text} {{ return }}" if branch.returns else branch.text
                    key = one.place.file, branch.start
                    decision = Decision(text, one.place._replace(line=line))
                    found.setdefault(key, _RankedDecision(decision, one, rank))
        return found

    def _branches_above(self, one: Frame) -> list[CodeBranch]:
        return self._branches(one.place.file, one.offset)

    def _read_branches(self, file: str, offset: int) -> list[CodeBranch]:
        assert self._sites is not None
        return self._sites.source(file).branches(offset)

    def _setting_of(self, file: str, member: str) -> str:
        """Say under which condition about the old object an option is set, in the package of a file."""
        assert self._sites is not None
        for place, branch in self._sites.settings_of(file, member):
            if any(map(_OLD.match, branch.names | branch.variables)):
                return f", which is set under `{branch.text}` at {place.text}"
        return ""


UNREAD = HandwrittenCode()
"""Knows no sources."""


def _tell_missing(
    place: CodeLine | None, read: Mapping[str, Sequence[int]], is_missing: Callable[[str], bool], how: str, does: str
) -> str:
    """Tell what a line reads that is missing, and where its function reads it too; empty unless it is one thing.

    `read` has the lines on which the function of the place reads each thing.
    """
    missing = [text for text, lines in read.items() if place is not None and place.line in lines and is_missing(text)]
    if place is None or len(missing) != 1:
        return ""
    others = [str(line) for line in read[missing[0]] if line != place.line]
    return f"{missing[0]} {how}" + (f", which {place.function} {does} at {', '.join(others)} too" if others else "")


def _tell_counted(found: Guard, empty: Collection[str]) -> str:
    told = [
        f"{name}, which is empty here, at {one.line} under `{one.text}`"
        for one in found.counted
        for name in sorted(one.names.intersection(empty))
    ]
    lines = f"at {', '.join(str(one.line) for one in found.counted)}"
    return f", which counts {' and '.join(told) or lines}" if found.counted else ""


def _tell_stop(branch: CodeBranch, check: Frame, first: Frame, fails: bool) -> str:
    place = check.place
    if fails or branch.excludes(first.offset):
        taken = Decision(branch.text, place._replace(line=branch.line))
        return f"the check runs under {taken.sentence}, which is not taken here"
    is_inside = branch.own[0] <= first.offset < branch.own[1]
    is_between = first.offset < branch.start < check.offset and _NO_ERRORS.search(branch.text) is not None
    if branch.returns and (is_inside or is_between):
        at = place._replace(line=branch.leaves_at)
        return f"it ends at {at.text}, under `{branch.text}`"
    return ""


def _reads_what_failed(branch: CodeBranch, first: Frame, masking: Made, path: str) -> bool:
    """Whether a branch is taken only if another function takes what an error before it is about, too."""
    if branch.returns or not first.offset < branch.start or not _IS_FAILURE.search(branch.text):
        return False
    members = {name.lower() for name in names_of(masking.path)} - {name.lower() for name in names_of(path)}
    return not members.isdisjoint(name.lower() for name in branch.names)


def _choose(found: Collection[_RankedDecision]) -> Decision | None:
    """Return the only branch of the highest rank."""
    highest = max((one.rank for one in found), default=0)
    first = [one.decision for one in found if one.rank == highest]
    return first[0] if len(first) == 1 else None


def _excludes(branch: CodeBranch, one: Frame, other: Frame) -> bool:
    """Whether a call stands in another branch of a statement than the one above a check."""
    if other.place.file != one.place.file:
        return False
    return branch.excludes(other.offset) or (branch.returns and branch.own[0] <= other.offset < branch.own[1])


def _is_beside(path: str, other: str) -> bool:
    """Whether an error at a path is about the object that contains another path, as far as items of lists go."""
    return other.startswith(path[: path.rfind("]") + 1])


@lru_cache(maxsize=4)
def code_of_suite(folder: Path) -> HandwrittenCode:
    """Return what the Python files of a suite's folder show."""
    return HandwrittenCode(PythonCallSites(folder))


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
    return HandwrittenCode(GoCallSites(root, modules))
