"""The grammar of tags, row by row of semantics.md#1.3."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.diagnostics import InputError, Position
from harness.gotypes.model import CommentLine
from harness.tags.grammar import Scalar, Tag, TagSyntaxError, canonical_int, parse, parse_line, tag_lines


def value_of(text: str) -> tuple[str, str | int | bool] | None:
    scalar = parse(text).scalar
    return None if scalar is None else (scalar.kind, scalar.value)


def args_of(text: str) -> list[tuple[str, str, str | int | bool]]:
    return [(arg.name, arg.value.kind, arg.value.value) for arg in parse(text).args]


@pytest.mark.parametrize("text", ["+a", "+a()", "+a # note", "+a#note", "+a()=", "+a   "])
def test_tags_without_value(text: str) -> None:
    """A remark needs no space, and empty parentheses may be followed by an empty value."""
    tag = parse(text)
    assert (tag.name, tag.args, tag.value) == ("a", (), None)


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("+a=5", "int", 5),
        ("+a=-5", "int", -5),
        ("+a=0x1F", "int", 31),
        ("+a=+5", "int", 5),
        ("+a=0b11", "int", 3),
        ("+a=010", "int", 8),
        ("+a=x.y-z", "string", "x.y-z"),
        ("+a=true", "bool", True),
        ('+a="true"', "string", "true"),
        ('+a="5"', "string", "5"),
        ('+a="q\\"\\\\"', "string", 'q"\\'),
        ("+a=`b\\`c`", "string", "b`c"),
        ("+a=5 # note", "int", 5),
        ('+a="# no note"', "string", "# no note"),
    ],
)
def test_scalars(text: str, kind: str, value: object) -> None:
    """Bare words, numbers and quoted text have the kinds that the table gives them."""
    assert (kind, value) == value_of(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+a(x)", [("", "string", "x")]),
        ('+a("x")', [("", "string", "x")]),
        ("+a(`x`)", [("", "string", "x")]),
        ("+a(true)", [("", "bool", True)]),
        ('+a("true")', [("", "string", "true")]),
        ("+a(k: v, )", [("k", "string", "v")]),
        ("+a(k:)", []),
        ('+a(k: "v",l:5)', [("k", "string", "v"), ("l", "int", 5)]),
    ],
)
def test_arguments(text: str, expected: object) -> None:
    """One positional argument, or any number of named ones; what dangles is dropped."""
    assert expected == args_of(text)


def test_chain() -> None:
    """The scalar belongs to the innermost tag of a chain, and each tag knows where it stands."""
    tag = parse('+a=+b(k: v)=+c="t"', Position("f.go", 3, 5))
    b = tag.payload
    assert b is not None
    c = b.payload
    assert c is not None
    assert [tag.name, b.name, c.name] == ["a", "b", "c"]
    assert c.scalar is not None
    assert c.scalar.value == "t"
    assert [tag.position.column, b.position.column, c.position.column] == [5, 8, 17]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("+a=", "unexpected end of input"),
        ("+", "unexpected end of input"),
        ("+a(x, y)", "multiple arguments must use 'name: value' syntax"),
        ("+a(x, k: v)", "can't mix named and positional arguments"),
        ("+a(k: v, x)", "can't mix named and positional arguments"),
        ("+a= 5", "unexpected character ' '"),
        ("+a =5", "unexpected character"),
        ("+a( x)", "unexpected character ' '"),
        ("+a(x )", "unexpected character ' '"),
        ("+a(k :v)", "unexpected character ' '"),
        ("+a=x // note", "unexpected character '/'"),
        ("+a=NoSet,NoModify", "unexpected character ','"),
        ("+a(since: 1.36)", "unexpected character '.'"),
        ("+a=/status", "unexpected character '/'"),
        ('+a="x\\n"', "unhandled escaped character 'n'"),
        ('+a="x', "unterminated string"),
        ("+a=089", "invalid number '089'"),
        ("+a=9223372036854775808", "invalid number"),
        ("+a(", "unexpected end of input"),
    ],
)
def test_syntax_errors(text: str, message: str) -> None:
    """What does not parse is refused, with upstream's words."""
    with pytest.raises(TagSyntaxError) as caught:
        parse(text)
    assert message in caught.value.message


def test_a_diagnostic_points_at_the_character() -> None:
    """A line that does not parse gives one diagnostic at the very column, with a way to fix it."""
    line = next(tag_lines([CommentLine("+k8s:maxLength=ten!", Position("types.go", 7, 5))]))
    with pytest.raises(InputError) as caught:
        parse_line(line)
    (diagnostic,) = caught.value.diagnostics
    assert (str(diagnostic.position), diagnostic.code) == ("types.go:7:23", "tag-syntax")
    assert "+k8s:maxLength=ten!" in diagnostic.source
    assert diagnostic.source[diagnostic.position.column - 1] == "!"
    assert diagnostic.fix


def test_only_lines_that_start_with_a_plus_hold_tags() -> None:
    """A plus in mid-line is no tag; leading blanks and tabs do not matter."""
    lines = [
        CommentLine(text, Position("f", 1, 4)) for text in ("text +k8s:required", " \t+k8s:optional", "+a:b.c-d(x)")
    ]
    assert [(t.name, t.position.column) for t in tag_lines(lines)] == [("k8s:optional", 6), ("a:b.c-d", 4)]


@pytest.mark.parametrize(("text", "expected"), [("5", 5), ("-5", -5), ("0x3", None), ("+5", None), ("007", None)])
def test_canonical_integers(text: str, expected: int | None) -> None:
    """An integer payload is written as decimals print."""
    scalar = parse(f"+a={text}").scalar
    assert scalar is not None
    assert expected == canonical_int(scalar)


@given(st.text())
def test_any_text_is_a_tag_or_a_syntax_error(text: str) -> None:
    """No text makes the parser fall over."""
    outcome: object = None
    try:
        outcome = parse("+" + text)
    except TagSyntaxError as error:
        outcome = error.offset
    assert isinstance(outcome, Tag) or outcome in range(len(text) + 2)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="`\\")))
def test_quoted_text_is_kept(text: str) -> None:
    """What stands in back quotes comes back as it is."""
    assert Scalar("string", text, text, 3) == parse(f"+a=`{text}`").scalar
