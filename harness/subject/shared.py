"""Shared types that an API may name without having the Go packages at hand."""

from __future__ import annotations

from pathlib import Path

_GO = Path(__file__).parent / "go"

SHARED: dict[str, Path] = {
    "k8s.io/apimachinery/pkg/apis/meta/v1": _GO / "meta_v1",
    "k8s.io/apimachinery/pkg/api/resource": _GO / "resource",
    "k8s.io/apimachinery/pkg/util/intstr": _GO / "intstr",
    "k8s.io/apimachinery/pkg/runtime": _GO / "runtime",
}
"""Import paths and folders."""
