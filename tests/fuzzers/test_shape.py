from __future__ import annotations

from pathlib import Path

from harness.fuzzers.shape import ANY, shape_of
from harness.gotypes.packages import Universe
from tests.fuzzers.toys import PACKAGE, UNIVERSE, widget_shape

SOURCE = """
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Size string

const (
	Small Size = "Small"
	Large Size = "Large"
)

type Thing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	// At most "many" of them.
	// +k8s:maximum=7
	Count *int32          `json:"count,omitempty"`
	Sizes []Size          `json:"sizes"`
	Data  []byte          `json:"data"`
	When  metav1.Time     `json:"when"`
	Hidden string         `json:"-"`
	Below map[string]Thing `json:"below"`
}
"""


def test_fields_of_a_struct_are_named_as_in_json() -> None:
    """A shape has the members of inlined structs, and neither apiVersion nor kind."""
    shape = widget_shape()
    assert [member.name for member in shape.fields] == ["metadata", "spec"]
    assert shape.type_meta
    assert "ceiling" in shape.child("spec").by_name


def test_recursive_types_are_resolved_where_they_are_looked_at() -> None:
    """A type within itself is the same shape at every depth."""
    spec = widget_shape().child("spec")
    assert spec is spec.child("parent").child("parent")


def test_metadata_is_recognised_without_its_package() -> None:
    """ObjectMeta has its well-known members even when nobody handed its source in."""
    metadata = widget_shape().child("metadata")
    assert metadata.is_object_meta
    assert metadata.child("labels").kind == "map"


def test_what_is_not_known_is_any() -> None:
    """A name that no package declares may be any JSON value."""
    assert shape_of(UNIVERSE, f"{PACKAGE}.Nothing") is ANY


EMBEDDED = """
package v1

type Outer struct {
	One
	*Two
	Near string `json:"near"`
}

type One struct {
	Both string `json:"both"`
	Near int    `json:"near"`
	Own  bool   `json:"own"`
}

type Two struct {
	Both int `json:"both"`
}
"""


def test_equally_near_members_are_none(tmp_path: Path) -> None:
    """Of two inlined members with one name none can be written; a nearer one hides a farther one."""
    file = tmp_path / "types.go"
    file.write_text(EMBEDDED)
    shape = shape_of(Universe.from_files({"example.com/things": [file]}), "example.com/things.Outer")
    assert {"near": "string", "own": "bool"} == {member.name: member.shape.kind for member in shape.fields}


def test_real_source_gives_pointers_constants_hints_and_special_types(tmp_path: Path) -> None:
    """What types.go says of a member is in its shape."""
    file = tmp_path / "types.go"
    file.write_text(SOURCE)
    shape = shape_of(Universe.from_files({"example.com/things": [file]}), "example.com/things.Thing")
    count, sizes = shape.by_name["count"], shape.by_name["sizes"]
    assert (count.pointer, count.omitempty, count.shape.kind, count.shape.bits) == (True, True, "int", 32)
    assert {"many", 7} == set(count.hints)
    assert sizes.shape.elem.choices == ("Small", "Large")
    assert (shape.child("data").kind, shape.child("when").kind) == ("bytes", "time")
    assert shape is shape.child("below").child("x")
    assert "Hidden" not in shape.by_name
