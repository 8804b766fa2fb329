"""Defaults of `+default` tags, set in objects whose types are all there is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.case import Operation
from harness.diagnostics import InputError
from harness.subject.defaults import defaults_of
from harness.subject.opening import open_subject
from harness.subject.spec import SubjectSpec
from tests.compiler.fixtures import universe_of


def defaulted(go: str, value: Any) -> Any:
    """An object of T with its defaults."""
    setting = defaults_of(universe_of(go), "example.T")
    assert setting is not None
    return setting(value)


@pytest.mark.parametrize(
    ("tag", "go", "given", "wanted"),
    [
        ("+default=5", "*int32", {}, {"f": 5}),
        ("+default=5", "*int32", {"f": 0}, {"f": 0}),
        ("+default=5", "int32", {"f": 0}, {"f": 5}),
        ("+default=5", "int32", {"f": 7}, {"f": 7}),
        ('+default="a"', "string", {"f": ""}, {"f": "a"}),
        ("+default=0", "int32", {}, {}),
        ("+default=false", "*bool", {}, {"f": False}),
        ("+default=true", "bool", {"f": False}, {"f": True}),
        ('+default=["a"]', "[]string", {"f": None}, {"f": ["a"]}),
        ('+default=["a"]', "[]string", {"f": []}, {"f": []}),
        ("+default=ref(Size)", "int32", {}, {"f": 3}),
        ("+default={}", "*S", {}, {"f": {"n": 1}}),
        ("any", "*S", {}, {}),
        ("any", "*S", {"f": {}}, {"f": {"n": 1}}),
        ("any", "S", {}, {"f": {"n": 1}}),
        ("any", "[]S", {"f": [{}, {"n": 2}]}, {"f": [{"n": 1}, {"n": 2}]}),
        ("any", "map[string]S", {"f": {"a": {}}}, {"f": {"a": {"n": 1}}}),
        ("any", "Named", {}, {"f": "named"}),
        ('+default="own"', "Named", {}, {"f": "own"}),
    ],
)
def test_what_is_unset_gets_its_default(tag: str, go: str, given: Any, wanted: Any) -> None:
    """Absent, or zero where Go has no pointer; what is below follows, unless its pointer stays nil."""
    below = 'type S struct {\n\t// +default=1\n\tN int32 `json:"n"`\n}\n\nconst Size = 3\n\n'
    below += '// +default="named"\ntype Named string\n\n'
    text = f'{below}type T struct {{\n\tX Named `json:"x"`\n\t// {tag}\n\tF {go} `json:"f"`\n}}'
    assert {**wanted, "x": "x"} == defaulted(text, {**given, "x": "x"})


def test_the_object_that_is_given_stays() -> None:
    """So that the same object can be asked again; a default is a value of its own in each."""
    go = 'type T struct {\n\t// +default=["a"]\n\tF []string `json:"f"`\n}'
    given: dict[str, Any] = {}
    first = defaulted(go, given)
    first["f"].append("b")
    assert ({}, {"f": ["a"]}) == (given, defaulted(go, given))


def test_types_that_contain_themselves_and_inlined_ones() -> None:
    """Are read once, and at the path of the struct."""
    go = 'type T struct {\n\tS `json:",inline"`\n\tNext *T `json:"next"`\n}\n\ntype S struct {\n\t// +default=1\n'
    go += '\tN int32 `json:"n"`\n}'
    assert {"n": 1, "next": {"n": 1, "next": {"n": 2}}} == defaulted(go, {"next": {"next": {"n": 2}}})


def test_types_without_defaults_have_nothing_to_set() -> None:
    """Recursive ones too."""
    go = 'type T struct {\n\t// +defaulted=1\n\tNext *T `json:"next"`\n}'
    assert None is defaults_of(universe_of(go), "example.T")


def test_every_default_that_cannot_be_read_is_told() -> None:
    """With its line."""
    go = 'type T struct {\n\t// +default=a\n\tA string `json:"a"`\n\t// +default=ref(Gone)\n\tB string `json:"b"`\n}'
    with pytest.raises(InputError) as caught:
        defaults_of(universe_of(go), "example.T")
    told = [(one.code, one.position.line, one.message) for one in caught.value.diagnostics]
    words = "+default=ref(Gone) names no constant of the types that are given"
    assert [("tag-payload", 4, "+default=a is no JSON"), ("tag-payload", 6, words)] == told


TYPES = """// +k8s:validation-gen=*
package v1

// +k8s:validation-gen=true
type Widget struct {
	// +k8s:optional
	// +default=3
	// +k8s:minimum=2
	Size *int32 `json:"size"`
}
"""
SUITE = """from harness.suite import Suite, SuiteKind

def validate(new, old, context):
    return []

DEFAULTS = {%s}
SUITE = Suite("s", "example.com", [SuiteKind("Widget", "widgets", {"v1": "v1"}, validate, defaults=DEFAULTS)])
"""


def errors(spec: SubjectSpec, widget: dict[str, Any]) -> list[str]:
    """What the tags of a folder say of a widget."""
    with open_subject(spec) as subject:
        (info,) = subject.target.info.kinds
        (answer,) = subject.target.ask([info.case(Operation.CREATE, widget)])
    assert None is answer.failure
    return [f"{error.field} {error.type}" for error in answer.declarative]


def test_objects_of_types_and_suites_are_defaulted(tmp_path: Path) -> None:
    """`+k8s:optional` with a default requires a value, which the default is; a suite's own function comes first."""
    (tmp_path / "v1").mkdir()
    (tmp_path / "v1" / "types.go").write_text(TYPES, encoding="utf-8")
    assert [] == errors(SubjectSpec("types", str(tmp_path / "v1")), {})
    assert ["size FieldValueInvalid"] == errors(SubjectSpec("types", str(tmp_path / "v1")), {"size": 1})
    for own, wanted in (("", []), ('"v1": lambda widget: widget', ["size FieldValueRequired"])):
        (tmp_path / "suite.py").write_text(SUITE % own, encoding="utf-8")
        assert wanted == errors(SubjectSpec("suite", str(tmp_path), in_process=True), {})
