"""A small API with one of everything, in two versions, and another whose every text is hostile."""

from __future__ import annotations

import re
from pathlib import Path

from harness.apidocs.document import ApiReference, FieldRow, Key, Section, Statement
from harness.apidocs.gather import gather
from harness.subject.api import open_api

_V1 = """package v1

// Widget is made of parts. It has more to say.
//
// +k8s:supportsSubresource="/status"
type Widget struct {
	TypeMeta int
	// +k8s:subfield(name)=+k8s:format=k8s-short-name
	Meta Meta `json:"metadata"`
	Spec WidgetSpec `json:"spec"`
	// +k8s:optional
	Tree *Tree `json:"tree"`
	Free string `json:"free"`
}

type Meta struct {
	Name string `json:"name"`
}

type WidgetSpec struct {
	// Name is what people say.
	// +k8s:required
	// +k8s:maxLength=63
	// +k8s:immutable
	Name string `json:"name"`
	// +k8s:optional
	// +k8s:maxItems=1000
	// +k8s:listType=map
	// +k8s:listMapKey=id
	// +k8s:item(id: main)=+k8s:immutable
	Parts []Part `json:"parts"`
	// +k8s:eachKey=+k8s:maxBytes=1
	// +k8s:eachVal=+k8s:minimum=3
	Sizes map[string]int32 `json:"sizes"`
	// +k8s:ifEnabled(Turbo)=+k8s:maximum=9
	Speed int32 `json:"speed"`
	// +k8s:modeDiscriminator
	Mode string `json:"mode"`
	// +k8s:ifMode("Fast")=+k8s:required
	Gear *string `json:"gear"`
	// +k8s:update=NoUnset
	// +k8s:update=NoModify
	Once *string `json:"once"`
	// +k8s:customValidation
	Odd string `json:"odd"`
	Choice Choice `json:"choice"`
	// +k8s:beta=+k8s:neq="x"
	Word string `json:"word"`
}

type Part struct {
	ID string `json:"id"`
	// +k8s:minimum=1
	Count int32 `json:"count"`
}

type Choice struct {
	// +k8s:unionMember
	// +k8s:dependentForbidden(c)
	A *string `json:"a"`
	// +k8s:unionMember
	B *string `json:"b"`
	C *string `json:"c"`
}

type Tree struct {
	// +k8s:maxLength=1
	Leaf string `json:"leaf"`
	// +k8s:optional
	Left *Tree `json:"left"`
}

type Quiet struct {
	TypeMeta int
	Name string `json:"name"`
}
"""
_V1BETA1 = """package v1beta1

// Widget is made of parts.
type Widget struct {
	TypeMeta int
	Spec WidgetSpec `json:"spec"`
}

type WidgetSpec struct {
	// +k8s:required
	// +k8s:alpha=+k8s:maxLength=63
	Name string `json:"name"`
	// +k8s:maximum=7
	Age int32 `json:"age"`
	Word string `json:"word"`
}
"""
_HOSTILE = """package v1

// Evil <script>alert(1)</script> "><img src=x onerror=alert(2)> | `code \u202e\u0007
type Evil struct {
	TypeMeta int
	// A comment with </style><b>bold</b> and [a link](javascript:alert(3)).
	// +k8s:neq="`|</script><script>alert(4)</script>"
	Field string `json:"<i>name|\u202e"`
	Kind Kind `json:"kind"`
}

// +k8s:enum
type Kind string

const (
	KindA Kind = "</code><script>alert(5)</script>"
	KindB Kind = "``|`"
)
"""


def api(place: Path, **packages: str) -> ApiReference:
    """Gather what a module of these packages, by version, declares."""
    (place / "go.mod").write_text("module example.com/api\n", encoding="utf-8")
    for version, text in packages.items():
        folder = place / "widgets" / version
        folder.mkdir(parents=True)
        (folder / "types.go").write_text(text, encoding="utf-8")
        group = 'const GroupName = "widgets.example.com"'
        (folder / "register.go").write_text(f"package {version}\n\n{group}\n", encoding="utf-8")
    return gather(open_api(place))


def widgets(place: Path) -> ApiReference:
    """The small API."""
    return api(place, v1=_V1, v1beta1=_V1BETA1)


def hostile(place: Path) -> ApiReference:
    """The API that means harm."""
    return api(place, v1=_HOSTILE)


def line_of(tag: str) -> str:
    """The place of the first line of the small API's v1 that has a tag."""
    number = next(number for number, line in enumerate(_V1.splitlines(), 1) if tag in line)
    return f"widgets/v1/types.go:{number}"


def section(document: ApiReference, name: str, group: str = "") -> Section:
    """A section by name, and by group where several have one."""
    sections = [one for each in document.groups for one in each.sections]
    return next(one for one in sections if one.key.name == name and group in ("", one.key.group))


def followed(
    document: ApiReference, start: Section, version: str, prefix: str = "", inside: tuple[Key, ...] = ()
) -> set[tuple[str, str, str]]:
    """Every rule of a section in a version, and of those that it links to: path, words, level."""
    found: set[tuple[str, str, str]] = set()
    for one in start.rows:
        path = prefix + ("." if prefix and one.path and not one.path.startswith("[") else "") + one.path
        states = [(statement.text, statement.states[version]) for statement in one.statements]
        found |= {(path, words, state) for words, state in states if state not in ("absent", "no field")}
        if one.link is not None and inside.count(one.link) < 2:
            target = section(document, one.link.name, one.link.group)
            inner = version if version in target.versions else target.versions[0]
            found |= followed(document, target, inner, path, (*inside, one.link))
    return found


def without_items(path: str) -> str:
    """A path without what stands in brackets."""
    return re.sub(r"\[[^\]]*\]", "", path)


def row(document: ApiReference, path: str, name: str = "Widget") -> FieldRow:
    """A row by path."""
    return next(one for one in section(document, name).rows if one.path == path)


def said(document: ApiReference, path: str, name: str = "Widget") -> list[str]:
    """The rules of a row, with their conditions."""
    return [_with_condition(one) for one in row(document, path, name).statements]


def _with_condition(one: Statement) -> str:
    return f"{one.text} {one.condition}".strip()


TREE = Key("widgets.example.com", "Tree")
