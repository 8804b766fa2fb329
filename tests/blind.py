"""A suite that a search cannot get through: nobody guesses a reference number, and so no parcel is ever accepted."""

from __future__ import annotations

from pathlib import Path

TYPES = """package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Parcel is sent somewhere.
type Parcel struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec ParcelSpec `json:"spec"`
}

// ParcelSpec says what is sent.
type ParcelSpec struct {
	// +k8s:beta(since: "1.37")=+k8s:required
	Reference string `json:"reference"`
}
"""
HANDWRITTEN = '''"""Validation of parcels: a reference number is known by its digest alone."""

import hashlib

from harness.field import Path
from harness.field.make import invalid, required


def validate(new, old, context):
    """Validate a parcel; what an update leaves as it was is forgiven where it is only absent."""
    reference = new.get("spec", {}).get("reference", "")
    path = Path().child("spec", "reference")
    if not reference:
        was_absent = old is not None and not old.get("spec", {}).get("reference", "")
        return [] if was_absent else [required(path, covered=True)]
    digest = hashlib.sha256(reference.encode("utf-8", "replace")).hexdigest()
    return [] if digest.startswith("0" * 12) else [invalid(path, reference, "is not a reference number")]
'''
SUITE = '''"""Parcels."""

from harness.suite import Suite, SuiteKind

from .handwritten import validate

SUITE = Suite(
    name="parcels",
    group="parcel.example.com",
    kinds=[SuiteKind(kind="Parcel", resource="parcels", versions={"v1": "types.go"}, handwritten=validate)],
)
'''


def write_suite(folder: Path, **keys: object) -> Path:
    """Write the suite into a folder; `keys` are more arguments of its Suite."""
    folder.mkdir(parents=True)
    more = "".join(f"    {name}={value!r},\n" for name, value in keys.items())
    (folder / "types.go").write_text(TYPES)
    (folder / "handwritten.py").write_text(HANDWRITTEN)
    (folder / "suite.py").write_text(SUITE.replace("\n)\n", f"\n{more})\n"))
    return folder
