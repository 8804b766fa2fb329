"""Content predicates: what they accept, and their words to the letter."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from harness import content

KEY = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


@pytest.mark.parametrize(
    ("predicate", "text"),
    [
        (content.short_name, "a" * 63),
        (content.short_name, "0-9"),
        (content.long_name, "a.b-c.d"),
        (content.long_name, "a" * 253),
        (content.long_name_caseless, "Example.COM"),
        (content.long_name_caseless, "\u212a\u017f"),  # the Kelvin sign and the long s fold to k and s
        (content.label_value, ""),
        (content.label_value, "a_B.c"),
        (content.label_key, "example.com/a_B"),
        (content.label_key, "a" * 253 + "/" + "b" * 63),
        (content.prefixed_label_key, "a/b"),
        (content.path_segment_name, ""),
        (content.path_segment_name, "..."),
        (content.uuid, "123e4567-e89b-12d3-a456-426614174000"),
        (content.c_identifier, "_a9"),
    ],
)
def test_accepts(predicate: Callable[[str], Sequence[str]], text: str) -> None:
    """Values at the edge of what is allowed pass."""
    assert list(predicate(text)) == []


@pytest.mark.parametrize(
    ("predicate", "text", "messages"),
    [
        (content.short_name, "", [LABEL]),
        (content.short_name, "a\n", [LABEL]),
        (content.short_name, "a.b", ["must not contain dots"]),
        (content.short_name, "a" * 64, ["must be no more than 63 bytes"]),
        (content.short_name, "A" * 64, ["must be no more than 63 bytes", LABEL]),
        (content.long_name, "a" * 254, ["must be no more than 253 bytes"]),
        (content.long_name, "a..b", [SUBDOMAIN]),
        (content.long_name, "é", [SUBDOMAIN]),
        (content.label_key, "", ["name part must be non-empty", f"name part {KEY}"]),
        (content.label_key, "/a", ["prefix part must be non-empty"]),
        (content.label_key, "A/a", [f"prefix part {SUBDOMAIN}"]),
        (content.label_key, "b" * 64, ["name part must be no more than 63 bytes"]),
        (
            content.label_key,
            "a/b/c",
            [f"a valid label key {KEY} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"],
        ),
        (content.prefixed_label_key, "a", ["must include a prefix (e.g. 'example.com/key')"]),
        (content.path_segment_name, ".", ["may not be '.'"]),
        (content.path_segment_name, "..", ["may not be '..'"]),
        (content.path_segment_name, "%/", ["may not contain '/'", "may not contain '%'"]),
        (content.uuid, "123e4567-e89b-12d3-a456-42661417400g", ["must be a lowercase UUID in 8-4-4-4-12 format"]),
        (content.uuid, "123e4567-e89b-12d3-a456-426614174000\n", ["must be a lowercase UUID in 8-4-4-4-12 format"]),
    ],
)
def test_rejects(predicate: Callable[[str], Sequence[str]], text: str, messages: list[str]) -> None:
    """Each mistake has its message, in upstream's order and words."""
    assert messages == list(predicate(text))


@pytest.mark.parametrize("text", ["\u0130", "\u0131"])
def test_caseless_names_fold_as_go_does(text: str) -> None:
    """The dotted and the dotless i of Turkish are no letters of a name, although Python folds them."""
    assert len(content.long_name_caseless(text)) == 1


def test_lengths_are_bytes() -> None:
    """A name of 33 two-byte characters is longer than 63 bytes."""
    assert content.label_value("é" * 33)[0] == "must be no more than 63 bytes"
    assert len(content.label_value("é" * 31)) == 1
