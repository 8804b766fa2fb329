"""What makes two mismatches the same."""

from __future__ import annotations

from harness.compare.mismatch import Mismatch


def test_a_signature_has_no_setting() -> None:
    """The same difference under another setting, with other words, or at another item, is the same mismatch."""
    one = Mismatch("extra", "l[0]", "T", "o", "declarative", "beta-on", {"G": True}, "x", True)
    assert one.signature == Mismatch("extra", "l[1]", "T", "o", "declarative").signature
    assert one.signature != Mismatch("served", "l[0]", "T", "o", "declarative").signature
