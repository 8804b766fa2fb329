"""What +k8s:subfield says of a member from outside, with other tags beside and below it."""

from __future__ import annotations

import pytest

from tests.compiler.fixtures import errors, seen

_GO = """type T struct {
	// +k8s:subfield(l)=+k8s:listType=map
	// +k8s:subfield(l)=+k8s:listMapKey=k
	S S `json:"s"`
}
type S struct {
	L []I `json:"l"`
}
type I struct {
	K string `json:"k"`
}"""


def test_two_tags_make_one_list_map() -> None:
    """A later tag may name the key of the list that an earlier one declared."""
    assert ['s.l[1]: Duplicate value: {"k":"a"}'] == seen(_GO, {"s": {"l": [{"k": "a"}, {"k": "a"}]}})
    assert seen(_GO, {"s": {"l": [{"k": "a"}, {"k": "b"}]}}) == []


def test_a_member_may_be_told_of_its_own_members() -> None:
    """The stops a member says of its own members, too, end what is said of it from outside."""
    go = """type T struct {
	// +k8s:subfield(p)=+k8s:validateFalse="outside"
	S S `json:"s"`
}
type S struct {
	// +k8s:subfield(x)=+k8s:required
	P P `json:"p"`
}
type P struct {
	X string `json:"x"`
}"""
    assert ["s.p.x: Required value"] == seen(go, {"s": {}})
    assert ['s.p: Invalid value: {"x":"a"}: forced failure: outside'] == seen(go, {"s": {"p": {"x": "a"}}})


MENTIONED = """type T struct {
	// COMMENT
	// +k8s:subfield(x)=+k8s:minLength=1
	S S `json:"s"`
}
type S struct {
	// +k8s:optional
	X string `json:"x"`
}"""


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("Nothing is said.", []),
        ("S was k8s:opaqueType once.", []),
        ("See also +k8s:opaqueType of others.", []),
        ("+k8s:subfield(x)=+k8s:maxLength=9 # not +k8s:opaqueType", []),
        ("+k8s:opaqueType", ["s.x"]),
        ("+k8s:alpha=+k8s:ifEnabled(F)=+k8s:opaqueType", ["s.x"]),
    ],
)
def test_only_a_tag_makes_a_field_opaque(comment: str, expected: list[str]) -> None:
    """Stops of a member hold from outside but for an opaque field; a comment that mentions the tag is none."""
    go = MENTIONED.replace("COMMENT", comment)
    assert expected == [error.field for error in errors(go, {"s": {}})]


@pytest.mark.parametrize(("comment", "expected"), [("It is no +k8s:opaqueType.", []), ("+k8s:opaqueType", ["s.x"])])
def test_only_a_tag_makes_a_type_opaque(comment: str, expected: list[str]) -> None:
    """The same for the type that the field holds."""
    go = MENTIONED.replace("COMMENT", "S.").replace("type S struct", f"// {comment}\ntype S struct")
    assert expected == [error.field for error in errors(go, {"s": {}})]
