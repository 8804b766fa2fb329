"""What is settled waits in little room."""

from __future__ import annotations

import pickle

import msgspec

from harness.engine.packedfinding import PackedFinding
from tests.report import made


def test_a_packed_finding_is_small_and_opens_as_it_was() -> None:
    """With what was counted since, and with all that no other form of text can hold."""
    finding = made.finding()
    odd = {"half": "\ud800", "far": 1 << 70, "long": [f"{number}{'a' * 40}" for number in range(40)]}
    finding = msgspec.structs.replace(finding, case=msgspec.structs.replace(finding.case, object=odd), occurrences=3)
    packed = PackedFinding.of(finding)
    assert finding == packed.unpack()
    assert (finding.fingerprint, finding.severity, 3) == (packed.fingerprint, packed.severity, packed.occurrences)
    assert 7 == msgspec.structs.replace(packed, occurrences=7).unpack().occurrences
    assert len(packed.data) < len(pickle.dumps(finding)) / 2
