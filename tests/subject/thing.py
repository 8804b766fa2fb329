"""A Go type with members of every usual sort, for tests of decoders."""

from __future__ import annotations

_GO = """package v1

import (
	resource "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	runtime "k8s.io/apimachinery/pkg/runtime"
	intstr "k8s.io/apimachinery/pkg/util/intstr"
)

type Thing struct {
	metav1.TypeMeta `json:",inline"`
	Text    string               `json:"text"`
	Pointer *string              `json:"pointer"`
	Small   int8                 `json:"small"`
	Flag    bool                 `json:"flag"`
	Texts   []string             `json:"texts,omitempty"`
	Map     map[string]int32     `json:"map,omitempty"`
	Inner   Inner                `json:"inner"`
	Outer   *Inner               `json:"outer"`
	Time    metav1.Time          `json:"time"`
	Micro   *metav1.MicroTime    `json:"micro"`
	Size    resource.Quantity    `json:"size"`
	Either  intstr.IntOrString   `json:"either"`
	Any     runtime.RawExtension `json:"any"`
@}

type Inner struct {
	Deep int32 `json:"deep"`
}
"""


def go_of(members: str, others: str = "") -> str:
    """Write a file with the type, with more members of its own, and with other types."""
    return _GO.replace("@", members) + others
