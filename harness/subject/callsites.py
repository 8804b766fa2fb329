"""Who calls a function of handwritten validators: what changes in a helper changes for each caller.

A function that is called once is as good as its caller, so that its callers are looked for instead.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from harness.sourcecode import CodeBranch, SourceFile

_PLACE = re.compile(r"^(?P<file>[\w./-]+\.(?:go|py)):(?P<line>\d+) in (?P<function>\w+)$")
_MOST_LEVELS = 4  # callers of callers
_MOST_TOLD = 6


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


class CallSites(ABC):
    """The calls in the files of handwritten validators, and what else these files show."""

    @abstractmethod
    def source(self, file: str) -> SourceFile:
        """Return a file as findings name it; an empty one if it cannot be read."""

    @abstractmethod
    def calls_of(self, file: str, function: str, most: int = 0) -> Sequence[CallSite]:
        """Return the uses of a function that a file declares.

        With `most`, those of its own package alone if its name stands more often in others: that many lead to
        everything.
        """

    def forwarded(self, place: CodeLine) -> str:
        """Return the call of a library of checks that makes the error of a place; empty if the code makes it itself."""
        return ""

    def settings_of(self, file: str, member: str) -> Iterator[tuple[CodeLine, CodeBranch]]:
        """Yield the innermost branch around each statement that sets a member of options, in the package of a file."""
        return iter(())

    def function_beside(self, file: str, name: str) -> str:
        """Return the file and line of a function of the package of a file; empty if it has none."""
        return ""

    def pointers_in(self, place: CodeLine) -> Mapping[str, Sequence[int]]:
        """Return the members that the function of a place reads through a pointer, with the lines."""
        return {}

    def items_in(self, place: CodeLine) -> Mapping[str, Sequence[int]]:
        """Return the items that the function of a place reads or sets by a number, with the lines."""
        return {}

    def find_generation(self, group: str, version: str) -> tuple[str, int, str] | None:
        """Return the file of a version's package that says what is generated for it, and the line about validation:
        0 if it has none. None if there is no such package.
        """
        return None

    def find_conversions(self, group: str, version: str, type: str, member: str) -> Iterator[tuple[str, str]]:
        """Yield the members of a version's type that are converted into a member of another name, with their lines.

        `member` may be that of a member, such as `service.name`, and so may be what is yielded.
        """
        return iter(())

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
