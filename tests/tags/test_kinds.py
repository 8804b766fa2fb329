"""Each tag passes one value and fails another for every kind of Go type that it takes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compiler.fixtures import errors

KINDS: dict[str, tuple[Any, Any, Any]] = {
    "string": ("", "a", "b"),
    "Text": ("", "a", "b"),
    "int": (0, 1, 2),
    "int16": (0, 1, 2),
    "int64": (0, 1, 2),
    "uint8": (0, 1, 2),
    "uint32": (0, 1, 2),
    "Count": (0, 1, 2),
    "float64": (0, 1.5, 2.5),
    "bool": (False, True, False),
    "*string": (None, "", "b"),
    "*int32": (None, 0, 2),
    "*bool": (None, False, True),
    "*S": (None, {}, {"x": "a"}),
    "[]string": ([], ["a"], ["b"]),
    "Texts": (None, ["a"], ["b"]),
    "[]S": ([], [{}], [{"x": "a"}]),
    "[]*S": ([], [{}], [{"x": "a"}]),
    "[]byte": ("", "YQ==", "Yg=="),
    "map[string]string": ({}, {"a": ""}, {"b": ""}),
    "map[string]S": (None, {"a": {}}, {"b": {}}),
}
"""A Go type, what is unset, what is set, and what is set otherwise."""

DECLARED = """
type S struct {
	X string `json:"x"`
}
type Text string
type Texts []string
type Count int32
"""


def failing(go: str, tag: str, new: Any, old: Any = None, *, update: bool = False, beside: str = "") -> list[str]:
    """Return the types of the errors of a field, without the prefix; an update when `update` says so."""
    source = f'type T struct {{\n\t// +k8s:{tag}\n\tF {go} `json:"f"`\n{beside}}}\n{DECLARED}'
    before = {"f": old} if update else None
    return [error.type.removeprefix("FieldValue") for error in errors(source, {"f": new}, before)]


@pytest.mark.parametrize("go", KINDS)
def test_requiredness(go: str) -> None:
    """Unset fails as required and stops as optional; set fails as forbidden."""
    unset, some, _ = KINDS[go]
    assert ["Required"] == failing(go, "required", unset)
    assert failing(go, "required", some) == []
    assert ["Forbidden"] == failing(go, "forbidden", some)
    assert failing(go, "forbidden", unset) == []
    assert failing(go, 'optional\n\t// +k8s:validateFalse="x"', unset) == []
    assert ["Invalid"] == failing(go, 'optional\n\t// +k8s:validateFalse="x"', some)


@pytest.mark.parametrize("go", [*KINDS, "S"])
def test_immutable(go: str) -> None:
    """Every change fails, setting and clearing too; no change passes."""
    unset, some, other = KINDS.get(go, ({"x": ""}, {"x": "a"}, {"x": "b"}))
    assert ["Invalid"] == failing(go, "immutable", some, unset, update=True)
    assert ["Invalid"] == failing(go, "immutable", unset, some, update=True)
    assert ["Invalid"] == failing(go, "immutable", other, some, update=True)
    assert failing(go, "immutable", some, some, update=True) == []
    assert failing(go, "immutable", some) == []


@pytest.mark.parametrize("go", KINDS)
def test_updates(go: str) -> None:
    """Setting, clearing and modifying are refused each by its constraint, and not on create."""
    unset, some, other = KINDS[go]
    assert ["Invalid"] == failing(go, "update=NoSet", some, unset, update=True)
    assert failing(go, "update=NoSet", unset, some, update=True) == []
    assert ["Invalid"] == failing(go, "update=NoUnset", unset, some, update=True)
    assert failing(go, "update=NoUnset", some, unset, update=True) == []
    assert failing(go, "update=NoSet", some) == []
    if not go.startswith(("[", "map", "Texts")) and go != "bool":
        assert ["Invalid"] == failing(go, "update=NoModify", other, some, update=True)
        assert failing(go, "update=NoModify", some, unset, update=True) == []


def test_updates_of_structs() -> None:
    """A struct is always set, so any change of it is a modification."""
    assert ["Invalid"] == failing("S", "update=NoModify", {"x": "a"}, {}, update=True)
    assert failing("S", "update=NoModify", {"x": "a"}, {"x": "a"}, update=True) == []


@pytest.mark.parametrize(
    ("go", "tags", "one", "both"),
    [
        ("[]string", "listType=set", ["a"], ["a", "b"]),
        ("Texts", "listType=set", ["a"], ["a", "b"]),
        ("[]S", "listType=map\n\t// +k8s:listMapKey=x", [{"x": "a"}], [{"x": "a"}, {"x": "b"}]),
        ("[]*S", "listType=map\n\t// +k8s:listMapKey=x", [{"x": "a"}], [{"x": "a"}, {"x": "b"}]),
        ("[]S", "listType=atomic\n\t// +k8s:unique=set", [{"x": "a"}], [{"x": "a"}, {"x": "b"}]),
        ("map[string]string", "validateTrue", {"a": "1"}, {"a": "1", "b": "2"}),
    ],
)
def test_updates_of_items(go: str, tags: str, one: Any, both: Any) -> None:
    """An item more is an addition, an item less a removal, whatever tells items apart."""
    assert ["Forbidden"] == failing(go, f"{tags}\n\t// +k8s:update=NoAddItem", both, one, update=True)
    assert failing(go, f"{tags}\n\t// +k8s:update=NoAddItem", one, both, update=True) == []
    assert ["Forbidden"] == failing(go, f"{tags}\n\t// +k8s:update=NoRemoveItem", one, both, update=True)
    assert failing(go, f"{tags}\n\t// +k8s:update=NoRemoveItem", both, one, update=True) == []


@pytest.mark.parametrize("go", ["string", "Text", "*string", "*Text"])
@pytest.mark.parametrize(
    ("tag", "good", "bad", "error"),
    [
        ("maxLength=1", "é", "ab", "TooLong"),
        ("maxBytes=1", "a", "é", "TooLong"),
        ("minLength=2", "éé", "é", "TooShort"),
        ("format=k8s-short-name", "a", "a.b", "Invalid"),
        ("format=k8s-uuid", "123e4567-e89b-12d3-a456-426614174000", "a", "Invalid"),
        ("neq=a", "b", "a", "Invalid"),
    ],
)
def test_strings(go: str, tag: str, good: str, bad: str, error: str) -> None:
    """Rules of strings hold for named ones and behind pointers, where nil passes."""
    assert failing(go, tag, good) == []
    assert [error] == failing(go, tag, bad)
    assert not go.startswith("*") or failing(go, tag, None) == []


INTEGERS = [
    "int",
    "int16",
    "int32",
    "int64",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "Count",
    "*int32",
    "*Count",
]


@pytest.mark.parametrize("go", INTEGERS)
@pytest.mark.parametrize(("tag", "good", "bad"), [("minimum=2", 2, 1), ("maximum=2", 2, 3), ("neq=2", 3, 2)])
def test_integers(go: str, tag: str, good: int, bad: int) -> None:
    """Limits hold for integers of every width, named ones and pointers, where nil passes."""
    assert failing(go, tag, good) == []
    assert ["Invalid"] == failing(go, tag, bad)
    assert not go.startswith("*") or failing(go, tag, None) == []


@pytest.mark.parametrize("go", INTEGERS)
def test_monotonic(go: str) -> None:
    """A number may grow and may not shrink."""
    assert failing(go, "monotonic", 3, 2, update=True) == []
    assert ["Invalid"] == failing(go, "monotonic", 1, 2, update=True)


@pytest.mark.parametrize("go", ["bool", "*bool"])
def test_booleans(go: str) -> None:
    """One of two values can be refused."""
    assert failing(go, "neq=true", False) == []
    assert ["Invalid"] == failing(go, "neq=true", True)


@pytest.mark.parametrize("go", ["[]string", "Texts", "[]S", "[]*S", "[]byte"])
def test_counts_of_items(go: str) -> None:
    """Lists of anything are counted, no list has none."""
    unset, one, _ = KINDS[go]
    assert failing(go, "maxItems=1", one) == []
    assert ["TooMany"] == failing(go, "maxItems=0", one)
    assert failing(go, "minItems=1", one) == []
    assert ["TooFew"] == failing(go, "minItems=1", unset)


@pytest.mark.parametrize("go", ["map[string]string", "map[Text]string", "map[string]S"])
def test_counts_of_keys(go: str) -> None:
    """Maps of anything are counted, no map has none."""
    one: dict[str, Any] = {"a": {} if go.endswith("S") else ""}
    assert failing(go, "maxProperties=1", one) == []
    assert ["TooMany"] == failing(go, "maxProperties=0", one)
    assert failing(go, "minProperties=1", one) == []
    assert ["TooFew"] == failing(go, "minProperties=1", None)


@pytest.mark.parametrize("go", [kind for kind in KINDS if kind not in ("[]byte",)])
@pytest.mark.parametrize("tag", ["unionMember", "zeroOrOneOfMember"])
def test_members_of_unions(go: str, tag: str) -> None:
    """Any field that can be unset can be a member."""
    unset, some, _ = KINDS[go]
    beside = f'\t// +k8s:{tag}\n\tOther *string `json:"other"`\n'
    source = f'type T struct {{\n\t// +k8s:{tag}\n\tF {go} `json:"f"`\n{beside}}}\n{DECLARED}'
    assert len(errors(source, {"f": unset})) == (tag == "unionMember")
    assert errors(source, {"f": some}) == []
    assert 1 == len(errors(source, {"f": some, "other": ""}))


@pytest.mark.parametrize("go", KINDS)
def test_dependents(go: str) -> None:
    """Any field that can be unset can call for a sibling or exclude one."""
    unset, some, _ = KINDS[go]
    beside = '\tOther *string `json:"other"`\n'
    assert ["Required"] == failing(go, "dependentRequired(other)", some, beside=beside)
    assert failing(go, "dependentRequired(other)", unset, beside=beside) == []
    source = f'type T struct {{\n\t// +k8s:dependentForbidden(other)\n\tF {go} `json:"f"`\n{beside}}}\n{DECLARED}'
    assert 1 == len(errors(source, {"f": some, "other": ""}))
    assert errors(source, {"f": unset, "other": ""}) == []


@pytest.mark.parametrize(
    ("go", "tag", "good", "bad", "fails"),
    [
        ("[]string", "eachVal=+k8s:maxLength=1", ["a"], ["a", "bb"], 1),
        ("Texts", "eachVal=+k8s:maxLength=1", ["a"], ["bb", "cc"], 2),
        ("[]*S", "eachVal=+k8s:subfield(x)=+k8s:maxLength=1", [{"x": "a"}], [{"x": "bb"}], 1),
        ("map[string]string", "eachVal=+k8s:maxLength=1", {"bb": "a"}, {"a": "bb"}, 1),
        ("map[string]string", "eachKey=+k8s:maxLength=1", {"a": "bb"}, {"bb": "a"}, 1),
        ("map[Text]S", "eachKey=+k8s:maxLength=1", {"a": {}}, {"bb": {}}, 1),
        ("S", "subfield(x)=+k8s:required", {"x": "a"}, {}, 1),
        ("*S", "subfield(x)=+k8s:required", {"x": "a"}, {}, 1),
        ("[]S", "listType=map\n\t// +k8s:listMapKey=x\n\t// +k8s:item(x: a)=+k8s:validateFalse", [], [{"x": "a"}], 1),
        ("[]*S", "listType=map\n\t// +k8s:listMapKey=x\n\t// +k8s:item(x: a)=+k8s:validateFalse", [], [{"x": "a"}], 1),
        ("[]string", "listType=set", ["a", "b"], ["a", "a"], 1),
        ("[]S", "listType=set", [{}, {"x": "a"}], [{}, {}], 1),
        ("[]*S", "listType=set", [{}, {"x": "a"}], [{}, {}], 1),
        ("[]byte", "maxItems=2", "YWE=", "YWFh", 1),
    ],
)
def test_parts(go: str, tag: str, good: Any, bad: Any, fails: int) -> None:
    """Items, values, keys and members are reached in lists, maps and structs, named, plain and behind pointers."""
    assert failing(go, tag, good) == []
    assert fails == len(failing(go, tag, bad))
