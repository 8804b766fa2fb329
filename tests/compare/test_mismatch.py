"""Canonical paths: one name for every item and key."""

from __future__ import annotations

import pytest

from harness.compare.mismatch import Mismatch, canonical_path

PATHS = [
    ("spec.a", "spec.a"),
    ("<nil>", ""),
    ("l[0].a[12]", "l[*].a[*]"),
    ("metadata.labels[example.com/name]", "metadata.labels[*]"),
    ("m[a[0]].x", "m[*].x"),
    ("m[x]y]", "m[*]"),
    ("m[]", "m[*]"),
    ("m[line\nbreak]", "m[*]"),
    ("m[", "m["),
]


@pytest.mark.parametrize(("path", "expected"), PATHS)
def test_canonical_path(path: str, expected: str) -> None:
    """Every subscript becomes [*], whatever the key holds; the root is the empty path."""
    assert expected == canonical_path(path)


def test_a_signature_has_no_setting() -> None:
    """The same difference under another setting, with other words, or at another item, is the same mismatch."""
    one = Mismatch("extra", "l[0]", "T", "o", "declarative", "beta-on", {"G": True}, "x", True)
    assert one.signature == Mismatch("extra", "l[1]", "T", "o", "declarative").signature
    assert one.signature != Mismatch("served", "l[0]", "T", "o", "declarative").signature
