"""What Go does that Python would not do by itself (semantics.md#A): validators do as Go."""

from __future__ import annotations

from typing import Any

import pytest

from tests.compiler.fixtures import errors, seen


def field(go: str, tag: str, more: str = "") -> str:
    """Return a root T with one field `f` that carries a tag."""
    return f'type T struct {{\n\t// +k8s:{tag}\n\tF {go} `json:"f"`\n}}\n{more}'


def test_lengths() -> None:
    """Limits of length count code points, limits of bytes and formats count UTF-8."""
    face = "\U0001f600"
    assert seen(field("string", "maxLength=2"), {"f": face * 2}) == []
    assert ["f: Too long: may not be more than 7 bytes"] == seen(field("string", "maxBytes=7"), {"f": face * 2})
    (error,) = errors(field("string", "format=k8s-label-value"), {"f": "a" * 64})
    assert "must be no more than 63 bytes" == error.detail


@pytest.mark.parametrize("name", ["short-name", "long-name", "long-name-caseless", "label-value", "label-key", "uuid"])
def test_expressions_end_at_the_end_of_the_text(name: str) -> None:
    """A line break at the end is no end: Go's $ is not Python's."""
    good = "123e4567-e89b-12d3-a456-426614174000" if name == "uuid" else "a"
    assert errors(field("string", f"format=k8s-{name}"), {"f": good}) == []
    assert errors(field("string", f"format=k8s-{name}"), {"f": f"{good}\n"}) != []


@pytest.mark.parametrize(("letter", "folds"), [("ſ", True), ("\u212a", True), ("\u0130", False), ("\u0131", False)])
def test_case_folds_as_in_go(letter: str, folds: bool) -> None:
    """Without case, long s and the Kelvin sign are letters; Turkish i's are not."""
    assert folds is (errors(field("string", "format=k8s-long-name-caseless"), {"f": letter}) == [])


@pytest.mark.parametrize(
    ("value", "quoted"),
    [
        ('a"b\\c', '"a\\"b\\\\c"'),
        ("\a\b\f\n\r\t\v", '"\\a\\b\\f\\n\\r\\t\\v"'),
        ("\x00\x7f", '"\\x00\\x7f"'),
        ("é<&>", '"é<&>"'),
        ("\u200b\u2028", '"\\u200b\\u2028"'),
        ("\U000e0001", '"\\U000e0001"'),
    ],
)
def test_plain_strings_are_quoted_as_go_does(value: str, quoted: str) -> None:
    """Control and invisible characters are escaped in Go's way, printable ones kept."""
    (error,) = errors(field("string", "format=k8s-short-name"), {"f": value})
    assert quoted == error.value


SHOWN = """type S struct {
	B string `json:"b"`
	A int32 `json:"a,omitempty"`
	M map[string]string `json:"m,omitempty"`
	D []byte `json:"d,omitempty"`
	I *I `json:"i,omitempty"`
	N I `json:"n,omitempty"`
}
type I struct {
	X string `json:"x,omitempty"`
}"""


def test_structs_are_shown_as_gos_json() -> None:
    """Fields in order of declaration, zero ones omitted unless structs, keys sorted, HTML escaped, nothing between."""
    item = {"m": {"b": "1", "a": "<\u2028"}, "a": 0, "b": "&", "d": "YQ==", "i": {}}
    (error,) = errors(field("[]S", "listType=set", SHOWN), {"f": [item, item]})
    assert '{"b":"\\u0026","m":{"a":"\\u003c\\u2028","b":"1"},"d":"YQ==","i":{},"n":{}}' == error.value


def test_maps_are_visited_in_order_of_keys() -> None:
    """Go has no order; ours is that of the keys, so that answers are the same every time."""
    go = field("map[string]string", "eachVal=+k8s:maxLength=0")
    assert ["f[a]", "f[b]", "f[c]"] == [e.field for e in errors(go, {"f": {"c": "x", "a": "x", "b": "x"}})]


def test_values_of_enums_are_sorted_by_bytes() -> None:
    """Upper case stands before lower case, and accents last."""
    go = (
        '// +k8s:enum\ntype E string\nconst (\n\tA E = "b"\n\tB E = "B"\n\tC E = "é"\n\tD E = "a"\n)\n'
        'type T struct {\n\tF E `json:"f"`\n}'
    )
    (error,) = errors(go, {"f": "x"})
    assert 'supported values: "B", "a", "b", "é"' == error.detail


@pytest.mark.parametrize(
    ("go", "old", "new", "same"),
    [
        ("[]string", None, [], True),
        ("map[string]string", {}, None, True),
        ("*string", None, "", False),
        ("string", None, "", True),
        ("int32", 0, None, True),
        ("*S", None, {}, False),
        ("S", None, {"x": ""}, True),
        ("S", {"l": None}, {"l": []}, True),
        ("[]S", [{}], [{"x": ""}], True),
    ],
)
def test_equality(go: str, old: Any, new: Any, same: bool) -> None:
    """None and empty are equal for lists and maps, absent and zero for values; a pointer tells nil from zero."""
    more = 'type S struct {\n\tX string `json:"x"`\n\tL []string `json:"l"`\n}'
    assert same is (errors(field(go, "immutable", more), {"f": new}, {"f": old}) == [])


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("k8s.io/apimachinery/pkg/api/resource.Quantity", "1", "1000m"),
        ("k8s.io/apimachinery/pkg/apis/meta/v1.Time", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00"),
    ],
)
def test_quantities_and_times_are_compared_by_meaning(kind: str, old: str, new: str) -> None:
    """Another spelling of the same value is no change, another value is one."""
    package, _, name = kind.rpartition(".")
    go = f'import x "{package}"\n\n' + field(f"x.{name}", "immutable")
    assert errors(go, {"f": new}, {"f": old}) == []
    assert ["f"] == [e.field for e in errors(go, {"f": new.replace("1", "2")}, {"f": old})]
