"""Filters on the answers of a target: what a run of these cases would kill, and what it would not."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.case import Answer, Case, KindInfo, Operation
from harness.compare.comparator import Comparator
from harness.engine.units import RequestKind, Unit
from harness.field import FieldError
from harness.power.filters import ON_ERRORS, RuleKey, limit_of
from harness.power.mutant import Record
from harness.power.observer import HIDDEN, NO_COUNTERPART, NO_UPDATE, MutantObserver, ObservedRule

INFO = KindInfo(group="toys", version="v1", kind="Toy", resource="toys", api_version="toys/v1", rules=True)
ERROR = FieldError("FieldValueTooLong", "spec.name", "must be short", "maxLength", level="beta")
COUNTERPART = FieldError("FieldValueTooLong", "spec.name", "must be short", "maxLength", covered=True)
LANES = (RequestKind(INFO, Operation.CREATE), RequestKind(INFO, Operation.UPDATE))


def looked(*seen: tuple[Any, Any, list[FieldError], list[FieldError]]) -> dict[str, Record]:
    """What became of the filters after (new, old, handwritten, declarative), by operator."""
    looking = MutantObserver(Unit(0, LANES), {INFO.key: Comparator(INFO)})
    for new, old, handwritten, declarative in seen:
        operation = Operation.CREATE if old is None else Operation.UPDATE
        case = Case(1, "toys", "v1", "Toy", operation, named(new), old and named(old), resource="toys")
        looking.examine([case], [Answer(1, tuple(handwritten), tuple(declarative))], 0.0)
    return {record.operator: record for record in looking.outcome()}


def named(name: str) -> dict[str, Any]:
    """An object with a name."""
    return {"spec": {"name": name}}


REJECTED = ("abcd", None, [COUNTERPART], [ERROR])
ACCEPTED: tuple[Any, ...] = ("abc", None, [], [])


def test_two_sides_that_agree_kill_every_change_of_an_error() -> None:
    """One rejected create shows all filters on errors but that of updates."""
    found = looked(REJECTED)
    states = {name: found[name].state for name, _, _ in ON_ERRORS}
    assert {"skip updates"} == {name for name, state in states.items() if state != "killed"}
    assert NO_UPDATE == found["skip updates"].reason


def test_an_update_shows_who_skips_updates() -> None:
    """A changed value that both sides reject."""
    assert "killed" == looked(REJECTED, ("abcde", "abc", [COUNTERPART], [ERROR]))["skip updates"].state


def test_a_rule_that_nobody_checks_survives() -> None:
    """A standard rule without a handwritten counterpart can be dropped unseen, and the record says why."""
    standard = msgspec.structs.replace(ERROR, level="")
    found = looked(("abcd", None, [], [standard]))
    assert ("survived", NO_COUNTERPART) == (found["drop"].state, found["drop"].reason)
    assert "flip the mark" not in found


def test_a_difference_that_shows_anyway_kills_nothing() -> None:
    """The handwritten error alone is a difference of the original run: dropping the rule shows the same."""
    found = looked(("abcd", None, [COUNTERPART], []), REJECTED)
    assert ("survived", HIDDEN) == (found["drop"].state, found["drop"].reason)
    late = looked(REJECTED, ("abcd", None, [COUNTERPART], []))
    assert "survived" == late["drop"].state


def test_a_limit_is_known_when_its_neighbours_were_seen() -> None:
    """Rejected at 4 and accepted at 3: both shifts are killed. Accepted at 2: neither, and the record says so."""
    near, far = looked(ACCEPTED, REJECTED, ACCEPTED), looked(REJECTED, ("ab", None, [], []))
    assert ["killed", "killed"] == [near[name].state for name in ("limit + 1", "limit - 1")]
    assert "the limit is not known: rejected at 4, accepted at 2" == far["limit + 1"].reason
    assert "survived" == far["limit - 1"].state


def test_a_ratcheted_value_shows_who_does_not_ratchet() -> None:
    """An unchanged bad value that both sides let pass on an update."""
    update = ("abcde", "abc", [COUNTERPART], [ERROR])
    kept: tuple[Any, ...] = ("abcd", "abcd", [], [])
    assert "killed" == looked(REJECTED, update, kept)["no ratcheting"].state
    assert "survived" == looked(REJECTED, update)["no ratcheting"].state


def test_a_rule_that_looks_at_more_than_its_value_is_not_asked_to_ratchet() -> None:
    """The same value was accepted elsewhere: nobody can say what a rule without ratcheting would have answered."""
    update = ("abcde", "abc", [COUNTERPART], [ERROR])
    assert "no ratcheting" not in looked(REJECTED, update, ("abcd", None, [], []))


@pytest.mark.parametrize(
    ("type_", "origin", "value", "expected"),
    [
        ("FieldValueTooLong", "maxLength", "éé", (1, 2)),
        ("FieldValueTooLong", "maxBytes", "éé", (1, 4)),
        ("FieldValueTooMany", "maxItems", [1, 2], (1, 2)),
        ("FieldValueTooFew", "minItems", [1], (-1, 1)),
        ("FieldValueInvalid", "minimum", 7, (-1, 7)),
        ("FieldValueInvalid", "maximum", True, (1, None)),
        ("FieldValueInvalid", "format=k8s-uuid", "a", (0, None)),
    ],
)
def test_what_a_rule_measures(type_: str, origin: str, value: Any, expected: tuple[int, int | None]) -> None:
    """Which way the limit lies, and the size of a value."""
    key = RuleKey("spec.a", type_, origin, "")
    rule = ObservedRule(key, ERROR, (), limit_of(key))
    assert expected == (rule.direction, rule.size_of(value))


def test_what_a_run_does_not_compare_kills_nothing() -> None:
    """Objects given past the server, or with options that are not the target's, are asked for observers alone."""
    looking = MutantObserver(Unit(0, LANES), {INFO.key: Comparator(INFO)})
    case = Case(1, "toys", "v1", "Toy", Operation.CREATE, named("abcd"), resource="toys")
    shown = [msgspec.structs.replace(case, mode="given"), msgspec.structs.replace(case, options={"On": False})]
    looking.examine(shown, [Answer(1, (COUNTERPART,), (ERROR,))] * 2, 0.0)
    assert () == looking.outcome()
