"""Both validators of CertificateRequest give the same answer: stated as an author would, with Hypothesis alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given, settings

from harness.strategies import differences, objects, pairs

SUITE = Path(__file__).parent


@settings(max_examples=300, deadline=None)
@given(objects(SUITE, "CertificateRequest"))
def test_new_objects_get_the_same_answer(new: dict[str, Any]) -> None:
    """No object is judged differently when it is created."""
    assert differences(SUITE, "CertificateRequest", new) == []


@settings(max_examples=300, deadline=None)
@given(pairs(SUITE, "CertificateRequest"))
def test_changed_objects_get_the_same_answer(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """No change of an object is judged differently."""
    old, new = pair
    assert differences(SUITE, "CertificateRequest", new, old) == []


@settings(max_examples=200, deadline=None)
@given(pairs(SUITE, "CertificateRequest", subresource="approval"))
def test_decisions_get_the_same_answer(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    """No approval is judged differently."""
    old, new = pair
    assert differences(SUITE, "CertificateRequest", new, old, subresource="approval") == []
