"""What was refused for a new reason is asked once more, kept by updates and in other company."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec

from harness.case import Answer, Json, Operation
from harness.engine.asker import Wanted
from harness.engine.followups import FollowUps, RejectionReasons
from harness.engine.plan import LaneState
from harness.engine.units import Lane
from harness.field import FieldError
from tests.fuzzers.toys import WIDGETS, widget_shape

CREATE, UPDATE = Lane(WIDGETS, Operation.CREATE), Lane(WIDGETS, Operation.UPDATE)
STATUS = Lane(msgspec.structs.replace(WIDGETS, subresource="status"), Operation.UPDATE)
BASE: Json = {"metadata": {"name": "a"}, "spec": {"title": "t"}}
REFUSED: Json = {"metadata": {"name": "a"}, "spec": {"title": "too long", "mode": "Fast"}}


def following() -> FollowUps:
    """Of a kind with three lanes."""
    states = dict(enumerate(map(LaneState, (CREATE, UPDATE, STATUS))))
    search: Any = SimpleNamespace(plan=SimpleNamespace(shape=widget_shape()), ledger=SimpleNamespace(states=states))
    return FollowUps(search)


def refused(*fields: str) -> Answer:
    """An answer with an error at each of these."""
    return Answer(0, tuple(FieldError("FieldValueTooLong", field, origin="maxLength") for field in fields))


def of(answer: Answer, lane: Lane = CREATE, old: Json = None) -> list[Wanted]:
    """What follows this answer to the refused object."""
    return following().of([(lane, REFUSED, old, BASE)], [answer])


def test_what_is_refused_is_left_as_it_is_by_an_update() -> None:
    """First of all, through the main resource: old and new are what was refused, as it would be stored."""
    lane, new, old, base = of(refused("spec.title"))[0]
    assert (UPDATE, BASE) == (lane, base)
    assert new is old
    assert new["spec"] == REFUSED["spec"]
    assert new["metadata"]["uid"]


def test_it_is_kept_while_something_changes_around_it() -> None:
    """Old is what was refused; new has the value too, and another member beside it."""
    pairs = [(new, old) for lane, new, old, _ in of(refused("spec.title")) if lane is UPDATE and new is not old]
    assert all(old["spec"] == REFUSED["spec"] for _, old in pairs)
    assert any(new["spec"] == {"title": "too long", "mode": "Slow"} for new, _ in pairs)


def test_it_is_created_in_other_company() -> None:
    """Without the member beside it, and with one that was not there."""
    specs = [new["spec"] for lane, new, old, _ in of(refused("spec.title")) if lane is CREATE and old is None]
    assert {"title": "too long"} in specs
    assert any(spec["title"] == "too long" and spec.keys() > REFUSED["spec"].keys() for spec in specs)


def test_every_update_is_asked_about_what_stays_as_it_is() -> None:
    """A subresource that puts a part aside brings it back from the old object, and may still judge the whole."""
    for lane, old in ((CREATE, None), (UPDATE, BASE), (STATUS, BASE)):
        kept = [one for one, new, old, _ in of(refused("spec.title"), lane, old) if new is old]
        assert [UPDATE, STATUS] == kept


def test_what_changes_around_a_refused_update_stays_in_its_lane() -> None:
    """Nothing is created, and no other lane changes something; a status is not asked about what it cannot write."""
    for lane, most in ((UPDATE, 13), (STATUS, 0)):
        around = [(one, old) for one, new, old, _ in of(refused("spec.title"), lane, BASE) if new is not old]
        assert bool(most) == bool(around)
        assert len(around) <= most
        assert all(one is lane and old is not None for one, old in around)


def test_metadata_is_only_kept() -> None:
    """All kinds have it in common, so that nothing is asked around it; neither is where no place is told."""
    for answer in (refused("metadata.labels"), refused("<nil>")):
        assert [UPDATE, STATUS] == [lane for lane, new, old, _ in of(answer) if new is old]
        assert all(new is old for _, new, old, _ in of(answer))


def test_a_reason_is_followed_once() -> None:
    """What was refused for it before has shown what it has to show; what is accepted shows nothing."""
    steps = following()
    wanted: list[Wanted] = [(CREATE, REFUSED, None, BASE)]
    assert steps.of(wanted, [refused("spec.title")])
    assert not steps.of(wanted, [refused("spec.title")])
    assert not steps.of(wanted, [Answer(0)])


def test_what_is_missing_stays_missing_in_other_company() -> None:
    """An error beneath a member that is not there is one of that member: what stands beside it changes."""
    specs = [new["spec"] for lane, new, old, _ in of(refused("spec.parent.title")) if old is None]
    assert {"title": "too long"} in specs
    assert not any("parent" in spec for spec in specs)


def test_a_reason_is_new_once_at_each_place() -> None:
    """By type, origin and path with any index, of either side; nothing refused is no reason."""
    reasons = RejectionReasons()
    first = Answer(0, (FieldError("FieldValueInvalid", "spec.a[0]"),))
    again = Answer(0, (), (FieldError("FieldValueInvalid", "spec.a[7]"),))
    more = Answer(0, again.declarative, (FieldError("FieldValueInvalid", "spec.a[0]", origin="minimum"),))
    asked = [((), Answer(0)), ((), first), ((), again), (("status",), again), ((), more), ((), more)]
    assert [reasons.is_new(at, answer) for at, answer in asked] == [False, True, False, True, True, False]
