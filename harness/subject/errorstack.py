"""Reads the calls that made a handwritten error, as a worker saw them, in the sources of the release.

A line that makes an error is often a helper of many fields. What is to be changed for one of them is further up: the
call that is given the path, the one that gives a name of it, or the one that hands over no old object. Only calls that
were made are told. Where the sources have another line, or a file is not known, the call is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from harness.sourcecode import GivenStep
from harness.subject.callsites import CallSites, CodeLine, places_of
from harness.subject.gocallsites import MODULES

_MOST_CALLS = 60
_MOST_LINES = 3
_MOST_LEVELS = 4  # calls upwards, until one gives a name
_PARTS = r"(?:Spec|Status|Create|Update|Scale|Approval|Resize|EphemeralContainers|Binding)*"


class Made(NamedTuple):
    """An error that the handwritten code made: its path with indices, its source as a finding names it, the kind of its
    object, and the calls that made it.
    """

    path: str
    source: str
    kind: str = ""
    stack: str = ""


class Frame(NamedTuple):
    """A call on the way to an error, the constructor of the error in the innermost one; `steps` are what it adds to the
    path. `offset` is where its line begins.
    """

    place: CodeLine
    offset: int
    steps: tuple[GivenStep, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The members that it adds to the path."""
        return tuple(step.name for step in self.steps)

    @property
    def is_shared(self) -> bool:
        """Whether it is code that the kinds of all groups share."""
        return self.place.file.startswith(MODULES)


class GivenName(NamedTuple):
    """The lines that give a name in a path, and the call `around` them for this path alone if they serve others too."""

    lines: tuple[CodeLine, ...]
    around: CodeLine | None = None

    @property
    def text(self) -> str:
        """The lines, for a sentence."""
        told = " and at ".join(one.text for one in self.lines)
        return (
            told
            if self.around is None
            else f"{told}, which serves other fields too, for this one at {self.around.text}"
        )


class ErrorStacks:
    """Finds the calls of stacks in the sources."""

    def __init__(self, sites: CallSites) -> None:
        self._sites = sites
        self._frames = lru_cache(maxsize=1024)(self._read)
        self._frame = lru_cache(maxsize=4096)(self._read_frame)
        self._lines_giving = lru_cache(maxsize=4096)(self._read_lines_giving)

    def frames(self, check: Made) -> Sequence[Frame]:
        """Return the calls that made an error, the innermost first; without its stack those that its source names."""
        return self._frames(check.stack or check.source)

    def _read(self, stack: str) -> tuple[Frame, ...]:
        found, callee = [], ""
        for place in places_of(stack):
            frame = self._frame(place, callee)
            found += [frame] if frame is not None else []
            callee = place.function
        return tuple(found)

    def _read_frame(self, place: CodeLine, callee: str) -> Frame | None:
        source = self._sites.source(place.file)
        offset = source.offset_of(place.line)
        if offset is None or source.function_at(offset) != place.function:
            return None
        return Frame(place, offset, source.steps_at(place.line, callee))

    def _read_lines_giving(self, file: str, step: GivenStep) -> Sequence[int]:
        return self._sites.source(file).lines_giving(step)

    def own(self, check: Made) -> Sequence[Frame]:
        """Return the calls from the line that a finding names upwards."""
        places, frames = places_of(check.source), self.frames(check)
        first = next((at for at, one in enumerate(frames) if places and one.place == places[0]), None)
        return () if first is None else frames[first:]

    def find_way(self, check: Made) -> Sequence[CodeLine]:
        """Return the calls of a helper that led to an error, the nearest first, up to the one that is given the path,
        else the one that validates the kind; none if the helper is called once.
        """
        places = places_of(check.source)
        if not places or len(self._calls_of(places[-1])) < 2:
            return ()
        way = list[CodeLine]()
        above = self.own(check)[len(places) :]
        for inner, one in zip((places[-1], *(frame.place for frame in above)), above, strict=False):
            if one.place.function != inner.function:
                way.append(one.place)
            if one.names:
                return way
        own = of_kind(check.kind) if check.kind else None
        called = next((number for number, one in enumerate(way) if own is not None and own.fullmatch(one.function)), 0)
        return way[: called + 1]

    def find_line_of_path(self, check: Made) -> str:
        """Return the innermost line in code that all kinds share that gives an error its path: a helper below it checks
        values of all sorts.
        """
        shared = [one for one in self.frames(check) if one.is_shared]
        return next((one.place.text for one in shared if one.names), check.source)

    def find_name(self, check: Made, name: str, is_key: bool = False) -> GivenName | None:
        """Return where a name in the path of an error is given, the last one of that name, or the key behind it."""
        frames, rest = self.frames(check), names_of(check.path)
        for index, one in enumerate(frames):
            before = _before(rest, one.names)
            if before is None or not one.names:
                continue
            if name in rest[len(before) :]:
                if is_key:
                    return self._given_key(frames[: index + 1])
                given = [step for step in one.steps if step.name == name]
                return self._given(frames, index, given[-1], before[-1:], check.kind) if given else None
            rest = before
        return None

    def find_items(self, check: Made, below: Sequence[str]) -> CodeLine | None:
        """Return the call that hands over the path of items or keys; `below` are the names behind them in the path."""
        frames, left = self.frames(check), tuple(below)
        for index, one in enumerate(frames):
            if len(one.names) > len(left):
                return one.place
            left = left[: len(left) - len(one.names)]
            if one.names and not left:
                return frames[index + 1].place if index + 1 < len(frames) else None
        return None

    def _given(
        self, frames: Sequence[Frame], index: int, step: GivenStep, before: tuple[str, ...], kind: str
    ) -> GivenName:
        place = frames[index].place
        found = [place._replace(line=line) for line in self._lines_giving(place.file, step)]
        if index:  # another function of the kind may call the same helper with the same name
            called = frames[index - 1].place
            others = [
                CodeLine(site.file, site.line, site.caller)
                for site in self._sites.calls_of(called.file, called.function, _MOST_CALLS)
                if step.name in site.members and kind and of_kind(kind).fullmatch(site.caller)
            ]
            found += [one for one in others if one != place]
        found = list({(one.file, one.line): one for one in found}.values())
        return GivenName(tuple(found[:_MOST_LINES]), self._find_around(frames[index:], before))

    def _given_key(self, frames: Sequence[Frame]) -> GivenName | None:
        """Return where a key is added to a path, by the last of some calls or one of those below it."""
        for one in reversed(frames):
            if line := self._sites.source(one.place.file).key_at(one.place.line):
                place = one.place._replace(line=line)
                return GivenName((place,), None if one is frames[-1] else frames[-1].place)
        return None

    def _find_around(self, frames: Sequence[Frame], before: tuple[str, ...]) -> CodeLine | None:
        """Return the call for one path in a function of that path alone, where the one that gives a name is called for
        others too; None if that is for this path alone. `before` is the name in front of the given one.
        """
        for number, one in enumerate(frames):
            if (one.names and number) or self._names_above(one.place, _MOST_LEVELS) <= {before}:
                return one.place if number else None
        return None

    def _names_above(self, place: CodeLine, most: int) -> set[tuple[str, ...]]:
        """Return the last names of the paths that a function is given, as far as its callers show them."""
        found = set[tuple[str, ...]]()
        for site in self._sites.calls_of(place.file, place.function, _MOST_CALLS):
            if site.members:
                found.add(site.members[-1:])
            elif most and site.caller != place.function:
                found |= self._names_above(CodeLine(site.file, site.line, site.caller), most - 1)
        return found

    def _calls_of(self, place: CodeLine) -> set[tuple[str, int]]:
        return {(site.file, site.line) for site in self._sites.calls_of(place.file, place.function)}

    def given_to(self, check: Made, frame: Frame) -> tuple[str, ...]:
        """Return the beginning of a path that the function of a call is certainly given: what the calls above give."""
        frames = self.frames(check)
        above = [name for one in reversed(frames[frames.index(frame) + 1 :]) for name in one.names]
        names = names_of(check.path)
        return names[: len(above)] if tuple(above) == names[: len(above)] else ()

    def argument(self, check: Made, frame: Frame, parameter: str) -> tuple[str, Frame | None]:
        """Return what the function of a call was given as a parameter, and the call that gave it; empty if the sources
        do not show it.
        """
        frames = self.frames(check)
        caller = next(iter(frames[frames.index(frame) + 1 :]), None)
        if caller is None or caller.place.file != frame.place.file:
            return "", None
        source, function = self._sites.source(frame.place.file), frame.place.function
        declared = source.function_line(function)
        given = source.argument(caller.place.line, function, declared, parameter) if declared is not None else ""
        return given, caller


def of_kind(kind: str) -> re.Pattern[str]:
    """Return what names a function that validates a kind, and no kind whose name begins alike."""
    return re.compile(rf"(?i:(?:legacy)?validate_?{re.escape(kind)}){_PARTS}")


def _before(names: tuple[str, ...], steps: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the names of a path in front of the members that a call is given, None where it has them not."""
    for start in range(len(names) - len(steps), -1, -1):
        if names[start : start + len(steps)] == steps:
            return names[:start] if steps else names
    return None


def names_of(path: str) -> tuple[str, ...]:
    """Return the names of members in a path, without keys and indices."""
    return tuple(name for name in re.sub(r"\[[^\]]*\]", "", path).split(".") if name)
