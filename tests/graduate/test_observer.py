"""What a run is seen to ask of a rule, on answers that are given here."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.case import Answer, Case, Failure, KindInfo, Operation
from harness.engine.units import RequestKind, Unit
from harness.errormatch.trusted import NO_WORDINGS
from harness.field import ErrorType, FieldError
from harness.graduate.observer import GraduationObserver, Watched, worst
from harness.rulecov.declared import DeclaredRule
from harness.rulecov.inventory import KnownRule

INFO = KindInfo(group="toys", version="v1", kind="Toy", resource="toys", api_version="toys/v1", type="t.Toy")
STATUS = msgspec.structs.replace(INFO, subresource="status", operations=(Operation.UPDATE,))
RULE = FieldError("FieldValueTooLong", "spec.name", "must be short", "maxLength", level="beta")
CHECK = FieldError("FieldValueTooLong", "spec.name", "must be short", "maxLength", covered=True)
OTHER = FieldError("FieldValueRequired", "spec.other", "")
KNOWN = KnownRule(
    DeclaredRule("toys", "v1", "Toy", "spec.name", "FieldValueTooLong", "maxLength", "beta", "k8s:maxLength"), "t.Toy",
    ("spec.name",), ("spec", "name"), "limit", measure="characters", limit=3, beyond=1,
)  # fmt: skip
UNIT = Unit(0, (RequestKind(INFO, Operation.CREATE), RequestKind(INFO, Operation.UPDATE)))


def named(name: str) -> dict[str, Any]:
    """An object with a name."""
    return {"spec": {"name": name}}


def case(new: str, old: str | None = None, **fields: Any) -> Case:
    """A create, or an update from an old name."""
    operation = Operation.CREATE if old is None else Operation.UPDATE
    return Case(1, "toys", "v1", "Toy", operation, named(new), old and named(old), resource="toys", **fields)


def watched(*asked: tuple[Case, list[FieldError], list[FieldError]], unit: Unit = UNIT) -> Watched:
    """What was seen of the rule after (case, handwritten, declarative)."""
    observer = GraduationObserver(unit, (KNOWN,), NO_WORDINGS, "served")
    for one, handwritten, declarative in asked:
        observer.examine([one], [Answer(1, tuple(handwritten), tuple(declarative))], 0.0)
    return observer.outcome().rules[0]


def test_cases_are_counted_by_request() -> None:
    """Who rejected, who accepted at the limit, and what is just beyond it."""
    seen = watched((case("abcd"), [CHECK], [RULE]), (case("abc"), [], []), (case("abcde"), [CHECK], []))
    create, update = seen.asked["toys/v1 toys create"], seen.asked["toys/v1 toys update"]
    assert (3, 1, 1, 0, 1) == (create.cases, create.accepted, create.both, create.rule, create.check)
    assert (True, True) == (create.at_limit, create.beyond)
    assert (0, False, False) == (update.cases, update.at_limit, update.beyond)


def test_values_far_from_the_limit_are_not_at_it() -> None:
    """Rejected far beyond and accepted far below show nothing of the limit."""
    create = watched((case("abcdef"), [CHECK], [RULE]), (case("a"), [], [])).asked["toys/v1 toys create"]
    assert (1, False, False) == (create.both, create.at_limit, create.beyond)


def test_old_values_that_are_kept_are_counted() -> None:
    """Let through by both, or rejected by both; a value that is bad now and was another before is neither."""
    rejected = (case("abcd"), [CHECK], [RULE])
    kept = watched(rejected, (case("abcd", "abcd"), [], []), (case("abce", "abcd"), [CHECK], [RULE]))
    held = watched(rejected, (case("abcd", "abcd"), [CHECK], [RULE]))
    assert (1, 0) == (kept.asked["toys/v1 toys update"].kept, kept.asked["toys/v1 toys update"].held)
    assert (0, 1) == (held.asked["toys/v1 toys update"].kept, held.asked["toys/v1 toys update"].held)


def test_the_smallest_object_shows_the_worst_effect() -> None:
    """Of two lost errors the shorter one, counted twice; ratcheting is counted apart, and comes after."""
    seen = watched(
        (case("abcdefgh", "abcdefgh"), [CHECK], []), (case("abcdef"), [CHECK], []), (case("abcd"), [CHECK], [])
    )
    assert ["accepted (ratcheting)", "accepted"] == list(seen.shown)
    found = worst(seen.shown)
    assert found is not None
    assert (named("abcd"), 2, False) == (found.case.object, found.times, found.ratcheting)


def test_equal_errors_show_no_effect() -> None:
    """And what both report in other words does."""
    assert {} == watched((case("abcd"), [CHECK], [RULE])).shown
    other = msgspec.structs.replace(CHECK, detail="is long")
    assert ["words"] == list(watched((case("abcd"), [other], [RULE])).shown)


@pytest.mark.parametrize(
    ("one", "answer"),
    [
        (case("abcd", mode="given"), Answer(1, (CHECK,))),
        (case("abcd", options={"On": False}), Answer(1, (CHECK,))),
        (case("abcd"), Answer(1, (CHECK,), unreachable="409")),
        (case("abcd"), Answer(1, (CHECK,), failure=Failure("decode", "no"))),
    ],
)
def test_what_no_request_shows_is_left_out(one: Case, answer: Answer) -> None:
    """Objects past the server, other options, requests that a server answers itself, and failures."""
    observer = GraduationObserver(UNIT, (KNOWN,), NO_WORDINGS, "served")
    observer.examine([one], [answer], 0.0)
    seen = observer.outcome().rules[0]
    assert ({}, 0) == (seen.shown, sum(each.cases for each in seen.asked.values()))


def test_a_version_that_is_not_served_shows_nothing() -> None:
    """No request reaches it, whatever its strategy answers."""
    info = msgspec.structs.replace(INFO, through="v2")
    unit = Unit(0, (RequestKind(info, Operation.CREATE),))
    assert {} == watched((case("abcd"), [CHECK], []), unit=unit).shown


def test_a_crash_is_counted_and_no_effect() -> None:
    """The rule was not heard."""
    crash = FieldError(ErrorType.INTERNAL.value, "", "panic during declarative validation: x")
    seen = watched((case("abcd"), [CHECK], [crash]))
    assert (1, {}) == (seen.crashes, seen.shown)


def test_a_status_is_asked_through_its_subresource_alone() -> None:
    """A request that resets the status says nothing about it, and the status request nothing about the spec."""
    unit = Unit(0, (*UNIT.requests, RequestKind(STATUS, Operation.UPDATE)))
    observer = GraduationObserver(unit, (KNOWN,), NO_WORDINGS, "served", has_status=True)
    assert ["toys/v1 toys create", "toys/v1 toys update"] == list(observer.outcome().rules[0].asked)


def test_another_subresource_may_write_anything() -> None:
    """As `approval` writes conditions of the status: its requests are asked about the spec and the status."""
    approval = RequestKind(msgspec.structs.replace(STATUS, subresource="approval"), Operation.UPDATE)
    known = msgspec.structs.replace(KNOWN, steps=("status", "name"), places=("status.name",))
    unit = Unit(0, (*UNIT.requests, RequestKind(STATUS, Operation.UPDATE), approval))
    observer = GraduationObserver(unit, (known,), NO_WORDINGS, "served", has_status=True)
    one = Case(1, "toys", "v1", "Toy", Operation.UPDATE, {"status": {"name": "abc"}}, {}, "toys", "approval")
    observer.examine([one], [Answer(1)], 0.0)
    asked = observer.outcome().rules[0].asked
    assert ["toys/v1 toys/status update", "toys/v1 toys/approval update"] == list(asked)
    assert [False, True] == [each.at_limit for each in asked.values()]


def test_a_rule_about_changes_accepts_a_value_that_stays() -> None:
    """An accepted update that leaves a value alone shows it accepting, also where nothing around it changed."""
    known = msgspec.structs.replace(KNOWN, judge="unchanged", limit=None, update=True)
    observer = GraduationObserver(UNIT, (known,), NO_WORDINGS, "served")
    observer.examine([case("ab", "ab"), case("ab")], [Answer(1), Answer(1)], 0.0)
    asked = observer.outcome().rules[0].asked
    assert [False, True] == [one.at_limit for one in asked.values()]


def test_cases_are_kept_for_updates_with_empty_values() -> None:
    """Of a rule about changes what is accepted, of others what leaves a rejected value alone; and few of them."""
    stays = case("abcd", "abcd")
    assert [stays] == watched((case("abcd"), [CHECK], [RULE]), (case("ab"), [], []), (stays, [], [])).compared
    known = msgspec.structs.replace(KNOWN, judge="unchanged", limit=None, update=True)
    observer = GraduationObserver(UNIT, (known,), NO_WORDINGS, "served")
    observer.examine([case("a"), *map(case, "bcdefghi")], [Answer(1, (OTHER,)), *[Answer(1)] * 8], 0.0)
    assert ["b", "c", "d", "e", "f", "g"] == [
        one.object["spec"]["name"] for one in observer.outcome().rules[0].compared
    ]


@pytest.mark.parametrize(
    ("new", "old", "ratcheting"),
    [
        ({}, {"name": ""}, True),
        ({"name": ""}, {}, True),
        ({"name": "b"}, {}, False),
        ({"name": [{"a": None}]}, {"name": [{}]}, True),
        ({"name": [{}, {}]}, {"name": [{}]}, False),
    ],
)
def test_absent_and_empty_values_are_one(new: dict[str, Any], old: dict[str, Any], ratcheting: bool) -> None:
    """An update from one to the other leaves the value alone, as semantic equality has it."""
    one = Case(1, "toys", "v1", "Toy", Operation.UPDATE, {"spec": new}, {"spec": old}, resource="toys")
    assert [ratcheting] == [shown.ratcheting for shown in watched((one, [CHECK], [])).shown.values()]
