"""Finding and removing what a path names."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.compare.objects import MISSING, replaced, steps, value_at, values_at, without

OBJECT = {"a": {"b": [{"c": 1}, {"c": 2}]}, "m": {"x.y/z": 3, "k]": 4}}

STEPS = [
    ("<nil>", ()),
    ("a.b[1].c", ("a", "b", "1", "c")),
    ("m[x.y/z]", ("m", "x.y/z")),
    ("m[k]]", ("m", "k]")),
    ("a[0][key].b", ("a", "0", "key", "b")),
]


@pytest.mark.parametrize(("path", "expected"), STEPS)
def test_steps(path: str, expected: tuple[str, ...]) -> None:
    """A path is taken apart into names, indexes and keys, also when a key holds dots and brackets."""
    assert expected == steps(path)


VALUES = [
    ("a.b[1].c", 2), ("m[x.y/z]", 3), ("m[k]]", 4), ("a.b[2].c", MISSING), ("a.x", MISSING), ("a.b[-1]", MISSING),
    ("a.b.c", MISSING), ("a.b[0].c.d", MISSING),
]  # fmt: skip


@pytest.mark.parametrize(("path", "expected"), VALUES)
def test_value_at(path: str, expected: Any) -> None:
    """What is there is found, what is not there is MISSING."""
    assert expected == value_at(OBJECT, steps(path))


def test_values_at_any_index() -> None:
    """An index may be any, since items move; names and keys are as they are."""
    assert list(values_at(OBJECT, steps("a.b[7].c"))) == [1, 2]
    assert list(values_at(OBJECT, steps("a.z"))) == []


def test_without() -> None:
    """A field, an item or a key is removed, and the object itself stays as it was."""
    before = deepcopy(OBJECT)
    assert {"a": {"b": [{"c": 2}]}, "m": OBJECT["m"]} == without(OBJECT, steps("a.b[0]"))
    assert without(OBJECT, steps("a.b[0].c"))["a"] == {"b": [{}, {"c": 2}]}
    assert without(OBJECT, steps("m[x.y/z]"))["m"] == {"k]": 4}
    assert OBJECT is without(OBJECT, steps("a.nothing"))
    assert OBJECT is without(OBJECT, ())
    assert before == OBJECT


def test_replaced() -> None:
    """Another value takes the place, and the object itself stays as it was."""
    before = deepcopy(OBJECT)
    assert replaced(OBJECT, steps("a.b[1].c"), 9)["a"] == {"b": [{"c": 1}, {"c": 9}]}
    assert replaced(OBJECT, (), 9) == 9
    assert before == OBJECT


JSON = st.recursive(
    st.none() | st.integers(),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=6,
)


@given(JSON, st.text(max_size=8))
def test_no_path_crashes(value: Any, path: str) -> None:
    """Whatever a validator reports as a path, looking and removing go through."""
    before = deepcopy(value)
    way = steps(path)
    changed = without(value, way)
    list(values_at(value, way))
    assert before == value
    assert (changed == value) or value_at(value, way) is not MISSING
