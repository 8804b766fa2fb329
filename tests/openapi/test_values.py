"""The values that a schema names: each limit from both sides, the words of its rules, and nothing that is too large."""

from __future__ import annotations

from typing import Any

import pytest

from harness.openapi.values import literals_of, named_values


def own(schema: dict[str, Any], owner: dict[str, Any] | None = None) -> tuple[Any, ...]:
    """The values that are worth trying for the member `a`."""
    return named_values("a", owner or {}, schema).own


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 9}, {0, 1, 2, 8, 9, 10}),
        ({"type": "number", "maximum": 0.5}, {0.5, 1.5, -0.5}),
        ({"type": "integer", "multipleOf": 4}, {4, 5}),
        ({"type": "string", "maxLength": 2}, {"x", "xx", "xxx", "éé"}),
        ({"type": "string", "minLength": 2}, {"x", "xx", "xxx"}),
        ({"type": "array", "maxItems": 3, "items": {}}, {2, 3, 4}),
        ({"type": "object", "minProperties": 1}, {0, 1, 2}),
        ({"type": "boolean"}, set()),
    ],
)
def test_values_at_each_limit(schema: dict[str, Any], expected: set[Any]) -> None:
    """A limit is tried at itself, one beyond and one within; a text at its limit in letters of two bytes too."""
    assert expected == set(own(schema))


def test_no_value_is_huge() -> None:
    """A limit that nobody reaches gives no value of that size."""
    assert () == own({"type": "string", "maxLength": 1 << 30})
    assert () == own({"type": "array", "maxItems": 1 << 40})


def test_formats_have_values_on_both_sides() -> None:
    """What the server's format takes and what it does not: an address in octal is one to it."""
    assert {"10.0.0.1", "010.0.0.1", "10.0.0.256"} <= set(own({"type": "string", "format": "ipv4"}))


def test_defaults_and_examples_are_likely() -> None:
    """Defaults and examples may be accepted; lists and objects among them are left to the server."""
    found = named_values("a", {}, {"type": "string", "default": "eu-1", "example": "us-2"})
    assert ("eu-1", "us-2") == found.likely
    assert () == named_values("a", {}, {"type": "object", "default": {}}).likely


def test_the_items_of_a_list() -> None:
    """The limits of items go with the list."""
    found = named_values("a", {}, {"type": "array", "items": {"type": "integer", "maximum": 5}})
    assert {4, 5, 6} == set(found.items)


def test_a_rule_gives_its_words_to_what_it_names() -> None:
    """The literals of a rule are tried for the members that it reads, and not for others."""
    owner = {"x-kubernetes-validations": [{"rule": "self.a == 'Big' ? size(self.b) <= 7 : true"}]}
    assert "Big" in own({"type": "string"}, owner)
    assert {6, 7, 8} <= set(own({"type": "integer"}, owner))
    assert () == named_values("c", owner, {"type": "string"}).own


def test_patterns_go_by_the_name_of_their_member() -> None:
    """A pattern is found for the member that has it, and for the items of a list by the name of the list."""
    schema = {
        "properties": {
            "host": {"type": "string", "pattern": "^[a-z]+$"},
            "zones": {"type": "array", "items": {"type": "string", "pattern": "^z[0-9]$"}},
        }
    }
    found = literals_of([schema])
    assert (("^[a-z]+$",), ("^z[0-9]$",)) == (found.patterns_near(["host"]), found.patterns_near(["zones"]))
