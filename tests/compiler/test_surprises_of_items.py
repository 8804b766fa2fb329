"""What surprises in rules of lists and maps, on purpose: each is upstream's behaviour (semantics.md#10)."""

from __future__ import annotations

import pytest

from harness.diagnostics import InputError
from tests.compiler.fixtures import compiled, errors, seen

REQUIRED = "Required value"

EACH_SUBFIELD = """type T struct {
	// +k8s:eachVal=+k8s:subfield(x)=+k8s:maxLength=3
	L []I `json:"l"`
}
type I struct {
	// +k8s:optional
	X string `json:"x"`
}"""

LISTS_IN_MAPS = """type T struct {
	// TAG
	Q map[string][]S `json:"q"`
}
type S struct {
	// +k8s:required
	X string `json:"x"`
}"""


def test_s6_inherited_optional_silences_the_list() -> None:
    """One item with an unset optional member stops the rules of the whole list."""
    assert seen(EACH_SUBFIELD, {"l": [{"x": "toolong"}, {"x": ""}]}) == []
    assert seen(EACH_SUBFIELD, {"l": [{"x": "toolong"}]}) == ["l[0].x: Too long: may not be more than 3 characters"]
    # 1.36 knows no inherited stops.
    assert len(errors(EACH_SUBFIELD, {"l": [{"x": "toolong"}, {"x": ""}]}, release="1.36")) == 1


def test_s12_labels_of_item_unions_are_not_sorted() -> None:
    """The items that are set are tested in sorted order and named in tag order."""
    go = """type T struct {
	// +k8s:listType=map
	// +k8s:listMapKey=k
	// +k8s:item(k: b)=+k8s:unionMember
	// +k8s:item(k: c)=+k8s:unionMember
	// +k8s:item(k: a)=+k8s:unionMember
	L []I `json:"l"`
}
type I struct {
	K string `json:"k"`
}"""
    (error,) = errors(go, {"l": [{"k": "a"}, {"k": "b"}]})
    assert (error.field, error.origin) == ("l", "union")
    assert error.value == '"{l[{\\"k\\": \\"b\\"}], l[{\\"k\\": \\"c\\"}]}"'
    assert seen(go, {"l": [{"k": "a"}]}) == []


def test_s17_atomic_lists_are_checked_whole() -> None:
    """Removing one item re-validates all the others; in a set they are forgiven."""
    go = 'type T struct {\n\t// +k8s:listType=TYPE\n\t// +k8s:eachVal=+k8s:maxLength=1\n\tL []string `json:"l"`\n}'
    new, old = {"l": ["bad"]}, {"l": ["bad", "x"]}
    assert [e.field for e in errors(go.replace("TYPE", "atomic"), new, old)] == ["l[0]"]
    assert errors(go.replace("TYPE", "set"), new, old) == []


def test_s23_nil_items() -> None:
    """A list of pointers without tags tolerates null; with any tag each one is an error."""
    go = """type T struct {
    // TAG
    P []*I `json:"p"`
}
type I struct {
    // +k8s:required
    X string `json:"x"`
}"""
    assert seen(go, {"p": [None]}) == []
    assert [f"p[0]: {REQUIRED}"] == seen(go.replace("TAG", "+k8s:optional"), {"p": [None, {}]})


def test_s24_immutable_items_may_go_but_not_come() -> None:
    """eachVal=immutable forbids additions, eachVal=update=NoModify does not."""
    go = """type T struct {
	// +k8s:listType=map
	// +k8s:listMapKey=k
	// +k8s:eachVal=+k8s:TAG
	L []I `json:"l"`
}
type I struct {
	K string `json:"k"`
	V string `json:"v"`
}"""
    one, two = {"l": [{"k": "a"}]}, {"l": [{"k": "a"}, {"k": "b"}]}
    immutable, no_modify = go.replace("TAG", "immutable"), go.replace("TAG", "update=NoModify")
    assert [e.field for e in errors(immutable, two, one)] == ["l[1]"]
    assert errors(immutable, one, two) == []
    assert errors(no_modify, two, one) == []
    assert [e.field for e in errors(no_modify, {"l": [{"k": "a", "v": "x"}]}, one)] == ["l[0]"]


def test_s28_bad_keys_share_the_path_of_the_map() -> None:
    """Errors of keys stand at the map."""
    go = 'type T struct {\n\t// +k8s:eachKey=+k8s:maxLength=2\n\tM map[string]string `json:"m"`\n}'
    assert [e.field for e in errors(go, {"m": {"abc": "", "abd": "", "a": ""}})] == ["m", "m"]
    assert errors(go, {"m": {"abc": "1"}}, {"m": {"abc": "0"}}) == []


def test_s30_duplicates_are_reported_again() -> None:
    """Uniqueness looks at the whole list whenever the list changes."""
    go = 'type T struct {\n\t// +k8s:listType=set\n\tL []string `json:"l"`\n}'
    assert seen(go, {"l": ["a", "a", "b"]}, {"l": ["a", "a"]}) == ['l[1]: Duplicate value: "a"']
    assert seen(go, {"l": ["a", "a"]}, {"l": ["a", "a"]}) == []


def test_s42_no_modify_in_a_set_compiles() -> None:
    """The guard sees no list data, because eachVal sorts before listType."""
    go = 'type T struct {\n\t// +k8s:eachVal=+k8s:update=NoModify\n\t// +k8s:listType=set\n\tL []string `json:"l"`\n}'
    assert compiled(go).has_rules("T")


def test_unions_of_items_come_before_duplicates() -> None:
    """What +k8s:item defers runs where the tag stands among the others: before listType, which sorts after it."""
    go = """type T struct {
	// +k8s:listType=map
	// +k8s:listMapKey=k
	// +k8s:item(k: a)=+k8s:zeroOrOneOfMember
	// +k8s:item(k: b)=+k8s:zeroOrOneOfMember
	L []I `json:"l"`
}
type I struct {
	K string `json:"k"`
}"""
    assert ["l", "l[2]"] == [e.field for e in errors(go, {"l": [{"k": "a"}, {"k": "b"}, {"k": "b"}]})]


def test_selectors_keep_the_order_of_their_tag() -> None:
    """An item is named as its tag names it, whatever the order of the list's keys."""
    go = """type T struct {
	// +k8s:listType=map
	// +k8s:listMapKey=k
	// +k8s:listMapKey=n
	// +k8s:item(n: 1, k: a)=+k8s:zeroOrOneOfMember
	// +k8s:item(n: 2, k: a)=+k8s:zeroOrOneOfMember
	L []I `json:"l"`
}
type I struct {
	K string `json:"k"`
	N string `json:"n"`
}""".replace("n: 1", 'n: "1"').replace("n: 2", 'n: "2"')
    (error,) = errors(go, {"l": [{"k": "a", "n": "1"}, {"k": "a", "n": "2"}]})
    assert error.detail.startswith('must specify at most one of: `l[{"n": "1", "k": "a"}]`')


def test_s20_rules_in_lists_of_maps_never_run() -> None:
    """A map of lists accepts everything below it, and any tag on it is an error."""
    assert seen(LISTS_IN_MAPS.replace("TAG", "no tag"), {"q": {"a": [{}]}}) == []
    for tag in ("+k8s:optional", "+k8s:eachVal=+k8s:maxItems=1"):
        with pytest.raises(InputError, match="validation for map of slices is not supported"):
            compiled(LISTS_IN_MAPS.replace("TAG", tag))


def test_s29_removed_items_give_equal_errors() -> None:
    """One error at the list per item that is gone."""
    go = 'type T struct {\n\t// +k8s:listType=set\n\t// +k8s:update=NoRemoveItem\n\tL []string `json:"l"`\n}'
    assert ["l: Forbidden: item may not be removed"] * 2 == seen(go, {"l": ["a"]}, {"l": ["a", "b", "c"]})


def test_s43_a_stop_of_items_cancels_the_maps_later_rules() -> None:
    """Both items are looked at, and the rule for keys is not."""
    go = (
        "type T struct {\n\t// +k8s:eachVal=+k8s:immutable\n\t// +k8s:eachKey=+k8s:maxLength=1\n"
        '\tM map[string]string `json:"m"`\n}'
    )
    new, old = {"m": {"aa": "2", "b": "2"}}, {"m": {"b": "1"}}
    assert ["m[aa]", "m[b]"] == [e.field for e in errors(go, new, old)]
    assert ["m"] == [e.field for e in errors(go, new)]
