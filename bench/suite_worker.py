"""Serves a suite folder over the wire: `python bench/suite_worker.py FOLDER`. The same validators, behind a pipe."""

from __future__ import annotations

import os
import re
import sys

import msgspec

from harness.case import Answer, Case, Failure
from harness.subject import SubjectSpec, open_subject
from harness.targets.target import Target
from harness.targets.wire import encode_greeting

_CASES = msgspec.json.Decoder(Case)
_ENCODER = msgspec.json.Encoder()
_ID = re.compile(rb'\{"id":\s*(-?\d+)')


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
                out.write(_ENCODER.encode_lines(answers(subject.target, whole)))
                out.flush()


def answers(target: Target, lines: bytes) -> list[Answer]:
    """Answer lines; one that cannot be read costs its own answer only."""
    try:
        return target.ask(_CASES.decode_lines(lines))
    except (msgspec.MsgspecError, RecursionError, ValueError) as error:
        if b"\n" in lines:
            return [answer for line in lines.split(b"\n") for answer in answers(target, line)]
        number = _ID.match(lines)
        return [Answer(int(number[1]) if number else 0, failure=Failure("decode", str(error)))]


main(sys.argv[1])
