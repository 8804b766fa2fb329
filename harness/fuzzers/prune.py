"""Prune an object that is nearly accepted: remove the values at which errors are reported until none is left.

`Repair` keeps members and looks for better values. Pruning is for large objects of which most is known to be accepted:
the first time an error is reported its likeliest fix is applied, the next times its path is removed, then the parent of
its path, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field

from harness.case import Answer, Case, Json
from harness.field import FieldError
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.fixes import fixes, fixes_for_decode_error
from harness.fuzzers.repair import Ask, errors_of, is_accepted
from harness.fuzzers.shape import Shape
from harness.fuzzers.shapepaths import resolve_path
from harness.jsonpath import ABSENT, Edit, JsonPath, later_first, look

MAX_ROUNDS = 16
"""At most this many cases for one object."""


@dataclass(slots=True)
class Pruning:
    """The pruning of one object. `path` is never removed, `error` is the last one, `is_lost` when no edit is left."""

    obj: Json
    path: JsonPath
    error: str = ""
    is_accepted: bool = False
    is_lost: bool = False
    _repetitions: dict[tuple[str, JsonPath], int] = field(default_factory=dict)

    def apply_answer(self, answer: Answer, shape: Shape, harvest: Harvest) -> None:
        """Edit the object by the errors of an answer."""
        errors = errors_of(answer)
        harvest.learn(errors)
        if is_accepted(answer):
            self.is_accepted = True
            return
        message = answer.failure.message if answer.failure is not None else ""
        self.error = errors[0].text if errors else message
        edits = [edit for error in errors for edit in self._edits(error, shape, harvest)]
        edits += list(fixes_for_decode_error(message, shape)) if message else []
        before = self.obj
        for edit in later_first(edits):
            if edit.path != self.path[: len(edit.path)]:
                self.obj = edit.apply(self.obj)
        self.is_lost = self.obj == before

    def _edits(self, error: FieldError, shape: Shape, harvest: Harvest) -> list[Edit]:
        error_path, _ = resolve_path(error.field, shape)
        key = error.type, error_path
        self._repetitions[key] = repetition = self._repetitions.get(key, -1) + 1
        options = (fix for fix in fixes(error, self.obj, shape, harvest) if fix.path != self.path[: len(fix.path)])
        if repetition == 0 or error_path == self.path[: len(error_path)]:
            return [fix for _, fix in zip(range(repetition + 1), options, strict=False)][-1:]
        while look(self.obj, error_path) is ABSENT:
            error_path = error_path[:-1]
        return [Edit(error_path[: len(error_path) - repetition + 1], ABSENT)]


def prune(
    objects: Sequence[Json], path: JsonPath, shape: Shape, ask: Ask, harvest: Harvest, cases_left: Callable[[], int]
) -> Generator[list[Case], list[Answer], list[Pruning]]:
    """Prune these objects side by side, as long as there are `cases_left`. Returns one result for each."""
    results = [Pruning(obj, path) for obj in objects]
    for _ in range(MAX_ROUNDS):
        running = [one for one in results if not one.is_accepted and not one.is_lost][: cases_left()]
        if not running:
            break
        answers = yield from ask([one.obj for one in running])
        for one, answer in zip(running, answers, strict=False):
            one.apply_answer(answer, shape, harvest)
    return results
