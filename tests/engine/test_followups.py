"""A value rejected with a new error signature is asked again: kept by updates, and with other siblings."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import msgspec

from harness.case import Answer, Json, Operation
from harness.engine.asker import CaseSpec
from harness.engine.followups import FollowUps, SeenErrorSignatures
from harness.engine.plan import RequestState
from harness.engine.units import RequestKind
from harness.field import FieldError
from tests.fuzzers.toys import WIDGETS, widget_shape

CREATE, UPDATE = RequestKind(WIDGETS, Operation.CREATE), RequestKind(WIDGETS, Operation.UPDATE)
STATUS = RequestKind(msgspec.structs.replace(WIDGETS, subresource="status"), Operation.UPDATE)
BASE: Json = {"metadata": {"name": "a"}, "spec": {"title": "t"}}
REJECTED: Json = {"metadata": {"name": "a"}, "spec": {"title": "too long", "mode": "Fast"}}


def follow_ups() -> FollowUps:
    """The follow-ups of a kind with three requests."""
    states = dict(enumerate(map(RequestState, (CREATE, UPDATE, STATUS))))
    search: Any = SimpleNamespace(plan=SimpleNamespace(shape=widget_shape()), ledger=SimpleNamespace(states=states))
    return FollowUps(search)


def rejected(*fields: str) -> Answer:
    """An answer with an error at each of these paths."""
    return Answer(0, tuple(FieldError("FieldValueTooLong", field, origin="maxLength") for field in fields))


def choose(answer: Answer, request: RequestKind = CREATE, old: Json = None) -> list[CaseSpec]:
    """The follow-up cases after this answer to the rejected object."""
    return follow_ups().choose([(request, REJECTED, old, BASE)], [answer])


def test_a_rejected_object_is_updated_without_a_change() -> None:
    """First of all through the main resource: old and new are the rejected object, as it would be stored."""
    request, new, old, base = choose(rejected("spec.title"))[0]
    assert (UPDATE, BASE) == (request, base)
    assert new is old
    assert new["spec"] == REJECTED["spec"]
    assert new["metadata"]["uid"]


def test_a_rejected_value_is_kept_while_a_sibling_changes() -> None:
    """Old is the rejected object; new has the rejected value too, and another sibling."""
    pairs = [
        (new, old) for request, new, old, _ in choose(rejected("spec.title")) if request is UPDATE and new is not old
    ]
    assert all(old["spec"] == REJECTED["spec"] for _, old in pairs)
    assert any(new["spec"] == {"title": "too long", "mode": "Slow"} for new, _ in pairs)


def test_a_rejected_value_is_created_with_other_siblings() -> None:
    """Without a sibling that was there, and with one that was not."""
    specs = [
        new["spec"] for request, new, old, _ in choose(rejected("spec.title")) if request is CREATE and old is None
    ]
    assert {"title": "too long"} in specs
    assert any(spec["title"] == "too long" and spec.keys() > REJECTED["spec"].keys() for spec in specs)


def test_an_update_without_a_change_is_asked_through_every_subresource() -> None:
    """A subresource resets the fields that it does not own to the old object, and may still validate all of it."""
    for request, old in ((CREATE, None), (UPDATE, BASE), (STATUS, BASE)):
        kept = [one for one, new, old, _ in choose(rejected("spec.title"), request, old) if new is old]
        assert [UPDATE, STATUS] == kept


def test_changes_around_a_rejected_update_go_through_its_own_request() -> None:
    """Nothing is created, no other request changes anything, and the status subresource is not asked to change spec."""
    for request, most in ((UPDATE, 13), (STATUS, 0)):
        around = [(one, old) for one, new, old, _ in choose(rejected("spec.title"), request, BASE) if new is not old]
        assert bool(most) == bool(around)
        assert len(around) <= most
        assert all(one is request and old is not None for one, old in around)


def test_metadata_is_only_kept() -> None:
    """Metadata is common to all kinds, so no sibling is changed; neither is one where the error has no path."""
    for answer in (rejected("metadata.labels"), rejected("<nil>")):
        assert [UPDATE, STATUS] == [request for request, new, old, _ in choose(answer) if new is old]
        assert all(new is old for _, new, old, _ in choose(answer))


def test_a_signature_is_followed_up_once() -> None:
    """A signature that was seen before has no follow-ups, and neither has an accepted object."""
    steps = follow_ups()
    specs: list[CaseSpec] = [(CREATE, REJECTED, None, BASE)]
    assert steps.choose(specs, [rejected("spec.title")])
    assert not steps.choose(specs, [rejected("spec.title")])
    assert not steps.choose(specs, [Answer(0)])


def test_a_missing_member_stays_missing_while_siblings_change() -> None:
    """An error below an absent member counts as an error of that member: its siblings change."""
    specs = [new["spec"] for request, new, old, _ in choose(rejected("spec.parent.title")) if old is None]
    assert {"title": "too long"} in specs
    assert not any("parent" in spec for spec in specs)


def test_a_signature_is_new_once_in_each_context() -> None:
    """By type, origin and path with any index, of either list; an answer without errors has none."""
    signatures = SeenErrorSignatures()
    first = Answer(0, (FieldError("FieldValueInvalid", "spec.a[0]"),))
    again = Answer(0, (), (FieldError("FieldValueInvalid", "spec.a[7]"),))
    more = Answer(0, again.declarative, (FieldError("FieldValueInvalid", "spec.a[0]", origin="minimum"),))
    asked = [((), Answer(0)), ((), first), ((), again), (("status",), again), ((), more), ((), more)]
    assert [signatures.has_new(context, answer) for context, answer in asked] == [False, True, False, True, True, False]
