"""A finding stands at the Go type that declares its field, whatever kind and version it was met in."""

from __future__ import annotations

import pytest

from harness.compare.finding import Finding
from harness.diagnostics import Position
from harness.engine.placing import in_place, placed
from harness.fuzzers.shape import FieldShape, Shape
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
    found = placed(path, SHAPE)
    assert (f"{PACKAGE.removesuffix('/v1')}.{owner}", member) == (found.owner, found.member)


def test_where_no_type_is_known_nothing_is_said() -> None:
    """A program without types has findings without a place."""
    assert placed("spec.title", Shape("any")) == ("", "", "", ())


def test_the_source_is_named_by_import_path() -> None:
    """A folder of one machine says nothing on another one."""
    field = FieldShape(
        "title", Shape("string"), owner="k8s.io/api/apps/v1beta1.Spec", position=Position("/x/types.go", 7)
    )
    root = Shape("struct", "k8s.io/api/apps/v1beta1.Spec")
    root.__dict__["fields"] = (field,)
    found = placed("title", root)
    assert (found.owner, found.source) == ("k8s.io/api/apps.Spec", "k8s.io/api/apps/v1beta1/types.go:7")
    finding: Finding = made.finding(path="title", fix="declare a rule")
    assert in_place(finding, root).fix == "declare a rule (k8s.io/api/apps/v1beta1/types.go:7)"


@pytest.mark.parametrize(
    ("path", "hint"),
    [("spec.Title", "did you mean title?"), ("spec.titel", "did you mean title?"), ("spec.zzzzzz", "")],
)
def test_a_wrong_path_comes_with_the_field_that_may_have_been_meant(path: str, hint: str) -> None:
    """Go names in place of JSON names differ in their letters' case; others are near misses."""
    found = in_place(made.finding(path=path, cause="wrong-path", fix="report another name"), SHAPE)
    assert found.fix == f"report another name{'; ' if hint else ''}{hint}"
