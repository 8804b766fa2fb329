"""What is wrong with a tag is said where it stands, with the way to fix it: never a traceback."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harness.case import Operation
from harness.diagnostics import Diagnostic, InputError
from harness.tags.registry import SPECS, usage_of
from harness.tags.spec import TagSpec
from tests.compiler.fixtures import compiled

TYPES = """
type S struct {
	X string `json:"x"`
}
type L []S
type E string

const A E = "a"
"""

BAD = [
    ("string", "+k8s:maxLength=ten # want tag-payload"),
    ("string", "+k8s:maxLength # want tag-payload"),
    ("string", "+k8s:maxLength=0x3 # want tag-misuse"),
    ("string", "+k8s:maxLength=-1 # want tag-misuse"),
    ("string", "+k8s:maxLength(x)=1 # want tag-argument"),
    ("int32", "+k8s:maxLength=1 # want tag-misuse"),
    ("string", "+k8s:required=true # want tag-payload"),
    ("S", "+k8s:required # want tag-misuse"),
    ("string", "+k8s:enum # want tag-scope"),
    ("string", "+k8s:format=k8s-ip # want tag-misuse"),
    ("uint8", "+k8s:minimum=300 # want tag-misuse"),
    ("string", "+k8s:minimum=1 # want tag-misuse"),
    ("string", "+k8s:listType=set # want tag-misuse"),
    ("[]string", "+k8s:listType=bag # want tag-misuse"),
    ("[]string", "+k8s:listType=map # want tag-misuse"),
    ("[]S", "+k8s:listType=map # want tag-misuse"),
    ("[]S", "+k8s:listMapKey=nope # want tag-misuse"),
    ("[]S", "+k8s:unique=map # want tag-misuse"),
    ("[]S", "+k8s:item(x: a)=+k8s:immutable # want tag-misuse"),
    ("[]S", "+k8s:item=+k8s:immutable # want tag-misuse"),
    ("string", "+k8s:item(x: a)=+k8s:immutable # want tag-misuse"),
    ("string", "+k8s:eachVal=+k8s:maxLength=1 # want tag-misuse"),
    ("[]string", "+k8s:eachVal=+k8s:required # want tag-scope"),
    ("[]string", "+k8s:eachVal=maxLength # want tag-payload"),
    ("[]string", "+k8s:eachVal=+k8s:nope # want unknown-tag"),
    ("[]string", "+k8s:eachKey=+k8s:maxLength=1 # want tag-misuse"),
    ("S", "+k8s:subfield(y)=+k8s:immutable # want tag-misuse"),
    ("S", "+k8s:subfield=+k8s:immutable # want tag-argument"),
    ("string", "+k8s:subfield(x)=+k8s:immutable # want tag-misuse"),
    ("S", "+k8s:subfield(x)=+k8s:subfield(x)=+k8s:immutable # want tag-misuse"),
    ("S", "+k8s:unionMember # want tag-misuse"),
    ("*string", "+k8s:unionDiscriminator # want tag-misuse"),
    ("string", "+k8s:update=NoClear # want tag-misuse"),
    ("string", "+k8s:update=NoSet,NoModify # want tag-syntax"),
    ("string", "+k8s:update=NoAddItem # want tag-misuse"),
    ("[]string", "+k8s:update=NoModify # want tag-misuse"),
    ("[]string", "+k8s:update=NoAddItem # want tag-misuse"),
    ("S", "+k8s:update=NoSet # want tag-misuse"),
    ("string", "+k8s:alpha(since: v1)=+k8s:immutable # want tag-argument"),
    ("string", "+k8s:alpha(since: 1.36)=+k8s:immutable # want tag-syntax"),
    ("string", "+k8s:alpha=5 # want tag-payload"),
    ("string", "+k8s:ifEnabled=+k8s:immutable # want tag-argument"),
    ("string", "+k8s:ifMode(A)=+k8s:immutable # want tag-misuse"),
    ("*string", "+k8s:modeDiscriminator # want tag-misuse"),
    ("string", "+k8s:dependentRequired(nope) # want tag-misuse"),
    ("string", "+k8s:monotonic # want tag-misuse"),
    ("float64", "+k8s:neq=5 # want tag-misuse"),
    ("string", "+k8s:neq=5 # want tag-misuse"),
    ("map[int]string", "+k8s:minProperties=1 # want tag-misuse"),
    ("map[string]string", "+k8s:maxProperties=100001 # want tag-misuse"),
    ("string", "+k8s:customValidation # want tag-not-supported"),
    ("string", "+k8s:validateError=no # want tag-misuse"),
]


@pytest.mark.parametrize(("kind", "line"), BAD)
def test_bad_tags(kind: str, line: str) -> None:
    """The diagnostic stands on the tag's own line and points at a tag."""
    go = f'{TYPES}\ntype T struct {{\n\t// {line}\n\tF {kind} `json:"f"`\n}}'
    with pytest.raises(InputError) as caught:
        compiled(go)
    found = [d for d in caught.value.diagnostics if d.code != "type-not-supported"]
    wanted = line.rpartition(" ")[2]
    number = 2 + go[: go.index("# want")].count("\n") + 1
    assert [(wanted, number)] == [(d.code, d.position.line) for d in found]
    (diagnostic,) = found
    shown = diagnostic.source.replace("\t", " ")
    assert diagnostic.position.column
    assert diagnostic.code == "tag-syntax" or shown[diagnostic.position.column - 1] == "+"


def test_everything_wrong_is_reported() -> None:
    """Several mistakes in several fields are all said, in the order of the file."""
    go = """type T struct {
    // +k8s:maxLength=x
    // +k8s:minimum=1
    A string `json:"a"`
    // +k8s:enum
    B string `json:"b"`
}"""
    with pytest.raises(InputError) as caught:
        compiled(go)
    assert [d.position.line for d in caught.value.diagnostics] == [4, 5, 7]


def test_a_type_that_was_not_given() -> None:
    """A type of another package is an error unless its rules are waived."""
    go = 'import "example.com/other"\n\ntype T struct {\n\t// TAG\n\tA other.X `json:"a"`\n}'
    with pytest.raises(InputError) as caught:
        compiled(go)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "type-not-found"
    assert "give the package example.com/other" in diagnostic.fix
    assert not compiled(go.replace("TAG", "+k8s:opaqueType")).has_rules("T")


@pytest.mark.parametrize(
    "kind", ["**string", "*[]string", "[2]string", "[][]string", "map[int]string", "map[string]*S", "chan int"]
)
def test_types_that_rules_cannot_describe(kind: str) -> None:
    """Kinds of types that upstream refuses are refused, at the field."""
    with pytest.raises(InputError) as caught:
        compiled(f'{TYPES}\ntype T struct {{\n\tF {kind} `json:"f"`\n}}')
    assert [d.code for d in caught.value.diagnostics] == ["type-not-supported"]


def test_lists_of_bytes_are_fine() -> None:
    """[][]byte is the one list of lists that is allowed."""
    assert compiled('type T struct {\n\t// +k8s:maxItems=1\n\tF [][]byte `json:"f"`\n}').has_rules("T")


TAGS = st.builds(
    lambda name, args, value: f"+{name}{args}{value}",
    st.sampled_from([*SPECS, "k8s:nope"]),
    st.sampled_from(
        ["", "()", "(x)", '("a")', "(k: v)", "(union: u)", '(since: "1.36")', "(5)", "(true)", "(", "(x: a, x: b)"]
    ),
    st.sampled_from(
        ["", "=", "=5", "=-1", "=x", "=set", "=map", "=true", '="', "=k8s-uuid", "=+k8s:immutable", "=NoSet"]
    ),
)
CHAINS = st.lists(TAGS, min_size=1, max_size=4).map("=".join) | st.text(
    alphabet=st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=40
).map(lambda text: f"+k8s:maxLength{text}")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(CHAINS, min_size=1, max_size=4),
    st.sampled_from(
        ["string", "*string", "int32", "[]string", "[]S", "L", "E", "S", "*S", "map[string]S", "map[E]string", "any"]
    ),
)
def test_any_tags_give_diagnostics_or_a_validator(lines: list[str], kind: str) -> None:
    """Whatever stands in a comment compiles or is refused with positions, and never falls over."""
    comment = "\n".join(f"\t// {line}" for line in lines)
    diagnostics: tuple[Diagnostic, ...] = ()
    try:
        made = compiled(f'{TYPES}\ntype T struct {{\n{comment}\n\tF {kind} `json:"f"`\n}}')
        made.validate("T", Operation.CREATE, {})
    except InputError as error:
        diagnostics = error.diagnostics
    assert all(d.position.line and d.code and d.message for d in diagnostics)


@pytest.mark.parametrize("spec", SPECS.values(), ids=lambda spec: spec.name)
def test_every_tag_tells_what_it_is(spec: TagSpec) -> None:
    """A tag has a sentence, a usage that shows its parts, and an example or a reason for having none."""
    assert re.fullmatch(r"[A-Z].*\.", spec.summary)
    assert usage_of(spec).startswith("k8s:")
    assert spec.examples or spec.note or spec.name == "k8s:validateError"
