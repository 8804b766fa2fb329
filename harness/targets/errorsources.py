"""Finds where a suite's handwritten code makes each of its errors, for one case that asks for it.

Errors keep no stack. While this watches, whatever returns errors is noted with the line of the suite's own code that is
innermost then: of an error that a call made, the line of that call; of one that a function made itself, the line at
which it returned it.
"""

from __future__ import annotations

import sys
from types import FrameType, TracebackType
from typing import Any, Self

import msgspec

from harness.case import Answer
from harness.field import FieldError

LONGEST_PLACE = 200


def describe_place(file: str, line: int, function: str, folder: str) -> str:
    """Name a line of code below a folder: `handwritten.py:41 in validate_spec`."""
    return f"{file.removeprefix(folder)}:{line} in {function}"[:LONGEST_PLACE]


class ErrorSources:
    """Watches the errors that code below a folder makes, in a `with`. Nothing is found without a folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._places: dict[int, tuple[FieldError, str]] = {}
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
        """Return an answer with the source of each handwritten error, where one was seen."""
        errors = tuple(
            msgspec.structs.replace(error, source=self._places[id(error)][1]) if id(error) in self._places else error
            for error in answer.handwritten
        )
        return msgspec.structs.replace(answer, handwritten=errors)

    def _on_event(self, frame: FrameType, event: str, value: Any) -> None:
        if event != "return" or value is None:
            return
        errors = (value,) if isinstance(value, FieldError) else value if isinstance(value, list | tuple) else ()
        new = [one for one in errors if isinstance(one, FieldError) and id(one) not in self._places]
        if new and (place := self._place(frame)):
            self._places.update((id(one), (one, place)) for one in new)  # what is kept has no other's id

    def _place(self, frame: FrameType | None) -> str:
        """Name the innermost line of the folder, with its function: a comprehension has none of its own."""
        while frame is not None and not frame.f_code.co_filename.startswith(self._folder):
            frame = frame.f_back
        if frame is None:
            return ""
        named: FrameType | None = frame
        while named is not None and named.f_code.co_name.startswith("<") and named.f_back is not None:
            named = named.f_back
        assert named is not None
        return describe_place(frame.f_code.co_filename, frame.f_lineno, named.f_code.co_name, self._folder)
