"""Unknown fields: what decoding would drop is named, with the name that was probably meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.fuzzers.shape import ANY, shape_of
from harness.gotypes.packages import Universe
from harness.subject.unknown_fields import unknown_fields

SOURCE = """
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

type Thing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Parts  []Part            `json:"parts"`
	Named  map[string]Part   `json:"named"`
	Labels map[string]string `json:"labels"`
	Common `json:",inline"`
	Free   runtime.RawExtension `json:"free"`
	Other  elsewhere.Unknown    `json:"other"`
}

type Common struct {
	Size int `json:"size"`
}

type Part struct {
	Image string `json:"image"`
}
"""


def told(tmp_path: Path, value: Any) -> list[str]:
    """Name the unknown fields of a Thing."""
    file = tmp_path / "types.go"
    file.write_text(SOURCE, encoding="utf-8")
    universe = Universe.from_files({"example.com/v1": [file]})
    return [str(one) for one in unknown_fields(shape_of(universe, "example.com/v1.Thing"), value)]


def test_fields_are_found_in_lists_maps_and_inlined_structs(tmp_path: Path) -> None:
    """Each is named by its path as an API server writes it, with the closest known name."""
    value = {
        "apiVersion": "example.com/v1", "kind": "Thing", "size": 1, "sizes": 2,
        "parts": [{"image": "a"}, {"imge": "b"}], "named": {"x": {"kind": "Part"}},
    }  # fmt: skip
    assert [
        'unknown field "sizes" (did you mean size?)',
        'unknown field "parts[1].imge" (did you mean image?)',
        'unknown field "named.x.kind"',
    ] == told(tmp_path, value)


def test_maps_and_foreign_types_have_no_unknown_fields(tmp_path: Path) -> None:
    """The keys of a map are arbitrary, and the fields of a type without source are not known."""
    assert [] == told(tmp_path, {"labels": {"a": "b"}, "free": {"x": {"y": 1}}, "other": {"z": 1}})
    assert [] == unknown_fields(ANY, {"anything": {"goes": 1}})


def test_metadata_has_the_members_of_every_object(tmp_path: Path) -> None:
    """Also those that a shortened ObjectMeta leaves out."""
    metadata: dict[str, Any] = {
        "name": "a",
        "creationTimestamp": None,
        "managedFields": [],
        "ownerReferences": [],
        "lables": {},
    }
    assert ['unknown field "metadata.lables" (did you mean labels?)'] == told(tmp_path, {"metadata": metadata})


def test_values_of_another_sort_are_left_to_the_decoder(tmp_path: Path) -> None:
    """The decoder reports them."""
    assert [] == told(tmp_path, {"parts": {"imge": 1}, "named": [], "metadata": "x", "size": {}})
