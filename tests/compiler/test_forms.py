"""How objects come in: nulls in lists and maps, empty beside absent, roots that are no structs; and how they show."""

from __future__ import annotations

import pytest

from harness.case import Operation
from tests.compiler.fixtures import compiled, seen

FAILURE = "forced failure: no"


def one(go_type: str, value: object) -> str:
    """Return how the value of a member shows."""
    go = f'type T struct {{\n\t// +k8s:validateFalse="no"\n\tF {go_type} `json:"f"`\n}}'
    (text,) = seen(go, {"f": value})
    return text.removeprefix("f: Invalid value: ").removesuffix(f": {FAILURE}")


@pytest.mark.parametrize(
    ("shown", "go_type", "value"),
    [
        ("null", "[]string", None),
        ("[]", "[]string", []),
        ('["",""]', "[]string", [None, ""]),
        ("null", "map[string]int", None),
        ("{}", "map[string]int", {}),
        ('{"a":0}', "map[string]int", {"a": None}),
        ("null", "[]byte", None),
        ('""', "[]byte", ""),
        ('"YQ=="', "[]byte", "YQ=="),
        ('"\\u0000"', "string", "\x00"),
    ],
)
def test_values_show_as_json(shown: str, go_type: str, value: object) -> None:
    """A forced failure shows what Go holds: empty is not absent, and null is the zero value unless it is a pointer."""
    assert shown == one(go_type, value)


def test_null_items_are_zero_items() -> None:
    """Two nulls in a list of structs are two equal items."""
    go = """type T struct {
	// +k8s:listType=map
	// +k8s:listMapKey=k
	F []I `json:"f"`
}
type I struct {
	K string `json:"k"`
}"""
    assert ['f[1]: Duplicate value: {"k":""}'] == seen(go, {"f": [None, None]})


@pytest.mark.parametrize(
    ("go_type", "new", "shown"),
    [("string", "", '""'), ("string", None, '""'), ("int", 0, "0"), ("[]string", [], "[]"), ("[]string", None, "null")],
)
def test_roots_that_are_no_structs(go_type: str, new: object, shown: str) -> None:
    """A root may be any type; null is its zero value."""
    built = compiled(f'// +k8s:validation-gen=true\n// +k8s:validateFalse="no"\ntype T {go_type}')
    (error,) = built.validate("T", Operation.CREATE, new)
    assert f"<nil>: Invalid value: {shown}: {FAILURE}" == error.text


def test_a_list_has_no_star() -> None:
    """Lists and maps are registered as they are, all else by pointer: it is seen where a subresource is refused."""
    for star, go_type in (("", "[]string"), ("", "map[string]string"), ("*", "string")):
        built = compiled(f'// +k8s:validation-gen=true\n// +k8s:validateFalse="no"\ntype T {go_type}')
        (error,) = built.validate("T", Operation.CREATE, None, subresource="x")
        assert f"no validation found for {star}example.T, subresource: /x" == error.detail


def test_duplicates_behind_pointers_show_as_json() -> None:
    """A duplicate string is quoted as Go does it, one behind a pointer as JSON."""
    for shown, go_type in (('"\\x00"', "[]string"), ('"\\u0000"', "[]*string")):
        go = f'type T struct {{\n\t// +k8s:listType=set\n\tF {go_type} `json:"f"`\n}}'
        assert [f"f[1]: Duplicate value: {shown}"] == seen(go, {"f": ["\x00", "\x00"]})


SET = """type T struct {
	// +k8s:listType=set
	F []I `json:"f"`
}
type I struct {
	P *string `json:"p"`
	V string `json:"v"`
	L []string `json:"l"`
	M map[string]I `json:"m"`
	Q resource.Quantity `json:"q"`
	B []byte `json:"b"`
}"""


@pytest.mark.parametrize(
    ("same", "one", "other"),
    [
        (True, {}, {"v": "", "l": [], "m": {}, "b": ""}),
        (False, {}, {"p": ""}),
        (False, {"l": [""]}, {}),
        (True, {"l": [None]}, {"l": [""]}),
        (True, {"q": "1"}, {"q": "1000m"}),
        (True, {"m": {"a": None}}, {"m": {"a": {}}}),
        (True, {"m": {"a": {"v": "x"}}}, {"m": {"a": {"v": "x", "l": None}}}),
    ],
)
def test_items_of_a_set_are_told_apart_by_meaning(same: bool, one: object, other: object) -> None:
    """Empty is absent, except behind a pointer; quantities are numbers."""
    go = SET.replace("type T", 'import resource "k8s.io/apimachinery/pkg/api/resource"\n\ntype T')
    fields = [error.field for error in compiled(go).validate("T", Operation.CREATE, {"f": [one, other]})]
    assert (["f[1]"] if same else []) == fields
