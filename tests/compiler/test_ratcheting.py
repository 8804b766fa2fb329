"""What an update forgives, and what is equal (semantics.md#4)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compiler.fixtures import errors

KEYED = """type T struct {
	// +k8s:listType=map
	// +k8s:listMapKey=k
	// +k8s:listMapKey=n
	L []I `json:"l"`
	M map[string]I `json:"m"`
	P []*I `json:"p"`
}
type I struct {
	K string `json:"k"`
	N *int32 `json:"n"`
	// +k8s:maxLength=1
	V string `json:"v"`
	W string `json:"w"`
}"""


def fields(go: str, new: Any, old: Any = None) -> list[str]:
    return [error.field for error in errors(go, new, old)]


def test_items_correlate_by_key() -> None:
    """A bad value is forgiven where the item with the same keys had it, wherever it now stands."""
    old = {"l": [{"k": "a", "n": 1, "v": "bad"}, {"k": "a", "n": 2}]}
    assert fields(KEYED, {"l": [{"k": "a", "n": 2}, {"k": "a", "n": 1, "v": "bad", "w": "x"}]}, old) == []
    assert fields(KEYED, {"l": [{"k": "a", "n": 1, "v": "bad"}, {"k": "a", "n": 2, "v": "bad"}]}, old) == ["l[1].v"]
    assert fields(KEYED, {"l": [{"k": "a", "n": None, "v": "bad"}]}, old) == ["l[0].v"]
    assert fields(KEYED, old) == ["l[0].v"]


def test_values_of_maps_correlate_by_key() -> None:
    """A bad value is forgiven under the same key only."""
    old = {"m": {"a": {"v": "bad"}}}
    assert fields(KEYED, {"m": {"a": {"v": "bad", "w": "x"}, "b": {}}}, old) == []
    assert fields(KEYED, {"m": {"b": {"v": "bad"}}}, old) == ["m[b].v"]


def test_lists_without_metadata_do_not_correlate() -> None:
    """Changing one item of an atomic list checks all of them; nil items are skipped."""
    old = {"p": [{"v": "bad"}, None]}
    assert fields(KEYED, {"p": [{"v": "bad"}]}, old) == ["p[0].v"]
    assert fields(KEYED, {"p": [{"v": "bad", "w": ""}, None]}, old) == []


def test_a_struct_is_forgiven_member_by_member() -> None:
    """What Go takes for equal is forgiven in whole structs too: null items, empty lists, zeros that are not written."""
    go = """type T struct {
	A A `json:"a"`
	// +k8s:optional
	B *A `json:"b"`
}
type A struct {
	// +k8s:maxLength=1
	V string `json:"v"`
	// +k8s:minItems=2
	L []string `json:"l"`
	N int32 `json:"n"`
}"""
    whole = {"v": "bad", "l": [""], "n": 0}
    assert ["a.v", "a.l"] == fields(go, {"a": whole}, {"a": {}})
    assert fields(go, {"a": {"v": "bad", "l": [None]}}, {"a": whole}) == []
    assert fields(go, {"b": {"v": "bad", "l": [None]}}, {"b": whole}) == []
    assert ["b.v", "b.l"] == fields(go, {"b": whole}, {})


META = "k8s.io/apimachinery/pkg/apis/meta/v1"
EQUAL = f"""import (
	metav1 "{META}"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
)
type T struct {{
	// +k8s:immutable
	F FTYPE `json:"f"`
}}
type S struct {{
	A string `json:"a"`
	B []string `json:"b"`
	C *int32 `json:"c"`
	D *S `json:"d"`
	Q *resource.Quantity `json:"q"`
	skipped string
}}"""


@pytest.mark.parametrize(
    ("kind", "old", "new", "same"),
    [
        ("string", None, "", True),
        ("*string", None, "", False),
        ("*string", "", "", True),
        ("bool", None, False, True),
        ("*bool", None, False, False),
        ("int32", None, 0, True),
        ("[]string", None, [], True),
        ("[]string", [None], [""], True),
        ("[]string", ["a", "b"], ["b", "a"], False),
        ("map[string]string", None, {}, True),
        ("map[string]string", {"a": None}, {"a": ""}, True),
        ("map[string]string", {"a": ""}, {"b": ""}, False),
        ("S", None, {"a": "", "b": [], "c": None, "unknown": 1}, True),
        ("S", {}, {"c": 0}, False),
        ("*S", None, {}, False),
        ("S", {"d": {"b": None}}, {"d": {"b": []}}, True),
        ("S", {"d": {}}, {}, False),
        ("[]S", [{}], [{"a": ""}], True),
        ("[]S", [{}], [{"a": "x"}], False),
        ("[]byte", None, "", True),
        ("[]byte", "YQ==", "YQ==", True),
        ("[]byte", "YQ==", "Yg==", False),
        ("resource.Quantity", "1", "1000m", True),
        ("resource.Quantity", "1Ki", 1024, True),
        ("resource.Quantity", "1", "1k", False),
        ("*resource.Quantity", None, "0", False),
        ("*resource.Quantity", "0", "0m", True),
        ("*metav1.Time", None, "0001-01-01T00:00:00Z", False),
        ("*metav1.Duration", None, "0s", False),
        ("S", {}, {"q": "0"}, False),
        ("S", {"q": "0m"}, {"q": "0"}, True),
        ("map[string]resource.Quantity", {"cpu": "1"}, {"cpu": "1000m"}, True),
        ("metav1.Time", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", True),
        ("metav1.Time", "2026-01-01T00:00:00Z", None, False),
        ("metav1.Duration", "60s", "1m0s", True),
        ("metav1.Duration", "60s", "61s", False),
        ("intstr.IntOrString", None, 0, True),
        ("intstr.IntOrString", 1, "1", False),
        ("metav1.LabelSelector", {"matchLabels": {}}, {"matchExpressions": None}, True),
    ],
)
def test_equality(kind: str, old: Any, new: Any, same: bool) -> None:
    """Values that Go finds equal are forgiven, others are not."""
    go = EQUAL.replace("FTYPE", kind)
    assert ([] if same else ["f"]) == fields(go, {"f": new}, {"f": old})
    assert ([] if same else ["f"]) == fields(go, {"f": old}, {"f": new})
    assert fields(go, {"f": new}) == []


def test_shown_structs_are_go_json() -> None:
    """A duplicate struct is shown in field order, with omitempty and nested values as Go writes them."""
    go = """import "k8s.io/apimachinery/pkg/util/intstr"
type T struct {
	// +k8s:listType=map
	// +k8s:listMapKey=k
	L []I `json:"l"`
}
type I struct {
	Z string `json:"z,omitempty"`
	K string `json:"k"`
	P *bool `json:"p,omitempty"`
	L []string `json:"l"`
	O []string `json:"o,omitempty"`
	M map[string]J `json:"m"`
	J J `json:"j,omitempty"`
	I intstr.IntOrString `json:"i"`
}
type J struct {
	N int32 `json:"n"`
}"""
    item = {"k": "<", "p": False, "l": [], "o": [], "m": {"b": {}, "a": {"n": 1}}, "i": "x"}
    (error,) = errors(go, {"l": [item, item]})
    assert error.value == '{"k":"\\u003c","p":false,"l":[],"m":{"a":{"n":1},"b":{"n":0}},"j":{"n":0},"i":"x"}'


def test_bytes_are_counted_decoded() -> None:
    """The items of a list of bytes are its bytes, not the characters of its base64."""
    go = 'type T struct {\n\t// +k8s:maxItems=2\n\tB []byte `json:"b"`\n}'
    assert fields(go, {"b": "YWI="}) == []
    assert fields(go, {"b": "YWJj"}) == ["b"]


def test_objects_are_not_changed() -> None:
    """Validation leaves new and old as they were."""
    new, old = {"l": [{"k": "a"}, {"k": "a"}], "m": None}, {"l": None, "p": [None]}
    before = repr((new, old))
    errors(KEYED, new, old)
    assert before == repr((new, old))
