"""Finds where a suite's handwritten code makes each of its errors, for one case that asks for it.

Errors keep no stack. While this watches, whatever returns errors is noted with the line of the suite's own code that is
innermost then: of an error that a call made, the line of that call; of one that a function made itself, the line at
which it returned it. With it the calls of the suite's own code are noted that led there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from types import FrameType, TracebackType
from typing import Any, Self

import msgspec

from harness.case import Answer
from harness.field import FieldError

LONGEST_PLACE = 200
_CALLED_AT = ", called at "
_MOST_CALLS = 12


def describe_place(file: str, line: int, function: str, folder: str) -> str:
    """Name a line of code below a folder: `handwritten.py:41 in validate_spec`."""
    return f"{file.removeprefix(folder)}:{line} in {function}"[:LONGEST_PLACE]


class ErrorSources:
    """Watches the errors that code below a folder makes, in a `with`. Nothing is found without a folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._places: dict[int, tuple[FieldError, tuple[str, ...]]] = {}
        self._before: Any = None

    def __enter__(self) -> Self:
        self._before = sys.getprofile()
        if self._folder:
            sys.setprofile(self._on_event)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.setprofile(self._before)

    def add_to(self, answer: Answer) -> Answer:
        """Return an answer with the source and the stack of each handwritten error, where one was seen."""
        return msgspec.structs.replace(answer, handwritten=tuple(map(self._add_places, answer.handwritten)))

    def _add_places(self, error: FieldError) -> FieldError:
        if id(error) not in self._places:
            return error
        places = self._places[id(error)][1]
        return msgspec.structs.replace(error, source=places[0], stack=_CALLED_AT.join(places))

    def _on_event(self, frame: FrameType, event: str, value: Any) -> None:
        if event != "return" or value is None:
            return
        errors = (value,) if isinstance(value, FieldError) else value if isinstance(value, list | tuple) else ()
        new = [one for one in errors if isinstance(one, FieldError) and id(one) not in self._places]
        if new and (places := tuple(islice(self._calls(frame), _MOST_CALLS))):
            self._places.update((id(one), (one, places)) for one in new)  # what is kept has no other's id

    def _calls(self, frame: FrameType | None) -> Iterator[str]:
        """Yield the lines of the folder that are being run, the innermost first, each with its function.

        A comprehension has no name of its own: its line is told as one of the function around it, whose call is not
        told again.
        """
        while frame is not None:
            named: FrameType | None = frame
            if frame.f_code.co_filename.startswith(self._folder):
                while named is not None and named.f_code.co_name.startswith("<") and named.f_back is not None:
                    named = named.f_back
                assert named is not None
                yield describe_place(frame.f_code.co_filename, frame.f_lineno, named.f_code.co_name, self._folder)
            assert named is not None
            frame = named.f_back
