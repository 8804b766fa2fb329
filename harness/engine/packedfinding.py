"""A finding that is settled takes a tenth of its room until somebody reads it: most of a long run they only wait."""

from __future__ import annotations

import pickle
import zlib
from sys import intern
from typing import cast

import msgspec

from harness.case import Mode
from harness.compare.finding import Finding, Severity


class PackedFinding(msgspec.Struct, frozen=True):
    """A finding as bytes, for this process and those that it started; what is asked of it meanwhile is at hand."""

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
        # Defaults are left out of documents when they are the very default.
        case = msgspec.structs.replace(finding.case, mode=cast(Mode, intern(finding.case.mode)))
        return msgspec.structs.replace(finding, case=case, occurrences=self.occurrences)
