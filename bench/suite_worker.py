"""Serves a suite folder over the wire: `python bench/suite_worker.py FOLDER`. The same validators, behind a pipe."""

from __future__ import annotations

import os
import sys

import msgspec

from harness.case import Case
from harness.subject import SubjectSpec, open_subject
from harness.targets.wire import encode_greeting

_CASES = msgspec.json.Decoder(Case)
_ENCODER = msgspec.json.Encoder()


def main(folder: str) -> None:
    """Answer as many lines at a time as there are, until the input ends."""
    out = sys.stdout.buffer
    with open_subject(SubjectSpec("suite", folder)) as subject:
        out.write(encode_greeting(subject.target.info))
        out.flush()
        rest = b""
        while chunk := os.read(0, 1 << 20):
            whole, found, rest = (rest + chunk).rpartition(b"\n")
            if found:
                out.write(_ENCODER.encode_lines(subject.target.ask(_CASES.decode_lines(whole))))
                out.flush()


main(sys.argv[1])
