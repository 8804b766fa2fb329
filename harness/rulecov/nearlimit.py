"""Records why no object at the limit of a rule is accepted: the other errors of the object that has the fewest.

Most objects of a run are rejected, so they are walked along a tree that has only the rules about which there is more to
learn: no object at their limit was accepted, or rejected with a single error.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from harness.case import Failure, Json
from harness.field import FieldError
from harness.field.unaccepted import ErrorAt, Unaccepted, failed_with, nearest, rejected_with
from harness.jsonpath import canonical_path
from harness.rulecov.accepting import UncoveredRules
from harness.rulecov.inventory import KnownRule


class NearestToLimits:
    """The reasons by the number of the rule, and the tree of those that may change.

    `normalize` makes a handwritten path one of the version, so that an error of both sides counts once.
    """

    def __init__(self, rules: Sequence[KnownRule], normalize: Callable[[str], str]) -> None:
        self._rules = rules
        self._normalize = normalize
        self._open = {number for number, known in enumerate(rules) if known.limit is not None}
        self._found: dict[int, Unaccepted] = {}
        self._tree = self._grow()

    def __bool__(self) -> bool:
        return bool(self._tree)

    def _grow(self) -> UncoveredRules:
        tree = UncoveredRules()
        for number in sorted(self._open):
            tree.add(number, self._rules[number])
        return tree

    def record_accepted(self, numbers: Iterable[int]) -> None:
        """Forget rules that accept at their limit."""
        accepted = self._open.intersection(numbers)
        if accepted:
            self._open -= accepted
            self._tree = self._grow()

    def record_rejected(
        self, new: Json, old: Json, errors: Iterable[FieldError], firing: Callable[[], Collection[int]]
    ) -> None:
        """Record the errors of an object for the rules at whose limit it is. What is `firing` is beyond it as well."""
        numbers = self._at(new, old)
        if numbers:
            beyond = firing()
            why = rejected_with(self._error_at(error) for error in errors)
            self._keep([number for number in numbers if number not in beyond], why)
            self._return(numbers)

    def record_failed(self, new: Json, old: Json, failure: Failure) -> None:
        """Record that the target failed on an object, for the rules at whose limit it is."""
        numbers = self._at(new, old)
        self._keep(numbers, failed_with(failure.stage, failure.message))
        self._return(numbers)

    def _at(self, new: Json, old: Json) -> list[int]:
        """Return the rules at whose limit an object is. This removes them from the tree."""
        numbers: list[int] = []
        self._tree.look(new, old, numbers)
        return numbers

    def _keep(self, numbers: Iterable[int], why: Unaccepted) -> None:
        for number in numbers:
            self._found[number] = nearest(self._found.get(number), why) or why

    def _return(self, numbers: Iterable[int]) -> None:
        """Return rules to the tree, except those whose reason cannot get any nearer."""
        for number in numbers:
            why = self._found.get(number)
            if why is None or why.count != 1:
                self._tree.add(number, self._rules[number])

    def _error_at(self, error: FieldError) -> ErrorAt:
        return ErrorAt(canonical_path(self._normalize(error.field)), error.type)

    def why(self, number: int) -> Unaccepted | None:
        """Return why no object at the limit of a rule was accepted, None if one was, or none was asked about."""
        return self._found.get(number) if number in self._open else None
