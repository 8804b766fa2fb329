from __future__ import annotations

import pytest

from harness.fuzzers.feedback import paths_of, patterns_of, words_of


@pytest.mark.parametrize(
    ("detail", "words"),
    [
        ('supported values: "road", "rail"', ("road", "rail")),
        ("must be one of Road, Rail or Sea", ("Road", "Rail", "Sea")),
        ("must be one of: A|B|C", ("A", "B", "C")),
        ("must be one of the following: red, dark green and blue.", ("red", "dark green", "blue")),
        ("allowed values are [north south]", ("north", "south")),
        ("is wrong (e.g. AB-123456)", ("AB-123456",)),
        ("is wrong (e.g. 'AB-123456',  or 'C')", ("AB-123456", "C")),
        ("for example ABC/12D", ("ABC/12D",)),
        ("expected: km/h, m/s", ("km/h", "m/s")),
        ("must specify one of: `a`, `b`", ("a", "b")),
        ("must be less than or equal to 14", ()),
        ("is not the mark of a ward", ()),
        ("expected what nobody would take for a value of any kind", ()),
    ],
)
def test_values_that_a_message_names_are_taken_out_of_it(detail: str, words: tuple[str, ...]) -> None:
    """With quotation marks anywhere; without them where they are announced."""
    assert words == words_of(detail)


@pytest.mark.parametrize(
    ("detail", "patterns"),
    [
        ("must match ^[A-Z]{2}$", ("^[A-Z]{2}$",)),
        ("must match the regex [a-z]+", ("[a-z]+",)),
        ("must be plain (regex used for validation is '[a-z]([-a-z]*[a-z])?')", ("[a-z]([-a-z]*[a-z])?",)),
        ("does not match the name of its owner", ()),
    ],
)
def test_expressions_that_a_message_names_are_taken_out_of_it(detail: str, patterns: tuple[str, ...]) -> None:
    """Quoted, or after the word that says so."""
    assert patterns == patterns_of(detail)


@pytest.mark.parametrize(
    ("detail", "paths"),
    [
        ("must match metadata.namespace", ("metadata.namespace",)),
        ("must equal `spec.items[0].name`.", ("spec.items[0].name",)),
        ("see https://example.com/a.b, or 1.5 of a/b.c", ()),
    ],
)
def test_paths_that_a_message_names_are_taken_out_of_it(detail: str, paths: tuple[str, ...]) -> None:
    """Names with dots between them; neither addresses nor numbers."""
    assert paths == paths_of(detail)
