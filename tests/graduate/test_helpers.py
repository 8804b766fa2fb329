"""A line that changes something for one field is doubted for every other."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from harness.graduate.document import Certificate, CheckSource
from harness.graduate.helpers import doubt_shared
from tests.graduate.test_observer import KNOWN
from tests.graduate.test_versions import CHANGE, certificate

HERE = CheckSource("validation.go:7 in validateName, called at validation.go:40 in validateSpec")
THERE = CheckSource("validation.go:7 in validateName, called at validation.go:90 in validateOther")


def doubted(check: CheckSource | None, effects: dict[str, int], **other: Any) -> Certificate:
    """The certificate of a safe rule beside that of a rule with a change."""
    changed = certificate(KNOWN, "changes", change=CHANGE, effects=effects)
    changed = msgspec.structs.replace(changed, check=THERE, **other)
    return doubt_shared((msgspec.structs.replace(certificate(KNOWN), check=check), changed))[0]


def test_the_same_line_is_doubted() -> None:
    """As a name of 63 characters in more bytes was shown for one field, and not for another of the same helper."""
    found = doubted(HERE, {"accepted": 3})
    assert ("unknown", True) == (found.verdict, found.missing[0].startswith("helper: "))


@pytest.mark.parametrize("effects", [{"accepted (ratcheting)": 3}, {"added": 2}, {"lost (ratcheting)": 1}])
def test_what_is_a_matter_of_the_callers_is_not(effects: dict[str, int]) -> None:
    """Who passes the old object, and what returns early before the call."""
    assert "safe" == doubted(HERE, effects).verdict


def test_another_line_or_rule_is_not() -> None:
    """A line may make several checks: only the one with the same error and limit counts."""
    assert "safe" == doubted(CheckSource("validation.go:8 in validateName"), {"accepted": 3}).verdict
    assert "safe" == doubted(None, {"accepted": 3}).verdict
    assert "safe" == doubted(HERE, {"accepted": 3}, limit=64).verdict
