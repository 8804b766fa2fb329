"""Bases grow: optional members are added to an accepted object, alone and then together, as long as both sides agree.

What cannot stand beside the rest (another member of a union) becomes a base of its own, with the focus on that member.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from itertools import islice

from harness.case import Answer, Case, Json
from harness.fuzzers.bases import Ask, Base, accepted, errors_of
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.mend import at_once, fixes
from harness.fuzzers.places import ABSENT, Place, look, places, put
from harness.fuzzers.shape import FieldShape, Shape
from harness.fuzzers.values import alternatives

SERVER_OWNED = frozenset({"managedFields", "creationTimestamp", "deletionTimestamp", "selfLink"})
"""Members of metadata that a request cannot usefully say."""


@dataclass(slots=True)
class Growth:
    """The growth of one accepted object. `limit` is in cases; `main` is the fullest object so far.

    `skip` are places left alone: usually the status, which requests for the root cannot write.
    """

    shape: Shape
    ask: Ask
    harvest: Harvest
    limit: int
    main: Json
    skip: frozenset[Place] = frozenset({("status",)})
    variants: list[Base] = field(default_factory=list)
    asked: int = 0
    _tried: set[Place] = field(default_factory=set)

    def run(self) -> Generator[list[Case], list[Answer], list[Base]]:
        """Grow until nothing is left to add or the limit is reached; the fullest object comes first."""
        grown = True
        while grown and self.asked < self.limit:
            grown = yield from self._round()
        return [Base(self.main), *self.variants]

    def _round(self) -> Generator[list[Case], list[Answer], bool]:
        """Try members that are absent now, one by one, and keep together what can stand together."""
        todo = list(islice(self._absent(), 40))
        if not todo:
            return False
        additions: list[tuple[Place, Json]] = []
        options = [(place, list(islice(alternatives(member), 3))) for place, member in todo]
        tries = [(place, value) for place, values in options for value in values]
        answers = yield from self._ask([put(self.main, *change) for change in tries])
        done: set[Place] = set()
        for change, answer in zip(tries, answers, strict=False):
            if change[0] in done:
                continue
            if accepted(answer):
                done.add(change[0])
                additions.append(change)
        refused = [(place, values[0]) for place, values in options if place not in done and values]
        additions += yield from self._mended(refused)
        yield from self._combine(additions)
        return True

    def _absent(self) -> Iterator[tuple[Place, FieldShape]]:
        """Yield members that the fullest object lacks and that were not tried, shallow ones first."""
        structs = [((), self.shape), *((place, shape) for place, shape, _ in places(self.main, self.shape))]
        structs = [(place, shape) for place, shape in structs if shape.kind == "struct" and _first_items(place)]
        for place, shape in sorted(structs, key=lambda entry: len(entry[0])):
            held = look(self.main, place)
            for member in shape.fields:
                at = (*place, member.name)
                if isinstance(held, dict) and member.name not in held and at not in self._tried:
                    self._tried.add(at)
                    if member.name not in SERVER_OWNED and at not in self.skip:
                        yield at, member

    def _mended(
        self, refused: list[tuple[Place, Json]]
    ) -> Generator[list[Case], list[Answer], list[tuple[Place, Json]]]:
        """Give refused additions two rounds of repair below their own place; siblings of a union become variants."""
        found: list[tuple[Place, Json]] = []
        current = [(place, put(self.main, place, value)) for place, value in refused]
        for _ in range(3):
            if not current or self.asked >= self.limit:
                break
            answers = yield from self._ask([obj for _, obj in current])
            following: list[tuple[Place, Json]] = []
            solved: set[Place] = set()
            for (place, obj), answer in zip(current, answers, strict=False):
                if place in solved:
                    continue
                if accepted(answer):
                    solved.add(place)
                    found.append((place, look(obj, place)))
                    self._keep_variant(place, obj)
                else:
                    following += self._next(place, obj, answer)
            current = [(place, obj) for place, obj in following if place not in solved]
        return found

    def _next(self, place: Place, obj: Json, answer: Answer) -> list[tuple[Place, Json]]:
        errors = errors_of(answer)
        self.harvest.learn(errors)
        if not errors or len(errors) > 6:
            return []
        together = obj
        for change in at_once(errors, obj, self.shape, self.harvest):
            together = put(together, *change)
        single = [put(obj, *change) for change in islice(fixes(errors[0], obj, self.shape, self.harvest), 5)]
        return [(place, one) for one in (together, *single) if look(one, place) is not ABSENT]

    def _keep_variant(self, place: Place, obj: Json) -> None:
        if len(self.variants) < 24:
            self.variants.append(Base(obj, place))

    def _combine(self, additions: list[tuple[Place, Json]]) -> Generator[list[Case], list[Answer], None]:
        """Add as many as can stand together, by halving what is refused."""
        groups = [additions] if additions else []
        alone: list[tuple[Place, Json]] = []
        before = self.main
        while groups and self.asked < self.limit:
            group = groups.pop()
            obj = self.main
            for change in group:
                obj = put(obj, *change)
            answers = yield from self._ask([obj])
            if not answers:
                break
            if accepted(answers[0]):
                self.main = obj
            elif len(group) > 1:
                half = len(group) // 2
                groups += [group[half:], group[:half]]
            else:
                # Accepted alone, refused beside the others: a member of a union, say.
                alone.append(group[0])

        for place, value in alone:
            self._keep_variant(place, put(before, place, value))

    def _ask(self, objects: list[Json]) -> Generator[list[Case], list[Answer], list[Answer]]:
        self.asked += len(objects)
        answers = yield from self.ask(objects)
        return answers


def _first_items(place: Place) -> bool:
    """Whether a place lies in first items only: other items of a list have the same shape."""
    return len(place) < 14 and all(part == 0 for part in place if isinstance(part, int))
