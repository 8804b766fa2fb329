"""Which objects are measured: valid and rejected ones, of three sizes, such as people keep."""

from __future__ import annotations

from typing import Any

from harness.case import Answer, Case, Failure, Operation
from harness.cost.objects import LONGEST, MOST_KEPT, Chosen, ObjectStore, sizes_of
from harness.field import FieldError

ERROR = FieldError("FieldValueInvalid", "spec", "no")


def case(members: int, **more: Any) -> Case:
    """A create of an object with so many members."""
    values: dict[str, Any] = {"operation": Operation.CREATE, "object": {f"k{n}": "v" for n in range(members)}}
    return Case(7, "g", "v1", "K", resource="ks", **{**values, **more})


def chosen(*seen: tuple[Case, Answer]) -> tuple[Chosen, ...]:
    """What an observer chooses of what it sees."""
    objects = ObjectStore("served")
    for one, answer in seen:
        objects.examine([one], [answer], 0.0)
    return objects.outcome()


def told(some: tuple[Chosen, ...]) -> list[tuple[bool, str, int]]:
    """Whether valid, the size, and how many members."""
    return [(one.valid, one.size, len(one.case.object)) for one in some]


VALID, REFUSED, ALONE = Answer(1), Answer(1, (ERROR,), (ERROR,)), Answer(1, (ERROR,))


def test_the_smallest_the_middle_and_the_largest() -> None:
    """Of five valid sizes three are measured, and the rejected ones that are nearest to them."""
    seen = [(case(members), VALID) for members in (5, 1, 9, 3, 30)]
    seen += [(case(members), REFUSED) for members in (2, 6, 31, 90)]
    assert [
        (True, "small", 1), (True, "typical", 5), (True, "grown", 30),
        (False, "small", 2), (False, "typical", 6), (False, "grown", 31),
    ] == sorted(told(chosen(*seen)), key=lambda one: not one[0])  # fmt: skip


def test_one_object_is_measured_once() -> None:
    """Of one size it is a typical one; a rejected one near all sizes is taken once."""
    assert [(True, "typical", 4)] == told(chosen((case(4), VALID), (case(4), VALID)))
    found = told(chosen((case(4), VALID), (case(8), VALID), (case(5), REFUSED)))
    assert [(True, "typical", 4), (False, "typical", 5), (True, "grown", 8)] == sorted(found, key=lambda one: one[2])
    assert {} == sizes_of([])


def test_errors_of_both_sides_come_before_those_of_one() -> None:
    """What one side alone rejects is measured only where nothing else is rejected."""
    assert 6 == len(chosen((case(4), VALID), (case(4), ALONE), (case(6), REFUSED))[1].case.object)
    assert 4 == len(chosen((case(4), VALID), (case(4), ALONE))[1].case.object)


def test_what_nobody_sends_is_not_measured() -> None:
    """Failures, turned options, another mode, updates that change nothing, and texts at the limit of a request."""
    same = case(3, operation=Operation.UPDATE, old=case(3).object)
    long = case(1, object={"a": "x" * LONGEST})
    wrong = Answer(1, failure=Failure("decode", "no"))
    seen = [(same, VALID), (long, VALID), (case(1), wrong), (case(1, options={"a": True}), VALID)]
    assert () == chosen(*seen, (case(1, mode="given"), VALID))


def test_what_was_asked_besides_is_left_out() -> None:
    """The measured case asks for nothing but to be measured."""
    [one] = chosen((case(2, served=True, versions=True, repeat=True, validated=True), VALID))
    assert case(2, operation=Operation.CREATE).object == one.case.object
    assert (False, False, False, False, 0) == (
        one.case.served, one.case.versions, one.case.repeat, one.case.validated, one.case.id,
    )  # fmt: skip


def test_many_sizes_are_thinned() -> None:
    """Memory stays bounded, and the ends are kept."""
    found = chosen(*[(case(members), VALID) for members in range(1, 3 * MOST_KEPT)])
    assert (1, 3 * MOST_KEPT - 1) == (len(found[0].case.object), len(found[-1].case.object))
