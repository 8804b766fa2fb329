"""The observer of rule coverage: what fired where, at which limit, and what handwritten code says without a rule."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from harness.field.facts import RuleLimit
from harness.fuzzers.aims import Aim
from harness.rulecov.inventory import read_inventory
from harness.rulecov.observed import (
    ACCEPTED,
    DECLARATIVE_CREATE,
    DECLARATIVE_UPDATE,
    HANDWRITTEN_CREATE,
    HANDWRITTEN_UPDATE,
    REJECTED,
    SERVED,
    RuleObserverFactory,
)
from tests.rulecov.watching import api_of_go, error, root, watched

PORT = root('maximum=10; optional | P *int32 `json:"p"`')
AT_P = [("p", "maximum")]


def test_a_rule_fires_on_each_side_and_for_each_operation(tmp_path: Path) -> None:
    """Only what was shown is noted."""
    seen = watched(tmp_path, PORT)
    too_large = error("p", "Invalid", "maximum")
    seen.show({"p": 99}, declarative=(too_large,))
    assert (AT_P, [], [], []) == tuple(
        map(seen.seen, (DECLARATIVE_CREATE, DECLARATIVE_UPDATE, HANDWRITTEN_CREATE, HANDWRITTEN_UPDATE))
    )
    seen.show({"p": 99}, {"p": 1}, handwritten=(too_large,))
    assert ([], AT_P) == (seen.seen(DECLARATIVE_UPDATE), seen.seen(HANDWRITTEN_UPDATE))


@pytest.mark.parametrize(("value", "rejected"), [(99, []), (11, AT_P)])
def test_a_limit_is_rejected_just_beyond_it(tmp_path: Path, value: int, rejected: list[tuple[str, str]]) -> None:
    """A value far beyond the limit says nothing of where the limit is."""
    seen = watched(tmp_path, PORT)
    for _ in range(2):
        seen.show({"p": 99}, declarative=(error("p", "Invalid", "maximum"),))
    seen.show({"p": value}, declarative=(error("p", "Invalid", "maximum"),))
    assert rejected == seen.seen(REJECTED)


@pytest.mark.parametrize(("value", "accepted"), [(9, []), (10, AT_P)])
def test_a_limit_is_accepted_at_it(tmp_path: Path, value: int, accepted: list[tuple[str, str]]) -> None:
    """The value is exactly the limit, and neither side says anything."""
    seen = watched(tmp_path, PORT)
    seen.show({"p": value}, handwritten=(error("q", "Required"),))
    assert [] == seen.seen(ACCEPTED)
    seen.show({"p": value})
    assert accepted == seen.seen(ACCEPTED)


def test_items_are_one_place(tmp_path: Path) -> None:
    """Errors of any index, and of any key of a map, are those of one rule."""
    seen = watched(tmp_path, root('eachVal=+k8s:maxLength=1 | F map[string]string `json:"f"`'))
    seen.show({"f": {"a.b[1]": "xx"}}, declarative=(error("f[a.b[1]]", "TooLong", "maxLength"),))
    assert [("f[*]", "maxLength")] == seen.seen(DECLARATIVE_CREATE)


def test_handwritten_paths_are_normalized(tmp_path: Path) -> None:
    """An error of the internal form is that of the version's rule."""
    go = root(
        'optional | Exactly *E `json:"exactly"`', more='type E struct {\n\t// +k8s:required\n\tN string `json:"n"`\n}'
    )
    seen = watched(tmp_path, go, normalization=((r"^n$", "exactly.n"),))
    seen.show({}, handwritten=(error("n", "Required"),))
    assert [("exactly.n", "Required")] == seen.seen(HANDWRITTEN_CREATE)
    assert () == seen.observer.outcome().uncovered


def test_handwritten_errors_without_a_rule_are_counted(tmp_path: Path) -> None:
    """By canonical path, with an example; what a rule covers is not among them, declared or not."""
    seen = watched(tmp_path, root('format=k8s-short-name | F string `json:"f"`', '| G []string `json:"g"`'))
    for index in range(3):
        seen.show({}, handwritten=(error(f"g[{index}]", "Required", detail="why"), error("f", "Invalid", "other")))
    seen.show(
        {}, handwritten=(error("f", "TooLong", "format=k8s-short-name"), error("f", "Invalid", "format=k8s-short-name"))
    )
    told = [
        (one.path, one.type, one.origin, one.count, one.message, one.near) for one in seen.observer.outcome().uncovered
    ]
    assert [
        ("g[*]", "FieldValueRequired", "", 3, "g[0]: Required value: why", ""),
        ("f", "FieldValueInvalid", "other", 3, "f: Invalid value", "format=k8s-short-name"),
    ] == told


def test_status_counts_through_its_own_door(tmp_path: Path) -> None:
    """Where there is a status subresource, the server resets status elsewhere, and everything else there."""
    go = root(
        "maximum=3 | N int32 `json:\"n\"`", "| Status S `json:\"status\"`",
        more='type S struct {\n\t// +k8s:maximum=5\n\tM int32 `json:"m"`\n}',
    )  # fmt: skip
    seen = watched(tmp_path, go, subresources=("", "status"))
    obj = {"n": 3, "status": {"m": 5}}
    seen.show(obj, {"n": 1, "status": {"m": 1}}, subresource="status")
    assert [("status.m", "maximum")] == seen.seen(ACCEPTED)
    seen.show(obj)
    assert [("n", "maximum"), ("status.m", "maximum")] == seen.seen(ACCEPTED)


def test_aims_are_what_was_not_seen(tmp_path: Path) -> None:
    """First rules that never fired, then limits that were not met, and at last nothing."""
    seen = watched(tmp_path, root('maximum=10 | P int32 `json:"p"`', 'immutable; required | N string `json:"n"`'))
    too_large, empty = error("p", "Invalid", "maximum"), error("n", "Required")
    seen.show({"p": 99}, declarative=(too_large, empty))
    counts = RuleLimit("value", 1)
    assert [
        Aim("n", "FieldValueInvalid", "immutable", "k8s:immutable", None, "reject", True),
        Aim("p", "FieldValueInvalid", "maximum", "k8s:maximum", 10, "reject", counts=counts),
        Aim("p", "FieldValueInvalid", "maximum", "k8s:maximum", 10, "accept", counts=counts),
        Aim("n", "FieldValueInvalid", "immutable", "k8s:immutable", None, "accept", True),
        Aim("n", "FieldValueRequired", "", "k8s:required", None, "accept"),
    ] == seen.observer.aims()
    seen.show({"p": 11, "n": "b"}, {"p": 11, "n": "a"}, declarative=(too_large, error("n", "Invalid", "immutable")))
    seen.show({"p": 10, "n": "a"}, {"p": 9, "n": "a"})
    seen.show({"p": 10, "n": "a"})
    assert [] == seen.observer.aims()


def test_an_aim_says_which_option_its_rule_waits_for(tmp_path: Path) -> None:
    """Whoever goes for it knows how to ask."""
    aims = watched(tmp_path, root('ifEnabled(X)=+k8s:maximum=10 | P int32 `json:"p"`')).observer.aims()
    assert [{"option": "X", "wanted": True}] * 2 == [aim.argument for aim in aims]


def test_what_fires_only_as_it_stands_is_told_apart(tmp_path: Path) -> None:
    """Objects without the server's defaults and options of somebody's choice are no requests."""
    seen = watched(tmp_path, PORT)
    too_large = error("p", "Invalid", "maximum")
    seen.show({"p": 11}, declarative=(too_large,), mode="given")
    seen.show({"p": 11}, declarative=(too_large,), options={"X": True})
    assert (AT_P, []) == (seen.seen(REJECTED), seen.seen(SERVED))
    seen.show({"p": 11}, declarative=(too_large,))
    assert AT_P == seen.seen(SERVED)


def test_the_first_firing_is_dated(tmp_path: Path) -> None:
    """In seconds of the run, and later ones change nothing."""
    seen = watched(tmp_path, PORT)
    for seconds in (2.5, 7.0):
        seen.show({"p": 11}, declarative=(error("p", "Invalid", "maximum"),), seconds=seconds)
    assert 2.5 == seen.observer.outcome().rules[0].first


def test_observer_and_outcome_cross_processes(tmp_path: Path) -> None:
    """Both are plain data."""
    seen = watched(tmp_path, PORT)
    seen.show({"p": 11}, declarative=(error("p", "Invalid", "maximum"),), handwritten=(error("q", "Required"),))
    outcome = seen.observer.outcome()
    assert outcome == pickle.loads(pickle.dumps(outcome))
    observer = RuleObserverFactory(read_inventory(api_of_go(tmp_path, PORT)))
    assert observer.by_type == pickle.loads(pickle.dumps(observer)).by_type


def test_who_asks_is_told_the_first_case_that_shows_something(tmp_path: Path) -> None:
    """Each observation of a rule once: it fires on a side, beyond its limit, as served, and accepts at its limit."""
    seen = watched(tmp_path, PORT)
    told: list[tuple[int, int]] = []
    seen.observer.on_first = lambda case, name: told.append((case.object["p"], int(name.rsplit(" ", 1)[1])))
    seen.show({"p": 12}, handwritten=(error("p", "Invalid", "maximum"),))
    assert [(12, HANDWRITTEN_CREATE)] == told
    for value in (11, 11, 13):
        seen.show({"p": value}, declarative=(error("p", "Invalid", "maximum"),), handwritten=(error("p", "Invalid"),))
    assert {(12, HANDWRITTEN_CREATE), (11, DECLARATIVE_CREATE), (11, REJECTED)} == {*told} - {(11, SERVED)}
    seen.show({"p": 10})
    assert (10, ACCEPTED) == told[-1]
    assert len(told) == len(set(told))


def test_two_servers_are_watched_by_the_rules_of_the_one_after(tmp_path: Path) -> None:
    """What the one after rejects fires its rules, and what it accepts shows them accepting."""
    seen = watched(tmp_path, PORT, servers=True)
    seen.show({"p": 11}, handwritten=(error("p", "Invalid", "maximum", covered=True),))
    assert (AT_P, AT_P, []) == tuple(map(seen.seen, (DECLARATIVE_CREATE, REJECTED, HANDWRITTEN_CREATE)))
    seen.show({"p": 10}, declarative=(error("p", "Invalid", "another"),))
    assert (AT_P, AT_P) == (seen.seen(ACCEPTED), seen.seen(HANDWRITTEN_CREATE))


def test_what_only_the_server_before_checks_is_left_to_migrate(tmp_path: Path) -> None:
    """What both reject is no loss, even where no rule declares it."""
    seen = watched(tmp_path, PORT, servers=True)
    seen.show({"p": 1}, handwritten=(error("metadata.name", "Invalid"),), declarative=(error("q", "Invalid"),))
    assert ["q"] == [one.path for one in seen.observer.outcome().uncovered]


def test_keys_of_maps_may_stand_as_names(tmp_path: Path) -> None:
    """OpenAPI reports the value of a map below the name of its key, which may have dots."""
    seen = watched(tmp_path, root('eachVal=+k8s:maximum=10 | M map[string]int32 `json:"m"`'), servers=True)
    seen.show({"m": {"a.b": 11}}, handwritten=(error("m.a.b", "Invalid", "maximum", covered=True),))
    assert [("m[*]", "maximum")] == seen.seen(DECLARATIVE_CREATE)
