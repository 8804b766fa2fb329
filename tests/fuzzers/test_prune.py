from __future__ import annotations

from collections.abc import Callable

from harness.case import Json
from harness.field import FieldError
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.prune import MAX_ROUNDS, Pruning, prune
from harness.jsonpath import look
from harness.targets.target import drive
from tests.fuzzers.test_growth import SHAPE, Judge, ask
from tests.fuzzers.toys import error

OBJECT: Json = {"spec": {"mode": "Fast", "title": "a", "parent": {"labels": {"a": "b", "c": "d"}, "title": "x"}}}


def pruned(rules: Callable[[Json], list[FieldError]], left: int = 1000) -> tuple[Pruning, Judge]:
    """Prune one object around its spec."""
    judge = Judge(rules)
    (one,) = drive(prune([OBJECT], ("spec",), SHAPE, ask, Harvest(), lambda: left), judge.ask)
    return one, judge


def test_what_is_forbidden_goes_and_the_rest_stays() -> None:
    """Two errors are dealt with by one question more."""

    def rules(obj: Json) -> list[FieldError]:
        paths = [("spec", "title"), ("spec", "parent", "title")]
        return [error("Forbidden", ".".join(path)) for path in paths if look(obj, path)]

    one, judge = pruned(rules)
    assert one.is_accepted
    assert {"spec": {"mode": "Fast", "parent": {"labels": {"a": "b", "c": "d"}}}} == one.obj
    assert 2 == judge.asked


def test_more_is_taken_out_until_the_error_goes() -> None:
    """An error that stays takes its path with it, then what is around it."""

    def rules(obj: Json) -> list[FieldError]:
        is_bad = look(obj, ("spec", "parent", "title")) or look(obj, ("spec", "parent", "labels"))
        return [error("Invalid", "spec.parent.labels[a]", "odd")] if is_bad else []

    one, _ = pruned(rules)
    assert one.is_accepted
    assert "Fast" == look(one.obj, ("spec", "mode"))
    assert not look(one.obj, ("spec", "parent", "labels"))


def test_what_must_stay_is_never_taken_out() -> None:
    """An error that nothing silences ends it, with the path in place and the error told."""
    one, judge = pruned(lambda obj: [error("Forbidden", "spec", "never")])
    assert not one.is_accepted
    assert "spec" in one.obj
    assert "spec: Forbidden: never" == one.error
    assert judge.asked <= MAX_ROUNDS


def test_nothing_is_asked_when_nothing_is_left() -> None:
    """Without questions no object is accepted."""
    one, judge = pruned(lambda obj: [], left=0)
    assert (False, 0) == (one.is_accepted, judge.asked)
