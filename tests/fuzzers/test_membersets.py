from __future__ import annotations

from random import Random
from typing import Any, ClassVar

import pytest

from harness.case import Json
from harness.fuzzers.edits import random_edit, sites_of
from harness.fuzzers.feedback import Harvest
from harness.fuzzers.membersets import cross_members, members_by_choice
from harness.fuzzers.shape import Shape, shape_of
from harness.gotypes.model import Const, Struct, Typedef, TypeRef
from tests.fuzzers.toys import NOWHERE, PACKAGE, Toys, struct, widget_shape


class Unions(Toys):
    """Types with a union that has a discriminator, a union without one, and a mode."""

    structs: ClassVar[dict[str, Struct]] = {
        one.name: one
        for one in (
            struct("Plan", {"type": "PlanType", "rollingUpdate": "*Roll", "onDelete": "*Roll", "note": "string"}),
            struct("Roll", {"most": "int32"}),
            struct("Either", {"left": "*Roll", "right": "*Roll"}),
            struct("Policy", {"mode": "PlanType", "most": "*int32"}),
        )
    }
    typedefs: ClassVar[dict[str, Typedef]] = {
        "PlanType": Typedef("PlanType", PACKAGE, TypeRef("builtin", "string"), NOWHERE)
    }

    def consts_of(self, qualified: str) -> tuple[Const, ...]:
        """Return the constants of the discriminator; the last one has no member."""
        values = ("RollingUpdate", "OnDelete", "None") if qualified == f"{PACKAGE}.PlanType" else ()
        return tuple(Const(value, PACKAGE, qualified, value, NOWHERE) for value in values)


UNIONS: Any = Unions()
ROLL: Json = {"most": 1}


def shape(name: str) -> Shape:
    """The shape of one of the types."""
    return shape_of(UNIONS, f"{PACKAGE}.{name}")


def looks(name: str, held: Json) -> list[tuple[Json, frozenset[str]]]:
    """What each crossing chooses, and which members stand beside it."""
    made = list(cross_members(shape(name), held))
    assert all(one != held for one in made)
    return [(one.get("type"), frozenset(one) - {"type"}) for one in made]


@pytest.mark.parametrize(
    ("choice", "members"),
    [
        ("RollingUpdate", set()),
        ("RollingUpdate", {"onDelete"}),
        ("RollingUpdate", {"rollingUpdate", "onDelete"}),
        ("OnDelete", {"onDelete"}),
        ("OnDelete", set()),
        ("OnDelete", {"rollingUpdate"}),
        ("None", {"rollingUpdate"}),
        (None, {"rollingUpdate"}),
        (None, {"onDelete"}),
        (None, set()),
        (None, {"rollingUpdate", "onDelete"}),
        ("nothing", {"rollingUpdate"}),
    ],
)
def test_a_discriminator_stands_with_its_member_and_without_with_a_wrong_one_and_with_two(
    choice: Json, members: set[str]
) -> None:
    """A string whose constants are named like siblings chooses between them; every wrong choice is tried."""
    found = looks("Plan", {"type": "RollingUpdate", "rollingUpdate": ROLL, "note": "n"})
    assert (choice, frozenset({*members, "note"})) in found


def test_constants_name_members_whatever_the_case() -> None:
    """`RollingUpdate` is the constant of `rollingUpdate`; a constant that names nothing has no member."""
    plan = shape("Plan")
    assert {name: member.name for name, member in members_by_choice(plan, plan.by_name["type"]).items()} == {
        "RollingUpdate": "rollingUpdate",
        "OnDelete": "onDelete",
    }
    policy = shape("Policy")
    assert members_by_choice(policy, policy.by_name["mode"]) == {}


def test_members_that_may_be_absent_come_and_go_together() -> None:
    """Without a discriminator two come at once, one takes the place of the other, and both go."""
    assert [set(one) for one in cross_members(shape("Either"), {})] == [{"left", "right"}]
    assert [set(one) for one in cross_members(shape("Either"), {"left": ROLL})] == [{"right"}]
    assert [set(one) for one in cross_members(shape("Either"), {"left": ROLL, "right": ROLL})] == [set()]


def test_each_constant_of_a_mode_stands_with_a_sibling_and_without() -> None:
    """A mode may need a member or refuse it."""
    with_most = list(cross_members(shape("Policy"), {"mode": "None", "most": 1}))
    without = list(cross_members(shape("Policy"), {"mode": "None"}))
    assert {"mode": "OnDelete"} in with_most
    assert any(one["mode"] == "OnDelete" and "most" in one for one in without)


def test_what_was_there_stays_and_nothing_is_said_twice() -> None:
    """A member that stays keeps its value; crossings are few, differ, and leave metadata alone."""
    made = list(cross_members(shape("Plan"), {"type": "OnDelete", "onDelete": ROLL}))
    assert all(one["onDelete"] == ROLL for one in made if "onDelete" in one)
    assert len(made) == len({repr(sorted(one.items(), key=str)) for one in made}) <= 24
    assert all("metadata" in one for one in cross_members(widget_shape(), {"metadata": {"name": "a"}}))


@pytest.mark.parametrize("held", [None, "text", [1]])
def test_a_value_of_another_sort_is_nothing_to_start_from(held: Json) -> None:
    """Hostile objects hold anything anywhere."""
    assert all(isinstance(one, dict) for one in cross_members(shape("Plan"), held))
    assert list(cross_members(shape("Plan").by_name["note"].shape, held)) == []


def test_the_random_phase_swaps_members_and_gives_one_the_value_of_the_other() -> None:
    """Among draws are wrong members, two members, and a sibling that took over what was there."""
    held: Json = {"type": "RollingUpdate", "rollingUpdate": {"most": 7}}
    root = shape("Plan")
    sites = [site for site in sites_of({"plan": held}, _holder(root)) if site.path == ("plan",)]
    random = Random(2)
    drawn = [random_edit(random, sites, Harvest(), {"plan": held}).value for _ in range(600)]
    plans = [one for one in drawn if isinstance(one, dict)]
    assert any(one.get("onDelete") == {"most": 7} and "rollingUpdate" not in one for one in plans)
    assert any({"rollingUpdate", "onDelete"} <= set(one) for one in plans)
    assert any("type" not in one and "rollingUpdate" in one for one in plans)


def _holder(inner: Shape) -> Shape:
    """A struct with the one member `plan`."""

    class PathBits(Unions):
        structs: ClassVar[dict[str, Struct]] = {**Unions.structs, "Holder": struct("Holder", {"plan": "Plan"})}

    assert inner.type == f"{PACKAGE}.Plan"
    universe: Any = PathBits()
    return shape_of(universe, f"{PACKAGE}.Holder")
