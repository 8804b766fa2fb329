"""A published and an internal package of types, and what is between them."""

from __future__ import annotations

from pathlib import Path

from harness.export.golang import Writer
from harness.export.imports import Imports
from harness.gotypes.packages import Universe
from harness.subject.api import SHARED

PUBLISHED, INTERNAL = "k8s.io/api/shop/v1", "k8s.io/kubernetes/pkg/apis/shop"

_COMMON = """
type Colour string

const (
	Red Colour = "Red"
	Blue Colour = "Blue"
)

type Item struct {
	Name string `json:"name"`
	Size int32 `json:"size,omitempty"`
	Colour *Colour `json:"colour,omitempty"`
}

type Innermost struct {
	Deep string `json:"deep,omitempty"`
}

type Inlined struct {
	Driver string `json:"driver,omitempty"`
	Innermost `json:",inline"`
}
"""
_IMPORTS = """
import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/runtime"
)
"""
_SPEC = """
type Spec struct {{
	Replicas {replicas} `json:"replicas,omitempty"`
	Paused *bool `json:"paused,omitempty"`
	Items []Item `json:"items,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Capacity map[Colour]resource.Quantity `json:"capacity,omitempty"`
	Port *intstr.IntOrString `json:"port,omitempty"`
	After *metav1.Time `json:"after,omitempty"`
	Grace metav1.Duration `json:"grace,omitempty"`
	Secret []byte `json:"secret,omitempty"`
	Raw runtime.RawExtension `json:"raw,omitempty"`
	Nested *Item `json:"nested,omitempty"`
	Inlined `json:",inline"`
	{more}
}}

type Shop struct {{
	metav1.TypeMeta `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec Spec `json:"spec,omitempty"`
}}
"""


def writer(folder: Path) -> Writer:
    """Return a writer of the shop's types."""
    texts = {
        PUBLISHED: _SPEC.format(replicas="*int32", more='Old string `json:"old,omitempty"`'),
        INTERNAL: _SPEC.format(replicas="int32", more=""),
    }
    folders = dict(SHARED)
    for package, spec in texts.items():
        path = folder / package
        path.mkdir(parents=True)
        (path / "types.go").write_text(f"package {package.rpartition('/')[2]}\n{_IMPORTS}{_COMMON}{spec}")
        folders[package] = path
    return Writer(Universe.from_folders(folders), Imports())
