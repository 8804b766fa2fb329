"""A finding stands at the Go type that declares its field, whatever kind and version it was met in."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from harness.compare.finding import Finding
from harness.diagnostics import Position
from harness.engine.fieldsource import FieldSource, add_field_source, find_field_source
from harness.fuzzers.shape import FieldShape, Shape
from harness.subject import SubjectSpec, open_subject
from tests.fuzzers.toys import PACKAGE, widget_shape
from tests.reporting import made

SHAPE = widget_shape()


@pytest.mark.parametrize(
    ("path", "owner", "member"),
    [
        ("spec.title", "WidgetSpec", "title"),
        ("spec.parent.parent.title", "WidgetSpec", "title"),
        ("spec.ports[3].name", "Port", "name"),
        ("spec.ports[3]", "WidgetSpec", "ports[*]"),
        ("spec.labels[a.b/c]", "WidgetSpec", "labels[*]"),
        ("spec", "Widget", "spec"),
        ("", "Widget", ""),
        ("spec.Title", "WidgetSpec", "Title"),
        ("spec.ports[0].nowhere[1].x", "Port", "nowhere[*].x"),
    ],
)
def test_the_owner_is_the_struct_that_declares_the_field(path: str, owner: str, member: str) -> None:
    """A path is followed as far as the type goes; versions are left out of the name."""
    found = find_field_source(path, SHAPE)
    assert (f"{PACKAGE.removesuffix('/v1')}.{owner}", member) == (found.owner, found.member)


def test_where_no_type_is_known_nothing_is_said() -> None:
    """A program without types has findings without a place."""
    assert find_field_source("spec.title", Shape("any")) == FieldSource()


def test_the_source_is_named_by_import_path() -> None:
    """A folder of one machine says nothing on another one."""
    field = FieldShape(
        "title", Shape("string"), owner="k8s.io/api/apps/v1beta1.Spec", position=Position("/x/types.go", 7)
    )
    root = Shape("struct", "k8s.io/api/apps/v1beta1.Spec")
    root.__dict__["fields"] = (field,)
    found = find_field_source("title", root)
    assert (found.owner, found.source) == ("k8s.io/api/apps.Spec", "k8s.io/api/apps/v1beta1/types.go:7")
    finding: Finding = made.finding(path="title", fix="declare a rule")
    assert add_field_source(finding, root).fix == "declare a rule (k8s.io/api/apps/v1beta1/types.go:7)"


def test_a_file_of_this_folder_is_named_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a reader can open it; a module that was downloaded is no file of anybody's checkout."""
    monkeypatch.chdir(tmp_path)
    root = Shape("struct", "suites/mine/v1.Spec")

    def source(file: str) -> str:
        position = Position(str(tmp_path / file), 7)
        root.__dict__["fields"] = (FieldShape("title", Shape("string"), owner=root.type, position=position),)
        root.__dict__.pop("by_name", None)
        return find_field_source("title", root).source

    assert "suites/mine_v1/types.go:7" == source("suites/mine_v1/types.go")
    assert "suites/mine/v1/types.go:7" == source("mod/example.com/mine@v1.0.0/types.go")


@pytest.mark.parametrize(
    ("type_", "origin", "line"),
    [
        ("FieldValueInvalid", "maximum", 3),
        ("FieldValueInvalid", "format=k8s-long-name", 4),
        ("FieldValueTooLong", "maxLength", 5),
        ("FieldValueRequired", "", 6),
        ("FieldValueDuplicate", "", 7),
        ("FieldValueInvalid", "format=k8s-long", 0),
        ("FieldValueInvalid", "minimum", 0),
        ("FieldValueTypeInvalid", "", 0),
    ],
)
def test_the_line_of_the_tag_is_found(type_: str, origin: str, line: int) -> None:
    """Within levels and other wrappers too; a field without such a tag has no such line."""
    tags = (
        '+k8s:beta(since: "1.37")=+k8s:maximum=28', "+k8s:format=k8s-long-name-caseless",
        "+k8s:beta=+k8s:format=k8s-long-name", "+k8s:eachVal=+k8s:maxLength=5", "+k8s:required", "+k8s:listType=map",
    )  # fmt: skip
    numbered = tuple(zip(tags, (3, 2, 4, 5, 6, 7), strict=True))
    position = Position("/x/types.go", 9)
    field = FieldShape("title", Shape("string"), owner="x/y/v1.Spec", position=position, tags=numbered)
    root = Shape("struct", "x/y/v1.Spec")
    root.__dict__["fields"] = (field,)
    found = add_field_source(made.finding(path="title", type=type_, origin=origin), root)
    assert (f"x/y/v1/types.go:{line}" if line else "") == found.rule_source


def test_lines_of_tags_are_those_of_the_file() -> None:
    """Of a suite: the tag stands above its field, in the file as it is."""
    with closing(open_subject(SubjectSpec("suite", "examples/migration"))) as subject:
        shape = subject.shape(subject.target.info.kinds[0])
    finding = made.finding(path="spec.keepDays", origin="maximum")
    file, _, line = add_field_source(finding, shape).rule_source.rpartition(":")
    assert "+k8s:maximum=28" in Path(file).read_text(encoding="utf-8").splitlines()[int(line) - 1]


@pytest.mark.parametrize(
    ("path", "hint"),
    [("spec.Title", "did you mean title?"), ("spec.titel", "did you mean title?"), ("spec.zzzzzz", "")],
)
def test_a_wrong_path_comes_with_the_field_that_may_have_been_meant(path: str, hint: str) -> None:
    """Go names in place of JSON names differ in their letters' case; others are near misses."""
    found = add_field_source(made.finding(path=path, cause="wrong-path", fix="report another name"), SHAPE)
    assert found.fix == f"report another name{'; ' if hint else ''}{hint}"
