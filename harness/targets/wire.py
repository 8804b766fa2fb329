"""The wire protocol: one JSON document per line, a greeting first, then a case in and an answer out.

The records are those of `harness.case`; the published JSON Schema is made from them and cannot drift.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from harness.case import PROTOCOL, Answer, Case, Operation, TargetInfo
from harness.diagnostics import Diagnostic, Position

_ENCODER = msgspec.json.Encoder()
_ANSWERS = msgspec.json.Decoder(Answer)
_INFOS = msgspec.json.Decoder(TargetInfo)
_IDS = msgspec.json.Decoder(msgspec.defstruct("Numbered", [("id", int)]))
_PROTOCOLS = msgspec.json.Decoder(msgspec.defstruct("Greeting", [("protocol", int)]))
_CASES = msgspec.json.Decoder(Case)
_OBJECTS = msgspec.json.Decoder(dict[str, Any])

UNENCODABLE = (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError)
"""What encoding raises for an object that is not JSON: a lone surrogate, a set, a list that holds itself."""

MAX_DIAGNOSTICS = 50
"""How many bad lines are described before the rest is only counted."""


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


def id_of(line: bytes) -> int | None:
    """Return the id of a line that may be no answer in all other respects, or None. Never raises."""
    return _number(_IDS, line)


def protocol_of(line: bytes) -> int | None:
    """Return the protocol number of a greeting whose other parts may be unknown to us, or None. Never raises."""
    return _number(_PROTOCOLS, line)


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


def read_cases(lines: Iterable[bytes], name: str) -> Iterator[Case | Diagnostic]:
    """Read cases as people write them, one JSON document per line; empty lines are skipped.

    A missing id becomes the line number; group, version and kind come from the object where they are missing, and the
    operation is `update` when there is an old object, else `create`. A bad line gives a diagnostic, the others go on.
    """
    for number, line in enumerate(lines, 1):
        text = line.strip()
        if not text:
            continue
        try:
            yield _CASES.decode(_ENCODER.encode(_completed(_OBJECTS.decode(text), number)))
        except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
            yield Diagnostic(
                Position(name, number), "bad-case", f"this line is not a case: {error}",
                why="a case is one JSON object with at least an object that names its apiVersion and kind",
                fix='{"operation": "create", "object": {"apiVersion": "v1", "kind": "ConfigMap", ...}}',
            )  # fmt: skip


def _completed(record: dict[str, Any], number: int) -> dict[str, Any]:
    """Fill in what the object itself says."""
    body = record.get("object")
    if isinstance(body, dict):
        api_version = body.get("apiVersion")
        if isinstance(api_version, str):
            group, _, version = api_version.rpartition("/")
            record.setdefault("group", group)
            record.setdefault("version", version)
        if isinstance(body.get("kind"), str):
            record.setdefault("kind", body["kind"])
    record.setdefault("id", number)
    record.setdefault("operation", Operation.UPDATE if record.get("old") is not None else Operation.CREATE)
    return record
