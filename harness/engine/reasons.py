"""For what reasons objects were refused: what is refused for a new one is worth going on from."""

from __future__ import annotations

from harness.case import Answer
from harness.compare.mismatch import canonical_path


class Reasons:
    """Tells what is refused for a reason that was not met before."""

    def __init__(self) -> None:
        self._met: set[int] = set()  # hashes: of hundreds of searches each keeps thousands

    def is_new(self, at: tuple[object, ...], answer: Answer) -> bool:
        """Whether an answer has an error that was not met `at` this before: one place may be refused for several."""
        errors = (*answer.handwritten, *answer.declarative)
        said = {hash((*at, error.type, error.origin, canonical_path(error.field))) for error in errors}
        is_new = not said <= self._met
        self._met |= said
        return is_new
