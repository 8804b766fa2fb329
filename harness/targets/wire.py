"""The wire protocol: one JSON document per line, a greeting first, then a case in and an answer out.

The records are those of `harness.case`; the published JSON Schema is made from them and cannot drift.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import lru_cache
from typing import Any

import msgspec

from harness.case import PROTOCOL, Answer, Case, TargetInfo
from harness.field import FieldError
from harness.memory import Memory, Room

_ENCODER = msgspec.json.Encoder()
_ANSWERS = msgspec.json.Decoder(Answer)
_INFOS = msgspec.json.Decoder(TargetInfo)
_IDS = msgspec.json.Decoder(msgspec.defstruct("Numbered", [("id", int)]))
_PROTOCOLS = msgspec.json.Decoder(msgspec.defstruct("Greeting", [("protocol", int)]))

_ZERO = ord("0")
_LONGEST_KNOWN = 4096
_MOST_KNOWN = 1 << 19
"""Answers are remembered by what they say, as long as that is: what takes more room is what the validators were given,
which is another one each time. Units: bytes, of lines that are remembered."""

UNENCODABLE = (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError)
"""What encoding raises for an object that is not JSON: a lone surrogate, a set, a list that holds itself."""


def encode_case(case: Case, serial: int) -> bytes:
    """Encode a case as one line, under an id of the sender's own choice. Raises: what `UNENCODABLE` lists."""
    line = _ENCODER.encode(case)
    # The id comes first and has no default, so the first comma ends it: half the cost of a copy of the record.
    return b'{"id":%d%b\n' % (serial, line[line.index(b",") :])


def encode_line(record: msgspec.Struct) -> bytes:
    """Encode any record of the protocol as one line."""
    return _ENCODER.encode(record) + b"\n"


def encode_greeting(info: TargetInfo) -> bytes:
    """Encode a greeting as one line. On the wire the protocol number is said, though the record has a default."""
    return _ENCODER.encode({"protocol": info.protocol, **msgspec.to_builtins(info)}) + b"\n"


def decode_answer(line: bytes) -> Answer:
    """Decode one line of a worker. Raises: msgspec.MsgspecError."""
    return _ANSWERS.decode(line)


class Answers:
    """Decodes the answers of one worker: two in three say what another one said, and are not decoded again.

    Equal answers share their errors, which is as much as they take.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: Memory[int, Answer] = Memory(Room(_MOST_KNOWN))

    def decode(self, line: bytes) -> Answer:
        """Decode one line. Raises: msgspec.MsgspecError."""
        end = line.find(b",")
        number = line[6:end]
        if len(line) > _LONGEST_KNOWN or not line.startswith(b'{"id":') or not number.isdigit() or number[0] == _ZERO:
            return decode_answer(line)
        code = hash(line[end:])
        known = self._known.get(code)
        if known is None:
            known = decode_answer(line)
            if known.id == int(number):
                self._known.put(code, known, len(line))
            return known
        answer = copy(known)
        msgspec.structs.force_setattr(answer, "id", int(number))
        return answer


def errors_in(answer: Answer) -> int:
    """Count the errors of an answer, in all its lists."""
    lists = [answer.handwritten, answer.declarative, *answer.versions.values()]
    return sum(map(len, lists)) + sum(len(one.errors) for one in answer.served)


def id_of(line: bytes) -> int | None:
    """Return the id of a line that may be no answer in all other respects, or None. Never raises."""
    return _number(_IDS, line)


def protocol_of(line: bytes) -> int | None:
    """Return the protocol number of a greeting whose other parts may be unknown to us, or None. Never raises."""
    return _number(_PROTOCOLS, line)


LONGEST_VALUE = 256
"""What workers keep of a bad value, in bytes of UTF-8; the rest is told apart by a hash."""


@lru_cache(maxsize=4096)
def capped(text: str) -> str:
    """Shorten a bad value as the Kubernetes worker does, so that values of both sides can be compared."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= LONGEST_VALUE:
        return text
    end = LONGEST_VALUE
    while data[end] & 0xC0 == 0x80:  # never in the middle of a character
        end -= 1
    digest = 0xCBF29CE484222325  # FNV-1a, 64 bits
    for byte in data:
        digest = ((digest ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{data[:end].decode('utf-8', 'surrogatepass')}… ({len(data)} bytes, {digest:016x})"


def shortened(errors: Sequence[FieldError]) -> list[FieldError]:
    """Return errors with their values as a worker sends them."""
    return [
        error if len(error.value) * 4 <= LONGEST_VALUE else msgspec.structs.replace(error, value=capped(error.value))
        for error in errors
    ]


def _number(decoder: msgspec.json.Decoder[Any], line: bytes) -> int | None:
    try:
        record = decoder.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None
    number: int = next(iter(msgspec.structs.astuple(record)))
    return number


def decode_info(line: bytes) -> TargetInfo:
    """Decode a greeting. Raises: msgspec.MsgspecError."""
    return _INFOS.decode(line)


def protocol_schema() -> dict[str, Any]:
    """Return the JSON Schema of the protocol: `TargetInfo`, `Case` and `Answer` under `$defs`."""
    _, components = msgspec.json.schema_components((TargetInfo, Case, Answer), ref_template="#/$defs/{name}")
    greeting = components["TargetInfo"]
    greeting["properties"]["protocol"] = {"const": PROTOCOL}
    greeting["required"] = ["name", "protocol"]  # in memory it has a default; on the wire it must be said
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:equivalence-harness:protocol:{PROTOCOL}",
        "title": "Wire protocol of the equivalence harness",
        "description": "A worker prints a TargetInfo line, then reads Case lines and prints an Answer line for each.",
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in ("TargetInfo", "Case", "Answer")],
        "$defs": components,
    }
