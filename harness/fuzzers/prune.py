"""What is nearly accepted is made so by taking out what errors speak of, wider and wider, until none is left.

Repair keeps an object as it is and looks for better values; here most of a large object is known to be fine, and what
is not can go. The first answer to an error is the likeliest mend, the next ones remove its place and then what is
around it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field

from harness.case import Answer, Case, Json
from harness.field import FieldError
from harness.fuzzers.bases import Ask, accepted, errors_of
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.mend import fixes, undecodable
from harness.fuzzers.places import place_of
from harness.fuzzers.shape import Shape
from harness.jsonpath import ABSENT, Edit, JsonPath, later_first, look

ROUNDS = 16
"""Questions for one object."""


@dataclass(slots=True)
class Pruning:
    """One object on its way. `seat` is the place that must stay, `error` the last one that was met."""

    obj: Json
    seat: JsonPath
    error: str = ""
    is_accepted: bool = False
    is_lost: bool = False
    _met: dict[tuple[str, JsonPath], int] = field(default_factory=dict)

    def take(self, answer: Answer, shape: Shape, harvest: Harvest) -> None:
        """Change the object by what an answer says of it."""
        errors = errors_of(answer)
        harvest.learn(errors)
        if accepted(answer):
            self.is_accepted = True
            return
        message = answer.failure.message if answer.failure is not None else ""
        self.error = errors[0].text if errors else message
        edits = [edit for error in errors for edit in self._edits(error, shape, harvest)]
        edits += list(undecodable(message, shape)) if message else []
        before = self.obj
        for edit in later_first(edits):
            if edit.path != self.seat[: len(edit.path)]:
                self.obj = edit.apply(self.obj)
        self.is_lost = self.obj == before

    def _edits(self, error: FieldError, shape: Shape, harvest: Harvest) -> list[Edit]:
        at, _ = place_of(error.field, shape)
        key = error.type, at
        self._met[key] = turn = self._met.get(key, -1) + 1
        options = (fix for fix in fixes(error, self.obj, shape, harvest) if fix.path != self.seat[: len(fix.path)])
        if turn == 0 or at == self.seat[: len(at)]:
            return [fix for _, fix in zip(range(turn + 1), options, strict=False)][-1:]
        while look(self.obj, at) is ABSENT:
            at = at[:-1]
        return [Edit(at[: len(at) - turn + 1], ABSENT)]


def pruned(
    objects: Sequence[Json], seat: JsonPath, shape: Shape, ask: Ask, harvest: Harvest, left: Callable[[], int]
) -> Generator[list[Case], list[Answer], list[Pruning]]:
    """Prune all of these side by side, at most as long as something is `left`. Returns one result for each."""
    results = [Pruning(obj, seat) for obj in objects]
    for _ in range(ROUNDS):
        running = [one for one in results if not one.is_accepted and not one.is_lost][: left()]
        if not running:
            break
        answers = yield from ask([one.obj for one in running])
        for one, answer in zip(running, answers, strict=False):
            one.take(answer, shape, harvest)
    return results
