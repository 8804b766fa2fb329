"""No rule is safe on silence: each demand is taken away, and the verdict is `unknown` with its word."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from harness.graduate.document import ChangeShown
from harness.graduate.observer import Asked
from harness.graduate.verdict import Evidence, decide

CREATE = Asked("v1 toys create", "v1", "", "create", 100, 80, 9, 0, 0, True, True)
UPDATE = Asked("v1 toys update", "v1", "", "update", 100, 80, 0, 0, 0, False, False, 3)
WHOLE = Evidence("beta", (CREATE, UPDATE), has_limit=True)


def asked(create: dict[str, Any], update: dict[str, Any] | None = None) -> dict[str, Any]:
    """What was asked, with other counts."""
    return {"asked": (with_counts(CREATE, create), with_counts(UPDATE, update or {}))}


def with_counts(one: Asked, counts: dict[str, Any]) -> Asked:
    """What one request was asked, with other counts."""
    return Asked(*(counts.get(name, getattr(one, name)) for name in Asked.__struct_fields__))


def test_a_rule_is_safe_if_nothing_is_missing() -> None:
    """This is all that `safe` demands."""
    assert ("safe", ()) == decide(WHOLE)


@pytest.mark.parametrize(
    ("word", "without"),
    [
        ("version", {"served": False}),
        ("kind", {"searched": False}),
        ("kind", {"incomplete": ("no object was found that both sides accept for v1 toys update",)}),
        ("run", {"stopped_early": "it was interrupted"}),
        ("enforced", {"enforced": False}),
        ("crash", {"crashes": 2}),
        ("asked", asked({}, {"cases": 0})),
        ("fired", asked({"both": 0})),
        ("check", asked({"both": 0, "rule": 4})),
        ("rejected", asked({"beyond": False})),
        ("accepted", asked({"at_limit": False})),
        ("kept", asked({}, {"kept": 0})),
        ("empty", {"unheard": ("spec.parts[*].names",)}),
    ],
)
def test_each_demand_is_needed(word: str, without: dict[str, Any]) -> None:
    """Without it alone the rule is unknown, and the first thing that is missing is named."""
    verdict, missing = decide(replace(WHOLE, **without))
    assert ("unknown", [word]) == (verdict, [text.partition(":")[0] for text in missing])


def test_an_update_that_both_sides_reject_shows_what_becomes_of_old_objects() -> None:
    """They could not be updated before, and cannot be after."""
    assert "safe" == decide(replace(WHOLE, **asked({}, {"kept": 0, "held": 1})))[0]


def test_a_rule_about_changes_keeps_no_bad_value() -> None:
    """An unchanged value does not violate it; and a kind without updates has none to keep."""
    assert "safe" == decide(replace(WHOLE, update_only=True, **asked({}, {"kept": 0})))[0]
    assert "safe" == decide(replace(WHOLE, asked=(CREATE,)))[0]


def test_why_a_rule_cannot_fire_is_told() -> None:
    """A rule that no object fires stays unknown: nothing shows that its check is dead too."""
    found = replace(WHOLE, cannot="the default is set before", **asked({"both": 0}))
    assert ("unknown", True) == (decide(found)[0], "the default is set before" in decide(found)[1][0])


def test_a_change_counts_whatever_is_missing() -> None:
    """An object that shows it needs no more evidence."""
    change = ChangeShown("accepted", "beta-on", ("spec.a: Required value",), (), "v1 toys", "create", {})
    assert ("changes", ()) == decide(replace(WHOLE, change=change, stopped_early="it was interrupted"))
