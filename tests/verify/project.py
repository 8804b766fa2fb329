"""A git project with one suite in which both sides agree, and the changes of it that verifications are tried on."""

from __future__ import annotations

from pathlib import Path

from harness.compare.finding import Finding
from tests.verify.checkout import repository

SUITE = '''"""Cups: small, and migrated as far as it goes."""

from harness.suite import Suite, SuiteKind

from .handwritten import validate_cup

SUITE = Suite(
    name="cups",
    group="kitchen.example.com",
    kinds=[SuiteKind(kind="Cup", resource="cups", versions={"v1": "types.go"}, handwritten=validate_cup)],
)
'''

DOC = """// +k8s:validation-gen=TypesWithField=TypeMeta

// Package v1 holds cups.
package v1
"""

TYPES = """package v1

import (
\tmetav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Cup holds something to drink.
type Cup struct {
\tmetav1.TypeMeta   `json:",inline"`
\tmetav1.ObjectMeta `json:"metadata,omitempty"`

\tSpec CupSpec `json:"spec"`
}

// CupSpec says what the cup is like.
type CupSpec struct {
\t// Size is in millilitres.
\t//
\t// +k8s:optional
\t// +k8s:beta(since: "1.37")=+k8s:maximum=500
\tSize int32 `json:"size"`

\t// Label is written on it.
\t//
\t// +k8s:optional
\t// +k8s:beta(since: "1.37")=+k8s:maxLength=12
\tLabel string `json:"label,omitempty"`

\t// Handles are to hold it.
\t//
\t// +k8s:optional
\tHandles int32 `json:"handles,omitempty"`

\t// Spoons come with it.
\t//
\t// +k8s:optional
\t// +k8s:alpha(since: "1.37")=+k8s:maximum=3
\tSpoons int32 `json:"spoons,omitempty"`
}
"""

HANDWRITTEN = '''"""Validation of cups as it was written by hand."""

from harness.field import Path
from harness.field.make import invalid, too_long_characters


def validate_cup(new, old, context):
    """Validate a cup, or a change of one."""
    spec, path = new.get("spec", {}), Path().child("spec")
    before = (old or {}).get("spec", {})
    errors = validate_label(spec.get("label", ""), before.get("label"), path.child("label"))
    if spec.get("size", 0) > 500 and spec.get("size") != before.get("size"):
        errors += [at_most(500, spec["size"], path.child("size"), covered=True)]
    if spec.get("handles", 0) > 2 and spec.get("handles") != before.get("handles"):
        errors += [at_most(2, spec["handles"], path.child("handles"))]
    if spec.get("spoons", 0) > 3:
        errors += [at_most(3, spec["spoons"], path.child("spoons"), covered=True)]
    return errors


def validate_label(label, before, path):
    """A label is short."""
    if label == before:
        return []
    return [too_long_characters(path, 12, origin="maxLength", covered=True)] if len(label) > 12 else []


def at_most(limit, value, path, covered=False):
    """Make the error of a number that is too large."""
    return [invalid(path, value, f"must be less than or equal to {limit}", origin="maximum", covered=covered)][0]
'''

LIMIT = ("types.go", "k8s:maximum=500", "k8s:maximum=501")
"""(a) A limit off by one in a tag."""
REMOVED = ("handwritten.py", 'validate_label(spec.get("label", ""), before.get("label"), path.child("label"))', "[]")
"""(b) A handwritten check removed while its rule is still beta."""
UNMARKED = (
    "types.go",
    "\t// Handles are to hold it.\n\t//\n\t// +k8s:optional\n",
    '\t// Handles are to hold it.\n\t//\n\t// +k8s:optional\n\t// +k8s:beta(since: "1.37")=+k8s:maximum=2\n',
)
"""(c) A tag added where the handwritten error is not marked."""
RAISED = ("types.go", '+k8s:alpha(since: "1.37")=+k8s:maximum=3', '+k8s:beta(since: "1.37")=+k8s:maximum=3')
"""(d) A level raised from alpha to beta, where only the declarative side forgives what did not change."""
RENAMED = ("handwritten.py", "at_most", "no_more_than")
"""(e) A helper renamed."""
GRADUATED = ("types.go", '+k8s:beta(since: "1.37")=+k8s:maxLength=12', "+k8s:maxLength=12")
"""A rule made standard; together with `REMOVED` the migration of a field is finished."""


BOTH = ("handwritten.py", "500", "501")
"""The limit of the handwritten check; together with `LIMIT` both sides have the new one."""


def make_project(root: Path) -> Path:
    """Write the project and commit it. Returns its folder, in which `suites/cups` is the suite."""
    files = {"suite.py": SUITE, "doc.go": DOC, "types.go": TYPES, "handwritten.py": HANDWRITTEN}
    inside = {f"suites/cups/{name}": text for name, text in files.items()}
    return repository(root, {**inside, ".gitignore": "__pycache__/\n", "README.md": "Cups.\n"})


def apply(root: Path, *changes: tuple[str, str, str]) -> None:
    """Make changes in the work tree."""
    for name, before, after in changes:
        file = root / "suites" / "cups" / name
        text = file.read_text()
        assert before in text, f"{name} does not have {before!r}"
        file.write_text(text.replace(before, after))


def exception_of(finding: Finding, suite: str) -> str:
    """Write the exception that tolerates one finding."""
    keys = ("kind", "path", "type", "origin", "mismatch", "cause", "severity")
    lines = [f"- suite: {suite}", *(f'  {key}: "{getattr(finding, key)}"' for key in keys)]
    return "\n".join([*lines, "  reason: wanted", "  owner: sig-kitchen", "  until: 2999-01-31", ""])
