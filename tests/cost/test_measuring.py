"""Objects are measured in passes, there and back, as long as there is time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from harness.case import Answer, Case, Cost, Failure, Operation, Spent
from harness.cost.measuring import MOST_PASSES, ROUNDS, Measuring
from harness.cost.objects import Chosen
from harness.targets.target import Target


class Toy:
    """A target that takes a second for each answer."""

    def __init__(self, interrupted_at: int = 0) -> None:
        self.now, self.asked, self.interrupted_at = 0.0, list[str](), interrupted_at

    def ask(self, cases: Sequence[Case]) -> list[Answer]:
        """Answer one case with a cost; the bad one with a failure."""
        [case] = cases
        assert case.measure is not None
        self.now += 1.0
        self.asked.append(case.object["n"])
        if len(self.asked) == self.interrupted_at:
            raise KeyboardInterrupt
        if case.object["n"] == "bad":
            return [Answer(1, failure=Failure("handwritten", "panic", True))]
        return [Answer(1, cost=Cost("cpu", {"handwritten": Spent((1.0,) * case.measure.rounds)}))]


def measuring(toy: Toy, seconds: float | None = None, **more: Any) -> Measuring:
    """A measurement of the toy by its own clock."""
    return Measuring(cast(Target, toy), seconds, now=lambda: toy.now, **more)


def objects(*names: str) -> list[Chosen]:
    """Objects by name."""
    return [Chosen(Case(0, "g", "v1", "K", Operation.CREATE, {"n": n}), True, "typical", 1, 0) for n in names]


def test_every_pass_goes_the_other_way() -> None:
    """All passes are made when nothing limits them, and the samples of all are together."""
    one = measuring(toy := Toy())
    found = one.run(objects("a", "b"))
    assert ["a", "b", "b", "a"] == toy.asked[:4]
    assert (MOST_PASSES, MOST_PASSES * ROUNDS) == (one.passes, len(found[1].samples["handwritten"]))


def test_a_pass_begins_only_when_there_is_time_for_it() -> None:
    """Two seconds for each pass: of five seconds two passes are made; the first one is made in any case."""
    for seconds, passes in ((5.0, 2), (0.1, 1)):
        one = measuring(Toy(), seconds)
        one.run(objects("a", "b"))
        assert passes == one.passes


def test_an_object_that_fails_says_why() -> None:
    """The others are measured all the same."""
    bad, good = measuring(Toy()).run(objects("bad", "good"))
    assert ("handwritten: panic", {}) == (bad.failure, bad.samples)
    assert "handwritten" in good.samples


def test_an_interrupt_keeps_what_was_measured() -> None:
    """Whatever was told until then is returned."""
    one = measuring(Toy(interrupted_at=3))
    found = one.run(objects("a", "b"))
    assert (True, 1, ROUNDS) == (one.interrupted, one.passes, len(found[0].samples["handwritten"]))


def test_progress_is_told_object_by_object() -> None:
    """From the first measurement to the last."""
    told: list[tuple[int, int]] = []
    measuring(Toy(), on_told=lambda done, total: told.append((done, total))).run(objects("a", "b"))
    total = 2 * MOST_PASSES
    assert [(number, total) for number in range(1, total + 1)] == told
