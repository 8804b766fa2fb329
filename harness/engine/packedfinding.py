"""Findings packed as compressed bytes, a tenth of their size in memory, because few are read before the run ends."""

from __future__ import annotations

import pickle
import zlib
from sys import intern
from typing import cast

import msgspec

from harness.case import Mode
from harness.compare.finding import Finding, Severity


class PackedFinding(msgspec.Struct, frozen=True):
    """A packed finding, and the fields that are read while it is packed. Only processes of the same run read it."""

    fingerprint: str
    severity: Severity
    occurrences: int
    data: bytes

    @classmethod
    def of(cls, finding: Finding) -> PackedFinding:
        """Pack a finding."""
        data = zlib.compress(pickle.dumps(finding, pickle.HIGHEST_PROTOCOL), 1)
        return cls(finding.fingerprint, finding.severity, finding.occurrences, data)

    def unpack(self) -> Finding:
        """Return the finding, with the occurrences counted since."""
        finding: Finding = pickle.loads(zlib.decompress(self.data))
        # Encoders omit a default value only if it is the identical object.
        case = msgspec.structs.replace(finding.case, mode=cast(Mode, intern(finding.case.mode)))
        return msgspec.structs.replace(finding, case=case, occurrences=self.occurrences)
