"""In a broken types.go the syntax error is reported, with what does not follow from it."""

from __future__ import annotations

import pytest

from harness.diagnostics import InputError
from tests.compiler.fixtures import compiled

LOST = """type T struct {
	Parts []Part `json:"parts"`
	// +k8s:listType=map
	// +k8s:listMapKey=name
	Items []Item `json:"items"`
}

type Item struct {
	]] Name string
}

type Part strukt {
	// +k8s:maxLength=1
	A string `json:"a"`
}
"""
ALONE = """
type Alone struct {
	// +k8s:maxLength=1
	A int `json:"a"`
	// +k8s:maxLength=
	B string `json:"b"`
}
"""


def codes(go: str) -> list[tuple[int, str]]:
    with pytest.raises(InputError) as caught:
        compiled(go)
    return [(one.position.line, one.code) for one in caught.value.diagnostics]


def test_what_follows_is_left_out() -> None:
    """Members and types that were lost to a syntax error are not missed a second time."""
    assert {"go-syntax"} == {code for _, code in codes(LOST)}


def test_what_stands_on_its_own_is_told() -> None:
    """Tags of a type that has nothing to do with the broken one are judged as ever."""
    found = [one for one in codes(ALONE + LOST) if one[1] != "go-syntax"]
    assert [(5, "tag-misuse"), (7, "tag-syntax")] == found


def test_a_tag_that_does_not_parse_is_told_everywhere() -> None:
    """The text of a tag is wrong wherever it stands."""
    assert "tag-syntax" in {code for _, code in codes(LOST.replace("listType=map", "listType="))}


def test_types_of_other_packages_are_missed_in_whole_files() -> None:
    """Without a syntax error nothing is left out."""
    go = 'import "example.com/other"\n\ntype T struct {\n\tA other.X `json:"a"`\n\tB int\n}\n'
    assert [(6, "type-not-found")] == codes(go)
