"""Encodes and decodes the wire protocol of workers: a greeting, then a case and an answer in turn, one JSON per line.

The records are those of `harness.case`, from which the published JSON Schema is generated.
"""

from __future__ import annotations

from collections import Counter
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
_MAX_CACHED_LINE = 4096
"""At most this many bytes of a cached line. Longer ones contain values of the object, which are rarely the same."""
MAX_EQUAL = 8
"""At most this many equal errors of one list are kept of an answer that has too many errors."""
_MAX_CACHE_BYTES = 1 << 19
"""The size of the cache of answers. Units: bytes of their lines."""

UNENCODABLE = (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError)
"""The errors of encoding an object that is not JSON, such as a lone surrogate, a set, or a recursive list."""


def encode_case(case: Case, serial: int) -> bytes:
    """Encode a case as one line, with `serial` as its id. Raises: the errors of `UNENCODABLE`."""
    line = _ENCODER.encode(case)
    # The id is the first field and has no default, so the first comma ends it. This is twice as fast as a copy.
    return b'{"id":%d%b\n' % (serial, line[line.index(b",") :])


def encode_line(record: msgspec.Struct) -> bytes:
    """Encode any record of the protocol as one line."""
    return _ENCODER.encode(record) + b"\n"


def encode_greeting(info: TargetInfo) -> bytes:
    """Encode a greeting as one line, always with the protocol number, although the record has a default for it."""
    return _ENCODER.encode({"protocol": info.protocol, **msgspec.to_builtins(info)}) + b"\n"


def decode_answer(line: bytes) -> Answer:
    """Decode one line of a worker. Raises: msgspec.MsgspecError."""
    return _ANSWERS.decode(line)


class Answers:
    """Decodes the answers of one worker, with a cache: two of three are equal to an earlier one except for the id.

    Equal answers share their errors, which need most of the memory.
    """

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: Memory[int, Answer] = Memory(Room(_MAX_CACHE_BYTES))

    def decode(self, line: bytes) -> Answer:
        """Decode one line. Raises: msgspec.MsgspecError."""
        end = line.find(b",")
        number = line[6:end]
        if len(line) > _MAX_CACHED_LINE or not line.startswith(b'{"id":') or not number.isdigit() or number[0] == _ZERO:
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


def without_repetitions(answer: Answer) -> Answer:
    """Keep `MAX_EQUAL` of the equal errors of each list.

    A check that compares every item of a list with every other one reports one error as often as there are items.
    """
    served = tuple(msgspec.structs.replace(one, errors=_without_repetitions(one.errors)) for one in answer.served)
    versions = {version: _without_repetitions(errors) for version, errors in answer.versions.items()}
    handwritten, declarative = map(_without_repetitions, (answer.handwritten, answer.declarative))
    return msgspec.structs.replace(
        answer, handwritten=handwritten, declarative=declarative, served=served, versions=versions
    )


def _without_repetitions(errors: Sequence[FieldError]) -> tuple[FieldError, ...]:
    kept, counts = list[FieldError](), Counter[FieldError]()
    for error in errors:
        counts[error] += 1
        if counts[error] <= MAX_EQUAL:
            kept.append(error)
    return tuple(kept)


def id_of(line: bytes) -> int | None:
    """Return the id of a line that need not be a valid answer otherwise, or None. Never raises."""
    return _number(_IDS, line)


def protocol_of(line: bytes) -> int | None:
    """Return the protocol number of a greeting with possibly unknown other fields, or None. Never raises."""
    return _number(_PROTOCOLS, line)


MAX_VALUE_BYTES = 256
"""Workers shorten values in errors to this many bytes of UTF-8, and add a hash. Units: bytes."""


@lru_cache(maxsize=4096)
def capped(text: str) -> str:
    """Shorten a bad value as the Kubernetes worker does, so that values of both sides can be compared."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= MAX_VALUE_BYTES:
        return text
    end = MAX_VALUE_BYTES
    while data[end] & 0xC0 == 0x80:  # not in the middle of a character
        end -= 1
    digest = 0xCBF29CE484222325  # FNV-1a, 64 bits
    for byte in data:
        digest = ((digest ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{data[:end].decode('utf-8', 'surrogatepass')}… ({len(data)} bytes, {digest:016x})"


def shortened(errors: Sequence[FieldError]) -> list[FieldError]:
    """Return errors with their values as a worker sends them."""
    return [
        error if len(error.value) * 4 <= MAX_VALUE_BYTES else msgspec.structs.replace(error, value=capped(error.value))
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
