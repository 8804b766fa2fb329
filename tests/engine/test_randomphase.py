"""How the random phase draws: related pairs, old objects that serve several draws, and seldom the same twice."""

from __future__ import annotations

from collections import Counter
from random import Random

import msgspec

from harness.case import Json, Operation
from harness.engine.asker import CaseSpec
from harness.engine.points import Points
from harness.engine.randomphase import RandomPhase
from harness.engine.units import RequestKind
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.repair import SeedObject
from harness.jsonpath import look
from harness.objectmodel import stored
from tests.fuzzers.toys import WIDGETS, widget_shape

WIDGET: Json = {
    "metadata": {"name": "a"},
    "spec": {"mode": "Fast", "ports": [{"name": "x", "number": 1}, {"name": "y", "number": 2}], "labels": {"a": "b"}},
}
CREATE, UPDATE = RequestKind(WIDGETS, Operation.CREATE), RequestKind(WIDGETS, Operation.UPDATE)


def draw(count: int, *requests: RequestKind, seed: int = 1) -> list[CaseSpec]:
    """Draw so many cases from one accepted object."""
    points = Points(Random(seed), widget_shape(), Harvest())
    points.set_seeds([SeedObject(WIDGET)])
    random_phase = RandomPhase(points)
    return [random_phase.draw(requests[number % len(requests)], number % len(requests)) for number in range(count)]


def text(value: Json) -> bytes:
    return msgspec.json.encode(value)


def test_the_same_seed_draws_the_same() -> None:
    """Nothing but the seed and the objects decides what is drawn."""
    first, second, other = draw(300, CREATE, UPDATE), draw(300, CREATE, UPDATE), draw(300, CREATE, UPDATE, seed=2)
    assert [drawn[1:3] for drawn in first] == [drawn[1:3] for drawn in second]
    assert [drawn[1:3] for drawn in first] != [drawn[1:3] for drawn in other]


def test_few_draws_come_twice() -> None:
    """What was drawn before is drawn anew with more edits: single ones have an end."""
    drawn = [text(new) for _, new, _, _ in draw(6000, CREATE)]
    assert len(set(drawn)) > 0.95 * len(drawn)


def test_two_requests_may_draw_the_same_object() -> None:
    """What was asked of one kind or operation is new to another."""
    drawn = draw(4000, CREATE, CREATE)
    assert {text(new) for _, new, _, _ in drawn[::2]} & {text(new) for _, new, _, _ in drawn[1::2]}


def test_edits_go_where_the_request_takes_them() -> None:
    """What a server puts aside is drawn seldom, and that is no reason to draw nothing where it takes little."""
    points = Points(Random(1), widget_shape(), Harvest())
    points.set_seeds([SeedObject(WIDGET)])
    random_phase = RandomPhase(points, lambda request, path: request is UPDATE or path[:2] == ("spec", "ports"))
    ports, others = [], 0
    for number in range(600):
        _, new, old, _ = random_phase.draw((CREATE, UPDATE)[number % 2], number % 2)
        if old is None:
            ports.append(look(new, ("spec", "ports")) != look(WIDGET, ("spec", "ports")))
        else:
            others += look(new, ("spec", "mode")) != look(old, ("spec", "mode"))
    assert 300 == len(ports)
    assert sum(ports) > 240
    assert others > 30


def test_updates_start_from_the_very_same_objects() -> None:
    """Targets know an old object by its identity: one that was read for one draw is known in others."""
    olds = [old for _, _, old, _ in draw(400, UPDATE)]
    assert 1 == len({id(old) for old in olds if old == stored(WIDGET)})
    uses = Counter(id(old) for old in olds if old != stored(WIDGET))
    assert 2 <= uses.total() / len(uses) <= 4


def test_every_relation_of_old_and_new_is_drawn() -> None:
    """Accepted then edited, wrong and left so, wrong and put right, and changed again in many ways."""
    base = stored(WIDGET)
    drawn = Counter(
        "edited" if old == base else "unchanged" if new is old else "repaired" if new == base else "again"
        for _, new, old, _ in draw(1400, UPDATE)
    )
    assert all(150 <= drawn[one] for one in ("edited", "unchanged", "repaired", "again")), drawn


def test_pairs_are_related() -> None:
    """Old and new share what no edit touched, by identity as well."""
    drawn = draw(200, UPDATE)
    shared = [new for _, new, old, _ in drawn if look(new, ("spec", "ports")) is look(old, ("spec", "ports"))]
    assert len(shared) > 60


def test_an_update_that_changes_much_is_drawn_from_as_well() -> None:
    """A pair that both sides accept keeps its old object; what is new is edited."""
    points = Points(Random(1), widget_shape(), Harvest())
    points.set_seeds([SeedObject(WIDGET)])
    before = {**WIDGET, "spec": {}}
    points.add_pair(UPDATE, WIDGET, before)
    random_phase = RandomPhase(points)
    assert 10 < sum(random_phase.draw(UPDATE, 0)[2] is before for _ in range(300)) < 60
