"""What an accepted object shows of a rule, by sort of rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.case import Json
from harness.rulecov.accepting import CREATED, UncoveredRules
from tests.rulecov.watching import root, watched

ITEM = 'type I struct {\n\t// +k8s:required\n\tK string `json:"k"`\n\t// +k8s:maximum=2\n\tN int32 `json:"n"`\n}'
UNION = root(
    'unionMember | A *string `json:"a"`', 'unionMember | B *string `json:"b"`',
)  # fmt: skip
LIST = root('listType=map; listMapKey=k | F []I `json:"f"`', more=ITEM)


def accepted(tmp_path: Path, go: str, new: Json, old: Any = CREATED) -> list[str]:
    """Return what rules an accepted object shows: path and origin or type."""
    rules = watched(tmp_path, go).rules
    waiting, seen = UncoveredRules(), list[int]()
    for number, known in enumerate(rules):
        waiting.add(number, known)
    waiting.look(new, old, seen)
    again = list[int]()
    waiting.look(new, old, again)
    assert [] == again, "a rule is told twice"
    return sorted(f"{r.path} {r.origin or r.type[10:]}" for r in (rules[number].rule for number in seen))


@pytest.mark.parametrize(
    ("tags", "go", "limit", "beside"),
    [
        ("maxLength=2", "string", "éé", "é"),
        ("maxBytes=2", "string", "é", "éé"),
        ("minLength=2", "string", "ab", "abc"),
        ("maxItems=2", "[]string", ["", ""], [""]),
        ("minItems=1", "[]string", [""], ["", ""]),
        ("maxProperties=1", "map[string]string", {"a": ""}, {}),
        ("minimum=3", "int32", 3, 4),
        ("maximum=3", "int32", 3, 2),
        ("maximum=1", "int32", 1, True),
        ("eachKey=+k8s:maxLength=2", "map[string]string", {"ab": ""}, {"a": ""}),
        ("eachVal=+k8s:maxLength=2", "[]string", ["a", "ab"], ["a"]),
        ("eachVal=+k8s:maxLength=2", "map[string]string", {"x": "ab"}, {"ab": ""}),
        ("required", "string", "a", ""),
        ("format=k8s-short-name", "string", "a", ""),
        ("forbidden", "*string", None, "x"),
    ],
)
def test_a_value_at_the_limit_and_one_beside_it(tmp_path: Path, tags: str, go: str, limit: Json, beside: Json) -> None:
    """Units are those of the tag; only the limit itself counts."""
    text = root(f'{tags} | F {go} `json:"f"`')
    assert 1 == len(accepted(tmp_path, text, {"f": limit}))
    assert [] == accepted(tmp_path, text, {"f": beside})


@pytest.mark.parametrize(
    ("go", "new", "expected"),
    [
        (UNION, {"a": "x"}, [" union"]),
        (UNION, {"a": "x", "b": "x"}, []),
        (UNION, {}, []),
        (LIST, {"f": [{"k": "a", "n": 2}]}, ["f[*].k Required", "f[*].n maximum"]),
        (LIST, {"f": [{"n": 1}, {"n": 1}]}, ["f[*] Duplicate"]),
        (root('dependentRequired(b) | A *string `json:"a"`', '| B *string `json:"b"`'), {"a": "x", "b": "y"},
         ["b dependentRequired"]),
        (root('dependentForbidden(b) | A *string `json:"a"`', '| B *string `json:"b"`'), {"a": "x"},
         ["b dependentForbidden"]),
        (root('dependentForbidden(b) | A *string `json:"a"`', '| B *string `json:"b"`'), {"b": "x"}, []),
    ],
)  # fmt: skip
def test_relations(tmp_path: Path, go: str, new: Json, expected: list[str]) -> None:
    """Unions, dependents, lists and single items."""
    assert expected == accepted(tmp_path, go, new)


def test_one_item_is_found_by_its_keys(tmp_path: Path) -> None:
    """Another item at the limit shows nothing of it."""
    go = root(
        'listType=map; listMapKey=k; item(k: "a")=+k8s:subfield(n)=+k8s:maximum=1 | F []I `json:"f"`',
        more='type I struct {\n\tK string `json:"k"`\n\tN int32 `json:"n"`\n}',
    )
    assert [] == accepted(tmp_path, go, {"f": [{"k": "b", "n": 1}]})
    assert "f.n maximum" in accepted(tmp_path, go, {"f": [{"k": "b"}, {"k": "a", "n": 1}]})


def test_what_an_update_left_alone_was_not_looked_at(tmp_path: Path) -> None:
    """Validators forgive what did not change, so it shows nothing."""
    go = root('maximum=3 | A int32 `json:"a"`', 'maximum=3 | B int32 `json:"b"`')
    assert ["b maximum"] == accepted(tmp_path, go, {"a": 3, "b": 3}, {"a": 3, "b": 1})
    unchanged = {"f": [{"k": "a", "n": 2}, {"k": "b"}]}
    assert ["f[*] Duplicate", "f[*].k Required"] == accepted(tmp_path, LIST, unchanged, {"f": unchanged["f"][:1]})


def test_immutable_accepts_what_stayed(tmp_path: Path) -> None:
    """In a struct that changed; a create says nothing."""
    go = root('immutable | A string `json:"a"`', '| B string `json:"b"`')
    assert ["a immutable"] == accepted(tmp_path, go, {"a": "x", "b": "y"}, {"a": "x"})
    assert [] == accepted(tmp_path, go, {"a": "x", "b": "y"}, {"b": "y"})
    assert [] == accepted(tmp_path, go, {"a": "x"})


def test_the_tree_empties() -> None:
    """When nothing waits, nothing is looked at."""
    assert not UncoveredRules()
