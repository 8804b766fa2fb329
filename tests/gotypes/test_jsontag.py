"""JSON names of fields."""

from __future__ import annotations

import pytest

from harness.gotypes.jsontag import JsonTag, json_tag, tag_value


@pytest.mark.parametrize(
    ("value", "embedded", "expected"),
    [
        (None, False, JsonTag("Go")),
        ("", False, JsonTag("Go")),
        (",omitempty", False, JsonTag("Go", options=("omitempty",))),
        ("x", False, JsonTag("x")),
        ("x,omitempty", True, JsonTag("x", options=("omitempty",))),
        (None, True, JsonTag("", inline=True)),
        (",omitempty", True, JsonTag("", inline=True, options=("omitempty",))),
        (",inline", False, JsonTag("", inline=True, options=("inline",))),
        ("x,inline", True, JsonTag("x", options=("inline",))),
        ("-", False, JsonTag("", inline=True, ignored=True)),
        ("-,", False, JsonTag("-", options=("",))),
    ],
)
def test_names(value: str | None, embedded: bool, expected: JsonTag) -> None:
    """Each row of semantics.md#2.3."""
    assert expected == json_tag(value, "Go", embedded)


def test_the_value_is_found_among_other_keys() -> None:
    """The json key is found wherever it stands, and nothing is found when it is not there."""
    assert tag_value('protobuf:"bytes,1,opt,name=a" json:"a,omitempty"') == "a,omitempty"
    assert tag_value('yaml:"a"') is None


@pytest.mark.parametrize("tag", ['json:"a', "json:a", 'json: "a"', 'yaml:"a" json'])
def test_bad_tags_are_told(tag: str) -> None:
    """What Go would ignore without a word is an error here."""
    with pytest.raises(ValueError, match="json"):
        tag_value(tag)
